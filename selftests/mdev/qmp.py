#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""qmp.py SOCKET COMMAND [JSON]: one command of QEMU's monitor protocol; prints what it returns."""

import json
import socket
import sys


def ask(stream, **request):
    stream.write(json.dumps(request) + "\n")
    stream.flush()
    for line in stream:
        answer = json.loads(line)
        if "return" in answer or "error" in answer:
            return answer
    raise SystemExit("qmp: no answer")


def main():
    path, command, arguments = (sys.argv + ["{}"])[1:4]
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(60)
        s.connect(path)
        with s.makefile("rw") as stream:
            stream.readline()
            ask(stream, execute="qmp_capabilities")
            answer = ask(stream, execute=command, arguments=json.loads(arguments))
    print(json.dumps(answer.get("return", answer)))
    return 1 if "error" in answer else 0


if __name__ == "__main__":
    sys.exit(main())
