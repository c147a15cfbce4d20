#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Stops and continues a machine thirty times a second, until it is gone.

usage: kick.py QMP_SOCKET

Each time its emulator leaves the loop in which it translates, as it otherwise does
seldom, at any moment.
"""

import json
import socket
import sys
import time

PAUSE = 0.03
WAIT = 60


def connect(path):
    """The socket comes with the machine."""
    end = time.monotonic() + WAIT
    while True:
        monitor = socket.socket(socket.AF_UNIX)
        try:
            monitor.connect(path)
            return monitor.makefile("rw")
        except OSError:
            monitor.close()
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


def order(stream, name):
    """Run a command; events that come before its answer are of no interest."""
    stream.write(json.dumps({"execute": name}) + "\n")
    stream.flush()
    while True:
        line = stream.readline()
        if not line:
            raise ConnectionError
        if {"return", "error"} & json.loads(line).keys():
            return


def main():
    stream = connect(sys.argv[1])
    stream.readline()
    kicks = 0
    try:
        order(stream, "qmp_capabilities")
        while True:
            order(stream, "stop")
            order(stream, "cont")
            kicks += 1
            time.sleep(PAUSE)
    except (ConnectionError, ValueError):
        print(f"# {kicks} kicks")
    return 0


if __name__ == "__main__":
    sys.exit(main())
