# SPDX-License-Identifier: GPL-2.0-or-later
"""Commands in the other host VM of a pair: scripts/vm on, and what serves it in each of them.

A connection for each command. The client begins with a line of JSON, and what both send then are
frames: a letter, the length, data. There is nobody else in this network whom it could refuse.
"""

import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True

NAMES = ("host1", "host2")
PORT = 7000
HEAD = struct.Struct("<cI")
PIECE = 65536
INPUT, OUTPUT, ERROR, STATUS = b"i", b"o", b"e", b"s"
CONNECT_S = 2
# A command whose client is gone has this long to end
TERM_S = 10


def send(sock, lock, kind, data):
    with lock:
        sock.sendall(HEAD.pack(kind, len(data)) + data)


def receive(stream):
    """The next frame, or None at the end."""
    try:
        head = stream.read(HEAD.size)
        if len(head) < HEAD.size:
            return None
        kind, size = HEAD.unpack(head)
        data = stream.read(size)
    except OSError:
        return None
    return (kind, data) if len(data) == size else None


def copy_out(sock, lock, kind, fd):
    """What comes from a file, until its end, which is an empty frame."""
    try:
        data = b"-"
        while data:
            data = os.read(fd, PIECE)
            send(sock, lock, kind, data)
    except OSError:
        """The other side is gone."""


# ---- serving ----------------------------------------------------------------

def feed(stream, child):
    """Give a command its input, until its client is gone; end it then."""
    frame = receive(stream)
    while frame is not None:
        try:
            if child is None:
                pass
            elif frame[1]:
                child.stdin.write(frame[1])
            else:
                child.stdin.close()
        except (OSError, ValueError):
            """It does not read."""
        frame = receive(stream)
    for number in (signal.SIGTERM, signal.SIGKILL):
        if child is None or child.poll() is not None:
            return
        try:
            os.killpg(child.pid, number)
            child.wait(TERM_S)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue


def start(request):
    return subprocess.Popen(request["argv"], cwd=request["cwd"], start_new_session=True, bufsize=0,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def follow(sock, lock, child):
    """Pass on what a command prints; its status."""
    copies = [threading.Thread(target=copy_out, args=(sock, lock, kind, f.fileno()))
              for kind, f in ((OUTPUT, child.stdout), (ERROR, child.stderr))]
    for c in copies:
        c.start()
    code = child.wait()
    # What it left running may hold its output open
    for c in copies:
        c.join(5)
    return code if code >= 0 else 128 - code


def serve(sock):
    """One command."""
    lock, child = threading.Lock(), None
    with sock, sock.makefile("rb") as stream:
        try:
            child = start(json.loads(stream.readline()))
        except OSError as e:
            send(sock, lock, ERROR, f"vm: {e.filename}: {e.strerror}\n".encode())
        feeder = threading.Thread(target=feed, args=(stream, child), daemon=True)
        feeder.start()
        try:
            send(sock, lock, STATUS, str(follow(sock, lock, child) if child else 127).encode())
        except OSError:
            """The client is gone."""
        # What is closed before all was read does not send all that was written.
        feeder.join()


def serve_all():
    with socket.create_server(("", PORT)) as listener:
        while True:
            sock, _ = listener.accept()
            threading.Thread(target=serve, args=(sock,), daemon=True).start()


# ---- asking -----------------------------------------------------------------

def connect(name, patience):
    """A connection, or why there is none after so many seconds."""
    end = time.monotonic() + patience
    while True:
        try:
            sock = socket.create_connection((name, PORT), CONNECT_S)
            sock.settimeout(None)
            return sock
        except socket.gaierror:
            return f"no host {name} (in a host VM of scripts/vm pair: {', '.join(NAMES)})"
        except OSError as e:
            if time.monotonic() > end:
                return f"{name} does not answer: {e}"
            time.sleep(0.2)


def run_on(opts):
    """Run a command elsewhere, as if it ran here."""
    import machine
    sock = connect(opts.host, opts.wait)
    if isinstance(sock, str):
        machine.fail(sock)
    lock = threading.Lock()
    request = {"argv": opts.command, "cwd": os.getcwd()}
    sock.sendall(json.dumps(request).encode() + b"\n")
    threading.Thread(target=copy_out, args=(sock, lock, INPUT, 0), daemon=True).start()
    with sock.makefile("rb") as stream:
        frame = receive(stream)
        while frame is not None and frame[0] != STATUS:
            machine.write_all(1 if frame[0] == OUTPUT else 2, frame[1])
            frame = receive(stream)
    return int(frame[1]) if frame else machine.fail(f"{opts.host} is gone")


if __name__ == "__main__":
    serve_all()
