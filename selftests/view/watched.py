# SPDX-License-Identifier: GPL-2.0-or-later
"""A head that a test draws, its server, and a client that has the picture."""

import os
import random
import socket
import subprocess

import rfb
from server import Head, Server


def start(head, *options):
    return Server(head.dir, *options, program="view-drawn")


def same(client, head):
    """What the client sees becomes what the head shows."""
    want = head.xrgb()
    client.follow(lambda: (client.width, client.height) == (head.width, head.height) and
                  client.xrgb() == want)


class Watched:
    """A head, its server, and a client that has the picture."""

    def __init__(self, *options, size=(640, 480), encodings=(rfb.ZRLE, rfb.DESKTOP_SIZE), **shape):
        self.random = random.Random(1)
        self.head = Head(*size, **shape)
        self.head.draw_random(self.random)
        self.head.flip()
        self.server = start(self.head, *options)
        self.client = rfb.Client(self.server.port, encodings)
        self.client.whole()
        same(self.client, self.head)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.end()


# ---- access ----

def certificates(where):
    paths = [os.path.join(where, name) for name in ("cert", "key")]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:P-256", "-nodes", "-days", "30", "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=DNS:localhost", "-out", paths[0], "-keyout", paths[1]],
                   check=True, stderr=subprocess.DEVNULL)
    return paths


def secure(head):
    cert, key = certificates(head.dir)
    password = os.path.join(head.dir, "password")
    with open(os.open(password, os.O_CREAT | os.O_WRONLY, 0o600), "w") as f:
        f.write("open sesame\n")
    return cert, ["--tls-cert", cert, "--tls-key", key, "--user", "ali", "--password-file",
                  password]


def raw_connection(port):
    client = object.__new__(rfb.Client)
    client.received = 0
    client.socket = socket.create_connection(("127.0.0.1", port), 60)
    return client
