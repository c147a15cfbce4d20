# SPDX-License-Identifier: GPL-2.0-or-later
"""Command line of scripts/vm."""

import argparse
import os
import signal
import sys

sys.dont_write_bytecode = True

import machine  # noqa: E402
from machine import INFRASTRUCTURE, Failure  # noqa: E402

# Times the limit of a host VM whose GPUs TESSERA_BACKEND makes served ones (scripts/check)
SERVED_SLOWER = 3

STATUS = """
exit status: that of CMD; 122 when the guest went on elsewhere; 123 when the machine shows no sign of life, 124 when time is
up, 125 when it could not be set up or died, 126 when its kernel log shows a splat."""

PAIR = """Two host VMs, host1 and host2, each with GPUs of its own, in a network without anything else. CMD
runs in host1; "scripts/vm on host2 -- CMD" runs a command in host2. Both VMs end when CMD has ended, or
one of them. The options are for each VM; --model-args may be given for each GPU of both, those of host1
first. The files of --keep-log and --qmp of host2 have .host2 behind their names."""


def add_common(p):
    p.add_argument("--mem", default=None, help="memory, e.g. 2G")
    p.add_argument("--smp", type=int, default=None, help="processors")
    p.add_argument("--timeout", type=float, default=None, metavar="S",
                   help="end the machine after S seconds (0: never)")
    p.add_argument("--qmp", metavar="SOCKET", help="offer QEMU's monitor protocol there")
    p.add_argument("--qemu-arg", action="append", default=[], metavar="ARG",
                   help="one more argument for QEMU (repeat as needed)")
    p.add_argument("--env", action="append", default=[], metavar="VAR=VALUE",
                   help="set in the environment of CMD")
    p.add_argument("--keep-log", metavar="FILE", help="write the kernel log there")
    p.add_argument("--allow-splat", action="store_true",
                   help="do not fail when the kernel log shows a splat")
    p.add_argument("--verbose", action="store_true", help="print the QEMU command")
    p.add_argument("--bare", action="store_true", help="do not load the tessera modules")


def add_host(p):
    p.add_argument("--kernel", choices=("6.12", "7.2", "debug"), default="6.12")
    p.add_argument("--gpus", type=int, default=1, metavar="N", help="model GPUs (default 1)")
    p.add_argument("--model-args", action="append", default=[], metavar="ARGS",
                   help="options of the models; given again: of the next one, one for each")
    p.add_argument("--backend", choices=("pci", "user", "both"),
                   default=os.environ.get("TESSERA_BACKEND") or "pci",
                   help="user: the models run in the host VM, and serve GPUs by /dev/tessera-user; "
                   "both: N GPUs of each kind")
    p.add_argument("--iommu", action="store_true", help="give the host VM an IOMMU")
    p.add_argument("--realtime", action="store_true",
                   help="nothing else on this machine delays the emulator, for measurements")
    p.add_argument("--with", dest="layer", metavar="LAYER",
                   help="what this layer of the environment has is there, too (scripts/env)")
    p.add_argument("--interactive", action="store_true",
                   help="CMD (default: a shell) gets this terminal; no timeout")
    add_common(p)


def parser():
    top = argparse.ArgumentParser(prog="scripts/vm", description="Virtual machines for tests.",
                                  allow_abbrev=False)
    sub = top.add_subparsers(dest="verb", required=True, metavar="VERB")

    p = sub.add_parser("host", help="run a command in a fresh host VM", epilog=STATUS,
                       usage="scripts/vm host [options] [--] CMD [ARG...]", allow_abbrev=False,
                       formatter_class=argparse.RawDescriptionHelpFormatter)
    add_host(p)

    p = sub.add_parser("pair", help="run a command in the first of two host VMs with a network",
                       description=PAIR, epilog=STATUS,
                       usage="scripts/vm pair [options] [--] CMD [ARG...]", allow_abbrev=False,
                       formatter_class=argparse.RawDescriptionHelpFormatter)
    add_host(p)

    p = sub.add_parser("on", help="in one of a pair: run a command in a host VM of it, with this "
                       "standard input; its output and exit status",
                       usage="scripts/vm on [--wait S] HOST [--] CMD [ARG...]", allow_abbrev=False)
    p.add_argument("host", metavar="HOST", help="host1 or host2")
    p.add_argument("--wait", type=float, default=10, metavar="S",
                   help="for so long it may be that HOST does not answer (default 10)")

    p = sub.add_parser("guest", help="in a host VM: run a command in a fresh guest", epilog=STATUS,
                       usage="scripts/vm guest [options] [--] CMD [ARG...]", allow_abbrev=False,
                       formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--kernel", choices=("6.12", "7.2"), default=None,
                   help="default: that of the host VM")
    p.add_argument("--accel", choices=("kvm", "tcg"), default=None)
    p.add_argument("--vgpu", action="append", default=[], metavar="UUID[,PROP=VALUE...]",
                   help="attach this mdev (repeat as needed)")
    p.add_argument("--iommufd", action="store_true",
                   help="open each mdev by its own file, with guest memory in an iommufd")
    p.add_argument("--host", action="append", default=[], metavar="BDF",
                   help="attach this whole PCI device with vfio-pci")
    p.add_argument("--vsock", type=int, metavar="CID",
                   help="connect it to this host by VSOCK, with this context id (from 3 on)")
    p.add_argument("--detach", metavar="NAME",
                   help="return as soon as CMD runs; see wait, tell, kill, give-up, pid, console")
    p.add_argument("--listen", action="store_true",
                   help="CMD reads what is told to the detached guest")
    p.add_argument("--migratable", action="store_true",
                   help="a guest that can go on in another QEMU (move): of the tree it sees, to read "
                   "only, the examples, libtessera and its modules; its vGPUs have "
                   "enable-migration=on")
    p.add_argument("--incoming", metavar="URI",
                   help="with --migratable, without CMD: go on with a guest that comes from there "
                   "(unix:PATH, file:PATH), and with what its CMD prints. With the same options for "
                   "--mem, --smp, --listen, and as many vGPUs. With --detach return when it can "
                   "come, or came from a file")
    p.add_argument("--allow-reboot", action="store_true",
                   help="a reboot runs CMD again, TESSERA_BOOT counts from 1")
    add_common(p)

    p = sub.add_parser("wait", help="wait for a detached guest: its output and exit status")
    p.add_argument("name")
    p.add_argument("--timeout", type=float, default=0, metavar="S")
    p = sub.add_parser("tell", help="print a line to the command of a guest with --listen")
    p.add_argument("name")
    p.add_argument("word", nargs="+")
    p = sub.add_parser("move", help="send a detached guest (--migratable) to another QEMU, which waits "
                       "for it with --incoming, or to a file, and end this one; prints what went as "
                       "JSON. If it cannot go it stays, and the status is 1")
    p.add_argument("name")
    p.add_argument("uri", metavar="URI", help="unix:PATH, file:PATH")
    p.add_argument("--bandwidth", type=int, default=0, metavar="BYTES",
                   help="at most so many in a second while it runs (0: no limit)")
    p = sub.add_parser("kill", help="end the QEMU of a detached guest")
    p.add_argument("name")
    p.add_argument("-9", dest="nine", action="store_true", help="with SIGKILL")
    p = sub.add_parser("give-up", help="end a detached guest that stands still, as when its time "
                       "is up: wait tells what it did, and if the emulator lost it")
    p.add_argument("name")
    p = sub.add_parser("pid", help="print the process id of a detached guest's QEMU")
    p.add_argument("name")
    p = sub.add_parser("console", help="print the console of a detached guest")
    p.add_argument("name")
    return top


def split_command(argv):
    """Everything after the first "--" belongs to the command."""
    if "--" in argv:
        i = argv.index("--")
        return argv[:i], argv[i + 1:]
    return argv, []


def join_values(args):
    """Tie values that may start with a dash to their options, for argparse."""
    joined = []
    rest = iter(args)
    for arg in rest:
        value = next(rest, None) if arg in ("--model-args", "--qemu-arg", "--env") else None
        joined.append(arg if value is None else f"{arg}={value}")
    return joined


def set_defaults(opts, mem, smp, timeout):
    opts.mem = opts.mem or mem
    opts.smp = opts.smp or smp
    if opts.timeout is None:
        opts.timeout = timeout
    for name in ("qmp", "keep_log"):
        if getattr(opts, name):
            setattr(opts, name, os.path.abspath(getattr(opts, name)))


def dispatch(opts):
    if opts.verb in ("host", "pair"):
        import host
        import pair
        set_defaults(opts, "3G", 2, 0 if opts.interactive else 600)
        if opts.backend == os.environ.get("TESSERA_BACKEND") == "user":
            opts.timeout *= SERVED_SLOWER
        if opts.interactive and not opts.command:
            opts.command = ["bash", "-l"]
        return (pair if opts.verb == "pair" else host).run(opts)
    if opts.verb == "on":
        import remote
        return remote.run_on(opts)
    import guest
    if opts.verb == "guest":
        set_defaults(opts, "512M", 1, 300)
        return guest.run(opts)
    return getattr(guest, opts.verb.replace("-", "_"))(opts)


def main(argv):
    args, command = split_command(argv)
    top = parser()
    opts = top.parse_args(join_values(args))
    opts.command = command
    if opts.verb in ("host", "pair", "on", "guest") and not command and \
            not getattr(opts, "interactive", False) and not getattr(opts, "incoming", None):
        top.error("no command: give it after --")
    try:
        return dispatch(opts)
    except Failure as e:
        print(f"vm: {e}", file=sys.stderr)
        return INFRASTRUCTURE


def interrupted(number, _frame):
    raise SystemExit(128 + number)


if __name__ == "__main__":
    for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(s, interrupted)
    sys.exit(main(sys.argv[1:]))
