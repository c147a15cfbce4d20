# SPDX-License-Identifier: GPL-2.0-or-later
"""A virtual machine that runs one command: boots, streams, returns its status.

The same for both levels: the host VM on this machine and a guest VM inside it.
"""

import contextlib
import glob
import os
import selectors
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import hung
import kernlog
import lost

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(HERE))
KERNELS = "/usr/lib/tessera"

INFRASTRUCTURE = 125
SPLAT = 126
TIMEOUT = 124
STALLED = 123
# It went on in another QEMU.
MOVED = 122
MAX_BOOTS = 8
HUGE = "/run/tessera/huge"
PORTS = ("ctl", "out", "err", "log")
# Where what a migratable guest prints ends: no QEMU that it comes to knows a secret of another one.
MOVING_MARK = b"\0end-of-what-a-migratable-guest-prints\n"
CONSOLE_TAIL = 40
HUNG_TAIL = 200
# Once it is up, a machine says every ten seconds of its own time that it is alive.
STALL = float(os.environ.get("TESSERA_STALL", "180"))
# A guest that may be stillborn has this long to come up.
BIRTH = float(os.environ.get("TESSERA_BIRTH", "150"))

# lastbus: do not look for 256 buses one port access at a time. cursor: the console of a head would draw
# it several times a second, for which a translated guest has no time.
APPEND = ("console=ttyS0 loglevel=5 panic=-1 oops=panic mitigations=off nowatchdog "
          "random.trust_cpu=on tsc=reliable no_timer_check pci=lastbus=0 "
          "cryptomgr.notests rcupdate.rcu_expedited=1 init_on_alloc=0 sysrq_always_enabled "
          "vt.global_cursor_default=0")


class Failure(Exception):
    """The machinery failed, as opposed to the command."""


def fail(text):
    raise Failure(text)


def comma(path):
    """Quote a value for a QEMU option list."""
    return path.replace(",", ",,")


def debug_kernel():
    """The same of what scripts/kernel builds."""
    out = subprocess.run([os.path.join(TREE, "scripts/kernel"), "path"], check=True,
                         stdout=subprocess.PIPE, text=True)
    path = out.stdout.strip()
    try:
        with open(os.path.join(path, "release")) as f:
            rel = f.read().strip()
    except FileNotFoundError:
        fail("no debug kernel: run scripts/kernel build")
    return rel, os.path.join(path, "bzImage"), os.path.join(path, "initramfs.cpio")


def kernel(series):
    """Return (release, kernel image, initramfs) of a kernel series, or of "debug"."""
    if series == "debug":
        return debug_kernel()
    images = sorted(glob.glob(f"{KERNELS}/vmlinux-{series}.*"))
    if not images:
        fail(f"no kernel {series} in the environment")
    rel = images[-1].split("/vmlinux-")[1]
    return rel, images[-1], f"{KERNELS}/initramfs-{rel}.cpio"


def cpio_entry(name, data, mode):
    """One file in the format that the kernel unpacks (newc)."""
    def pad(b):
        return b + b"\0" * (-len(b) % 4)
    fields = (0, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08x" % f for f in fields)
    return pad(head + name.encode() + b"\0") + pad(data)


def make_initrd(base, path, config, command):
    """Append this run's configuration and first program to a prebuilt archive."""
    text = "".join(f"{k}={shlex.quote(str(v))}\n" for k, v in config.items())
    with open(os.path.join(HERE, "initramfs.sh"), "rb") as f:
        init = f.read()
    shutil.copyfile(base, path)
    with open(path, "ab") as f:
        f.write(b"\0" * (-f.tell() % 512))
        f.write(cpio_entry("init", init, 0o100755))
        f.write(cpio_entry("config", text.encode(), 0o100644))
        f.write(cpio_entry("cmd", command.encode(), 0o100644))
        f.write(cpio_entry("TRAILER!!!", b"", 0))


def command_text(argv, env=()):
    """A shell script that runs argv."""
    exports = "".join(f"export {shlex.quote(e)}\n" for e in env)
    return exports + "exec " + " ".join(shlex.quote(a) for a in argv) + "\n"


def same_file(a, b):
    try:
        sa, sb = os.fstat(a), os.fstat(b)
    except OSError:
        return False
    return (sa.st_dev, sa.st_ino) == (sb.st_dev, sb.st_ino)


def write_all(fd, data):
    while data:
        data = data[os.write(fd, data):]


class Stream:
    """Bytes from a port up to a mark; the mark tells that nothing is left on the way."""

    def __init__(self, mark, sink):
        self.mark = mark
        self.sink = sink
        self.held = b""
        self.ended = False

    def feed(self, data):
        data = self.held + data
        head, found, tail = data.partition(self.mark)
        self.ended |= bool(found)
        data = head + tail
        start = -1 if found else data.rfind(self.mark[:1])
        if start < 0 or not self.mark.startswith(data[start:]):
            start = len(data)
        self.held = data[start:]
        self.sink(data[:start])

    def flush(self):
        self.sink(self.held)
        self.held = b""


class Machine:
    """One virtual machine; use as a context manager, which stops and tidies up."""

    def __init__(self, opts, role, root_image, layer_image=None, tree_image=None):
        self.opts = opts
        self.role = role
        # If there are several
        self.name = None
        self.root_image = root_image
        self.layer_image = layer_image
        # The tree, if it is not shared
        self.tree_image = tree_image
        self.out_fd, self.err_fd = 1, 2
        self.on_start = None
        self.on_spawn = None
        self.on_incoming = None
        self.has_moved = lambda: False
        self.children = []
        self.qemu = None
        self.preload = []
        self.realtime = getattr(opts, "realtime", False)
        # Driver of its GPUs, and options of each one that the machine serves by itself
        self.driver = "tessera_pci"
        self.served = []
        self.status = None
        self.boots = 0
        self.may_be_stillborn = False
        # How long one of those may take to come up, if that is limited
        self.birth = None
        # The emulator, or the processor below its KVM, is a translation.
        self.translated = False
        self.bases = set()
        self.released = False
        self.spawned = 0.0
        self.heard = 0.0
        self.reached = "nothing"
        self.given_up = False
        self.log = b""
        self.ctl_pending = b""
        self.mark = MOVING_MARK if tree_image else b"\0end-" + os.urandom(8).hex().encode() + b"\n"
        self.streams = {
            "out": Stream(self.mark, lambda data: write_all(self.out_fd, data)),
            "err": Stream(self.mark, lambda data: write_all(self.err_fd, data)),
            "log": Stream(self.mark, self.take_log),
        }
        os.makedirs("/run/tessera-vm", mode=0o1777, exist_ok=True)
        self.dir = tempfile.mkdtemp(dir="/run/tessera-vm")
        self.console = os.path.join(self.dir, "console")
        self.fds = {}

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        for child in [self.qemu] + self.children:
            if child is not None:
                self.reap(child)
        for fd in self.fds.values():
            os.close(fd)
        shutil.rmtree(self.dir, ignore_errors=True)

    @staticmethod
    def reap(child):
        """End a child and whatever it started, politely first."""
        for sig, patience in ((signal.SIGTERM, 5), (signal.SIGKILL, 10)):
            if child.poll() is not None:
                return
            try:
                os.kill(child.pid, sig)
                child.wait(patience)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                continue

    def path(self, name):
        return os.path.join(self.dir, name)

    @property
    def monitor(self):
        """Where QEMU offers its monitor protocol to whoever looks at a machine."""
        return self.path("monitor")

    @contextlib.contextmanager
    def urgent(self, priority):
        """What starts meanwhile has that real-time priority, if the machine is to have one."""
        if not self.realtime:
            yield
            return
        try:
            os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(priority))
        except PermissionError:
            fail("--realtime is not permitted here: it needs CAP_SYS_NICE")
        try:
            yield
        finally:
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))

    def spawn(self, argv, log):
        """Start a helper that lives as long as the machine. QEMU waits for it."""
        with open(log, "ab") as f, self.urgent(2):
            child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=f, stderr=f,
                                     start_new_session=True)
        self.children.append(child)
        return child

    # ---- assembling ---------------------------------------------------------

    def config(self, modules):
        return {
            "ROLE": self.role, "TREE": TREE, "CWD": os.getcwd(),
            "MODULES": " ".join(modules), "DRIVER": self.driver, "ACCEL": self.opts.accel,
            "TSC_KHZ": self.opts.tsc_khz, "SERVE": "\n".join(self.served),
            "GPUS": str(len(self.served)),
            "INTERACTIVE": "1" if self.interactive else "", "TTY": self.terminal(),
            "MARK": self.mark[1:-1].decode(), "LISTEN": "1" if self.listens else "",
            "LAYER": "1" if self.layer_image else "", "PAIR": getattr(self.opts, "pair", ""),
            "TREE_DISK": ("/dev/vdc" if self.layer_image else "/dev/vdb") if self.tree_image else "",
            "MERGE": "1" if same_file(self.out_fd, self.err_fd) else "",
        }

    def terminal(self):
        """Type and size of our terminal, for an interactive machine."""
        if not (self.interactive and os.isatty(0)):
            return ""
        size = os.get_terminal_size(0)
        return f"{os.environ.get('TERM', 'dumb')} {size.lines} {size.columns}"

    @property
    def interactive(self):
        return getattr(self.opts, "interactive", False)

    @property
    def incoming(self):
        """Where the guest comes from, instead of being booted."""
        return getattr(self.opts, "incoming", None)

    @property
    def listens(self):
        """Whether the command has a port as its standard input."""
        return getattr(self.opts, "listen", False)

    def base_args(self, modules):
        opts = self.opts
        _, image, initramfs = kernel(opts.kernel)
        make_initrd(initramfs, self.path("initrd"), self.config(modules),
                    command_text(opts.command, opts.env))
        append = APPEND + (f" tsc_early_khz={opts.tsc_khz}" if opts.accel == "tcg" else "")
        append += " intel_iommu=on" if getattr(opts, "iommu", False) else ""
        cpu = "host" if opts.accel == "kvm" else "max,-erms,-fsrm"
        # No guest of its own, whose state would go with it
        cpu += ",-svm,-vmx" if self.tree_image else ""
        accel = "kvm" if opts.accel == "kvm" else "tcg,thread=multi"
        return [
            "qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none",
            "-name", f"tessera-{self.role}", "-accel", accel, "-cpu", cpu,
            "-machine", "q35,smm=off,hpet=off,vmport=off,sata=off,i8042=off,usb=off,"
            "memory-backend=mem" + (",kernel-irqchip=split" if opts.accel == "kvm" else ""),
            "-object", self.memory(),
            "-m", opts.mem, "-smp", str(opts.smp),
            "-kernel", image, "-initrd", self.path("initrd"), "-append", append,
            *self.disk_args("root", self.root_image),
            *self.tree_args(),
            "-chardev", f"socket,id=console,path={self.path('serial')},server=on,wait=off,"
            f"logfile={comma(self.console)}", "-serial", "chardev:console",
            "-qmp", f"unix:{self.monitor},server=on,wait=off",
        ] + self.disk_args("layer", self.layer_image) + self.disk_args("tree", self.tree_image) + \
            self.port_args() + self.reboot_args()

    def tree_args(self):
        """Share the tree, unless it is on a disk."""
        if self.tree_image:
            return []
        return ["-fsdev",
                f"local,id=tree,path={comma(TREE)},security_model=none,multidevs=remap",
                "-device", "virtio-9p-pci,fsdev=tree,mount_tag=tree,disable-legacy=on"]

    @staticmethod
    def disk_args(name, path):
        """A disk that is only read: the root file system, or what comes on top of it."""
        if not path:
            return []
        return ["-drive", f"file={comma(path)},if=none,id={name},format=raw,read-only=on",
                "-device", f"virtio-blk-pci,drive={name},disable-legacy=on"]

    def memory(self):
        """Shared, as GPU models need it; in huge pages where a host VM offers them.

        Nested page faults are most of the exits of a booting guest. QEMU maps a file as a file
        into an iommufd, which that of 6.12 does not know.
        """
        if getattr(self.opts, "iommufd", False):
            return f"memory-backend-ram,id=mem,size={self.opts.mem}"
        common = f"id=mem,size={self.opts.mem},share=on"
        if os.path.ismount(HUGE):
            return f"memory-backend-file,{common},mem-path={HUGE},align=2M"
        return f"memory-backend-memfd,{common}"

    def reboot_args(self):
        return [] if getattr(self.opts, "allow_reboot", False) else ["-no-reboot"]

    def port_args(self):
        args = ["-device", "virtio-serial-pci,disable-legacy=on,max_ports=8"]
        for name in PORTS + (("in",) if self.listens else ()):
            args += ["-chardev", f"pipe,id={name},path={self.path(name)}",
                     "-device", f"virtserialport,chardev={name},name={name}"]
        if self.interactive:
            args += ["-chardev", "stdio,id=tty,signal=off", "-device", "virtconsole,chardev=tty"]
        if self.opts.qmp:
            args += ["-qmp", f"unix:{comma(self.opts.qmp)},server=on,wait=off"]
        return args

    # ---- running ------------------------------------------------------------

    def open_ports(self):
        for name in PORTS:
            os.mkfifo(self.path(name + ".in"))
            os.mkfifo(self.path(name + ".out"))
            self.fds[name] = os.open(self.path(name + ".out"), os.O_RDONLY | os.O_NONBLOCK)
        if self.listens:
            os.mkfifo(self.path("in.in"))
            os.mkfifo(self.path("in.out"))
        # Read-write, so that opening does not wait for QEMU.
        self.fds["answer"] = os.open(self.path("ctl.in"), os.O_RDWR | os.O_NONBLOCK)

    def start(self, argv):
        self.open_ports()
        if self.opts.verbose:
            print("vm: " + shlex.join(argv), file=sys.stderr)
        environment = dict(os.environ, LD_PRELOAD=" ".join(self.preload))
        with open(self.path("qemu.log"), "ab") as f, self.urgent(1):
            if self.interactive:
                self.qemu = subprocess.Popen(argv, stderr=f, env=environment)
            else:
                self.qemu = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=f,
                                             stderr=f, env=environment, start_new_session=True)
        self.spawned = self.heard = time.monotonic()
        if self.on_spawn:
            self.on_spawn(self.qemu.pid)

    def give_up_on(self, number):
        """With this signal the machine's time is up."""
        def give_up(_number, _frame):
            self.given_up = True
        self.fds["wake"], self.fds["woken"] = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(self.fds["woken"], warn_on_full_buffer=False)
        signal.signal(number, give_up)

    def run(self, argv):
        """Boot, stream until the machine is gone, return the command's status."""
        deadline = time.monotonic() + self.opts.timeout if self.opts.timeout else None
        self.start(argv)
        if self.incoming:
            self.on_incoming(self)
            if self.qemu.poll() is None:
                self.started()
        pidfd = os.pidfd_open(self.qemu.pid)
        try:
            if not self.pump(pidfd, deadline):
                return self.out_of_time()
        finally:
            os.close(pidfd)
        return self.verdict()

    def pump(self, pidfd, deadline):
        """Serve the ports until QEMU ends; false when time is up or nothing is heard."""
        with selectors.DefaultSelector() as sel:
            for name in PORTS:
                sel.register(self.fds[name], selectors.EVENT_READ, name)
            sel.register(pidfd, selectors.EVENT_READ, "qemu")
            if "wake" in self.fds:
                sel.register(self.fds["wake"], selectors.EVENT_READ, "wake")
            while True:
                left = self.time_left(deadline)
                if left is not None and left <= 0:
                    return False
                events = sel.select(left)
                for key, _ in events:
                    if key.data == "wake":
                        os.read(key.fd, 64)
                    elif key.data != "qemu" and not self.serve(key.data):
                        sel.unregister(key.fileobj)
                if any(key.data == "qemu" for key, _ in events):
                    for name in PORTS:
                        while self.serve(name):
                            pass
                    for stream in self.streams.values():
                        stream.flush()
                    self.qemu.wait()
                    return True

    def time_left(self, deadline):
        """Seconds until the machine has to end or must have been heard of."""
        if self.given_up:
            return 0
        ends = [deadline] if deadline is not None else []
        if self.boots:
            ends.append(self.heard + STALL)
        elif self.birth is not None:
            ends.append(self.spawned + self.birth)
        return min(ends) - time.monotonic() if ends else None

    def serve(self, name):
        """Take what a port has to say; false at its end or when it is empty."""
        try:
            data = os.read(self.fds[name], 65536)
        except BlockingIOError:
            return False
        if name in self.streams:
            self.streams[name].feed(data)
            self.let_go()
        else:
            self.ctl_pending += data
            *lines, self.ctl_pending = self.ctl_pending.split(b"\n")
            for line in lines:
                self.control(line.decode(errors="replace").split())
        return bool(data)

    def take_log(self, data):
        self.log += data

    def let_go(self):
        """Allow the machine to power off once all it had to say is here."""
        if self.status is not None and not self.released and \
                all(s.ended for s in self.streams.values()):
            self.released = True
            os.write(self.fds["answer"], b"bye\n")

    def control(self, words):
        self.heard = time.monotonic()
        if self.incoming:
            self.boots = max(self.boots, 1)
        if words == ["alive"]:
            return
        self.reached = words[0] if words else self.reached
        if self.opts.verbose:
            self.say(f"{time.monotonic() - self.spawned:.1f} s: {self.reached}")
        if words == ["boot"]:
            self.boots += 1
            if self.boots > MAX_BOOTS:
                self.qemu.kill()
            if self.translated:
                self.bases = hung.kernel_bases(self.monitor, self.opts.smp)
            os.write(self.fds["answer"], b"%d\n" % self.boots)
        elif words == ["start"]:
            self.started()
        elif len(words) == 2 and words[0] == "exit" and words[1].isdigit():
            self.status = int(words[1])
            self.let_go()

    def started(self):
        if self.on_start:
            self.on_start()
            self.on_start = None

    # ---- judging ------------------------------------------------------------

    @property
    def stillborn(self):
        """Ended by itself, or stood still, before its first program ran."""
        late = self.birth is not None and time.monotonic() - self.spawned >= self.birth
        return self.may_be_stillborn and not self.boots and (self.qemu.returncode == 0 or late)

    def console_text(self):
        try:
            with open(self.console, errors="replace") as f:
                return f.read()
        except FileNotFoundError:
            return ""

    def kernel_log(self):
        """Everything the kernel said: all of it at a clean end, else the console."""
        return self.console_text() + self.log.decode(errors="replace")

    def say(self, text):
        write_all(self.err_fd, f"vm: {self.role}: {text}\n".encode())

    def emulator_text(self):
        with open(self.path("qemu.log"), errors="replace") as f:
            return f.read()

    def tell_lost(self, proof):
        """Say in one line that the emulator lost this machine, if that is proven."""
        if self.translated and proof:
            self.say(f"emulator lost this machine: {proof}")

    def last_words(self):
        return lost.by_words(self.console_text(), self.emulator_text(), self.bases)

    def where_it_shut_down(self):
        """Tell where a guest stood that could not even report a fault; proof, if that is one."""
        at = hung.shutdowns(self.qemu.pid) if self.role == "guest" else []
        for address in at:
            self.say(f"| its processor shut down at {address:#x}")
        return lost.by_shutdown(at, hung.world_switch()) if at else None

    def out_of_time(self):
        """Say what the machine does instead of coming to an end."""
        is_guest = self.role == "guest"
        if self.stillborn:
            self.report(STALLED, f"did not come up in {self.birth:g} s; console and processors:")
            for line in hung.examine(self.monitor, None, is_guest)[0]:
                self.say("| " + line)
            return STALLED
        status, why = TIMEOUT, f"no end after {self.opts.timeout:g} s"
        if self.given_up:
            why = f"given up after {time.monotonic() - self.spawned:.0f} s"
        elif self.boots and time.monotonic() - self.heard >= STALL:
            status, why = STALLED, f"no sign of life for {STALL:g} s"
        state, proof = hung.examine(self.monitor, self.path("serial"), is_guest)
        self.report(status, f"{why} (it came to: {self.reached}); console and processors:",
                    HUNG_TAIL)
        for child in [self.qemu] + self.children:
            state += [f"process {child.pid}, {os.path.basename(child.args[0])}:"]
            state += hung.stacks(child.pid)
        for line in state:
            self.say("| " + line)
        self.tell_lost(proof or self.last_words())
        # Who keeps the last lines only has to learn it too
        self.say(why)
        return status

    def report(self, status, why, lines=CONSOLE_TAIL):
        self.say(f"{why} ({self.name})" if self.name else why)
        tail = self.console_text().splitlines()[-lines:]
        for line in tail + self.emulator_text().splitlines()[-CONSOLE_TAIL:]:
            self.say("| " + line)
        return status

    def verdict(self):
        found = [] if self.opts.allow_splat else kernlog.splats(
            self.log.decode(errors="replace") or self.console_text())
        code = self.qemu.returncode
        if self.status is None and self.boots > MAX_BOOTS:
            return self.report(INFRASTRUCTURE, f"rebooted more than {MAX_BOOTS} times")
        if self.status is None and code == 0 and self.has_moved():
            return SPLAT if found else MOVED
        if self.status is None and code < 0:
            return self.report(128 - code, f"emulator ended by signal {-code}")
        if self.status is None:
            self.report(INFRASTRUCTURE,
                        f"died before the command ended (emulator status {code}, "
                        f"last sign of life: {self.reached}{self.suspects()})", HUNG_TAIL)
            self.tell_lost(self.last_words() or self.where_it_shut_down())
            return SPLAT if found else INFRASTRUCTURE
        for text in found:
            self.say("the kernel complained:")
            for line in text.splitlines():
                self.say("| " + line)
        return SPLAT if found else self.status

    def suspects(self):
        """Whether a translated machine that died names our modules in a trace."""
        if self.opts.accel != "tcg" or kernlog.names_tessera(self.console_text()):
            return ""
        return ", without a function of Tessera in its last words"

    def keep_log(self):
        if self.opts.keep_log:
            with open(self.opts.keep_log, "w") as f:
                f.write(self.kernel_log())
