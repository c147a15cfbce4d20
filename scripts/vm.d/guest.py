# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/vm guest and its relatives: guest VMs inside a host VM."""

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import traceback

import hung
import machine
import moving
from machine import BIRTH, INFRASTRUCTURE, TIMEOUT, Machine, comma, fail

MODULES = ("tessera", "tessera_chip", "tessera_pci", "tessera_drm")
# What KVM needs on a processor that QEMU translates, except that of 6.12
KVM_TCG = "tessera_kvm_tcg"
GUESTS = "/run/tessera/guests"
CONFIG = "/run/tessera/config"
ROOT_DISK = "/dev/vda"
LAYER_DISK = "/dev/vdb"
IOMMUFD = "/dev/iommu"
# How often a guest is booted that dies, or stands still, before its first program runs.
BIRTHS = 3


def outer_config():
    """What this host VM was started with."""
    if not os.path.exists(CONFIG):
        fail("guests run inside a host VM (scripts/vm host)")
    with open(CONFIG) as f:
        return dict(line.rstrip("\n").replace("'", "").split("=", 1) for line in f)


def load_hypervisor():
    with open("/proc/cpuinfo") as f:
        vendor = "kvm_amd" if " svm" in f.read() else "kvm_intel"
    subprocess.run(["modprobe", "-a", vendor, "vfio_pci", "vfio_iommu_type1"], check=False)


def mend_kvm():
    """Make KVM run on a translated processor; several guests may begin at once."""
    release = os.uname().release
    if release.startswith("6.12."):
        return
    ko = os.path.join(machine.TREE, "out/modules", release, KVM_TCG + ".ko")
    with open("/run/tessera/kvm.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.isdir(f"/sys/module/{KVM_TCG}") and \
                subprocess.run(["insmod", ko], check=False).returncode:
            fail(f"cannot load {os.path.relpath(ko, machine.TREE)} (make modules)")


def choose_accel():
    return "kvm" if os.path.exists("/dev/kvm") else "tcg"


# ---- devices ----------------------------------------------------------------

def port_args(n):
    return ["-device", f"pcie-root-port,id=port{n},chassis={n + 1},slot={n + 1},bus=pcie.0"]


def vgpu_args(n, spec, iommufd, migratable):
    uuid, _, props = spec.partition(",")
    path = f"/sys/bus/mdev/devices/{uuid}"
    if not os.path.isdir(path):
        fail(f"no mediated device {uuid}")
    device = f"vfio-pci,sysfsdev={path},id=vgpu{n},bus=port{n}"
    device += ",iommufd=iommufd" if iommufd else ""
    # Although all memory that the GPU has pinned counts as written
    device += ",enable-migration=on" if migratable else ""
    return port_args(n) + ["-device", device + (f",{props}" if props else "")]


def iommufd_args():
    """One for all vGPUs: the guest's memory is mapped once."""
    if not os.path.exists(IOMMUFD):
        fail("this kernel has no iommufd (host VM with --kernel debug)")
    return ["-object", "iommufd,id=iommufd"]


def host_args(n, bdf):
    return port_args(n) + ["-device", f"vfio-pci,host={comma(bdf)},id=gpu{n},bus=port{n}"]


def vsock_args(cid):
    if subprocess.run(["modprobe", "vhost_vsock"], check=False).returncode:
        fail("this kernel has no VSOCK for guests (vhost_vsock)")
    return ["-device", f"vhost-vsock-pci,guest-cid={cid}"]


def full_bdf(bdf):
    return bdf if bdf.count(":") == 2 else "0000:" + bdf


def write_sysfs(path, text):
    try:
        with open(path, "w") as f:
            f.write(text)
    except OSError as e:
        fail(f"{path}: {e.strerror}")


def bound_driver(dev):
    link = os.path.join(dev, "driver")
    return os.path.basename(os.readlink(link)) if os.path.islink(link) else None


def rebind(dev, bdf, override):
    """Give a PCI device to the driver that override names (empty: any)."""
    if bound_driver(dev):
        write_sysfs(os.path.join(dev, "driver/unbind"), bdf)
    write_sysfs(os.path.join(dev, "driver_override"), (override or "") + "\n")
    write_sysfs("/sys/bus/pci/drivers_probe", bdf)


@contextlib.contextmanager
def assigned(bdf):
    """A PCI device in the hands of vfio-pci, and back with its driver at the end."""
    dev = f"/sys/bus/pci/devices/{bdf}"
    if not os.path.isdir(dev):
        fail(f"no PCI device {bdf}")
    before = bound_driver(dev)
    if before == "vfio-pci":
        yield
        return
    rebind(dev, bdf, "vfio-pci")
    try:
        if bound_driver(dev) != "vfio-pci":
            fail(f"{bdf}: vfio-pci does not take it (host VM without --iommu?)")
        yield
    finally:
        if os.path.isdir(dev):
            rebind(dev, bdf, "")


# ---- running ----------------------------------------------------------------

def boot(opts, prepare=lambda m: None):
    """Run one guest to its end.

    KVM on a translated processor loses a guest now and then while its kernel boots
    (testing.rst): such a guest, in which nothing of ours has run, is booted again.
    """
    outer = outer_config()
    load_hypervisor()
    opts.accel = opts.accel or choose_accel()
    if opts.accel == "kvm" and outer["ACCEL"] == "tcg":
        mend_kvm()
    opts.tsc_khz = outer["TSC_KHZ"]
    opts.kernel = opts.kernel or ".".join(os.uname().release.split(".")[:2])
    opts.host = [full_bdf(b) for b in opts.host]
    translated = outer["ACCEL"] == "tcg"
    doubtful = opts.accel == "kvm" and translated and not opts.incoming
    if doubtful:
        hung.trace_shutdowns()
    with contextlib.ExitStack() as stack:
        for bdf in opts.host:
            stack.enter_context(assigned(bdf))
        for births_left in range(BIRTHS - 1, -1, -1):
            status, stillborn = boot_once(opts, prepare, translated, doubtful and births_left > 0)
            if not stillborn:
                break
            print("vm: guest: stillborn: booting it again", file=sys.stderr, flush=True)
        return status


def boot_once(opts, prepare, translated, doubtful):
    """Returns the status, and whether the guest ended before its first program ran."""
    layer = LAYER_DISK if outer_config()["LAYER"] else None
    tree = moving.tree_image(machine.kernel(opts.kernel)[0], MODULES) if opts.migratable else None
    with Machine(opts, "guest", ROOT_DISK, layer, tree) as m:
        m.translated = translated
        m.may_be_stillborn = doubtful
        m.birth = BIRTH if doubtful else None
        prepare(m)
        argv = m.base_args(() if opts.bare else MODULES)
        if opts.iommufd:
            argv += iommufd_args()
        for n, spec in enumerate(opts.vgpu):
            argv += vgpu_args(n, spec, opts.iommufd, opts.migratable)
        for n, bdf in enumerate(opts.host, len(opts.vgpu)):
            argv += host_args(n, bdf)
        if opts.vsock is not None:
            argv += vsock_args(opts.vsock)
        if opts.incoming:
            argv += ["-incoming", opts.incoming]
            m.on_incoming = moving.await_incoming
        status = m.run(argv + opts.qemu_arg)
        if opts.incoming and not m.boots and not killed(opts):
            moving.tell_refused(m, [spec.partition(",")[0] for spec in opts.vgpu])
        m.keep_log()
        return status, m.stillborn and not killed(opts)


def run(opts):
    if opts.listen and not opts.detach:
        fail("--listen needs --detach")
    if opts.incoming and not opts.migratable:
        fail("--incoming needs --migratable")
    if opts.migratable and (opts.host or opts.vsock is not None or opts.iommufd):
        fail("--migratable does not go with --host, --vsock, --iommufd")
    return detach(opts) if opts.detach else boot(opts)


# ---- detached guests --------------------------------------------------------
# A directory per guest: "lock" is held while it lives, "stdout" and "stderr"
# hold what its command printed, "status" what came of it, "pid" is QEMU's, "in" leads to
# what its command reads, if that listens, "monitor" to QEMU's; "moved" is written when it went on
# elsewhere.

def guest_file(name, leaf):
    if not name or "/" in name or name.startswith("."):
        fail(f"bad guest name {name!r}")
    return os.path.join(GUESTS, name, leaf)


def read_file(path):
    with open(path, "rb") as f:
        return f.read()


def note(name, leaf, text):
    with open(guest_file(name, leaf), "w") as f:
        f.write(text)


def link(name, leaf, target):
    with contextlib.suppress(FileNotFoundError):
        os.unlink(guest_file(name, leaf))
    if target:
        os.symlink(target, guest_file(name, leaf))


def detach(opts):
    """Start a supervisor process; return when the command runs (or never will)."""
    lock = claim(opts.detach)
    ready, tell = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(ready)
        supervise(opts, tell, lock)
    os.close(tell)
    os.close(lock)
    if os.read(ready, 1):
        return 0
    os.waitpid(pid, 0)
    sys.stdout.buffer.write(read_file(guest_file(opts.detach, "stdout")))
    sys.stderr.buffer.write(read_file(guest_file(opts.detach, "stderr")))
    return int(read_file(guest_file(opts.detach, "status")) or b"0") or INFRASTRUCTURE


def claim(name):
    os.makedirs(os.path.dirname(guest_file(name, "lock")), exist_ok=True)
    lock = os.open(guest_file(name, "lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        fail(f"guest {name} is already running")
    for leaf in ("pid", "supervisor", "status", "console", "stdout", "stderr", "killed", "moved"):
        note(name, leaf, "")
    return lock


def supervise(opts, tell, _lock):
    """The process behind a detached guest: never returns."""
    name = opts.detach
    status = INFRASTRUCTURE
    os.setsid()
    redirect(name)

    def prepare(m):
        m.console = guest_file(name, "console")
        link(name, "in", m.path("in.in") if opts.listen else None)
        m.on_spawn = lambda pid: note(name, "pid", f"{pid}\n")
        m.on_start = lambda: os.write(tell, b"1")
        m.has_moved = lambda: bool(read_file(guest_file(name, "moved")))
        link(name, "monitor", m.monitor)
        m.give_up_on(signal.SIGUSR1)
        note(name, "supervisor", f"{os.getpid()}\n")

    try:
        status = boot(opts, prepare)
    except machine.Failure as e:
        os.write(2, f"vm: {e}\n".encode())
    except Exception:
        traceback.print_exc()
    finally:
        note(name, "pid", "")
        note(name, "supervisor", "")
        note(name, "status", f"{status}\n")
        os._exit(0)


def redirect(name):
    null = os.open("/dev/null", os.O_RDONLY)
    os.dup2(null, 0)
    for fd, leaf in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(guest_file(name, leaf), os.O_WRONLY | os.O_APPEND), fd)


def existing(name):
    if not os.path.exists(guest_file(name, "lock")):
        fail(f"no guest {name}")


class OutOfTime(Exception):
    pass


def on_alarm(_number, _frame):
    raise OutOfTime


def wait(opts):
    """The lock is free when the guest is gone."""
    existing(opts.name)
    signal.signal(signal.SIGALRM, on_alarm)
    signal.setitimer(signal.ITIMER_REAL, opts.timeout)
    try:
        with open(guest_file(opts.name, "lock"), "rb") as f:
            fcntl.flock(f, fcntl.LOCK_SH)
    except OutOfTime:
        print(f"vm: guest {opts.name} still runs", file=sys.stderr)
        return TIMEOUT
    signal.setitimer(signal.ITIMER_REAL, 0)
    sys.stdout.buffer.write(read_file(guest_file(opts.name, "stdout")))
    sys.stderr.buffer.write(read_file(guest_file(opts.name, "stderr")))
    return int(read_file(guest_file(opts.name, "status")) or INFRASTRUCTURE)


def running_pid(name, leaf="pid"):
    existing(name)
    text = read_file(guest_file(name, leaf))
    return int(text) if text.strip() else fail(f"guest {name} does not run")


def killed(opts):
    """Whether somebody wanted a guest to end."""
    return bool(opts.detach and read_file(guest_file(opts.detach, "killed")))


def kill(opts):
    target = running_pid(opts.name)
    note(opts.name, "killed", "yes\n")
    os.kill(target, signal.SIGKILL if opts.nine else signal.SIGTERM)
    return 0


def give_up(opts):
    """End a guest as its time limit would: with what it does, and who is to blame."""
    target = running_pid(opts.name, "supervisor")
    note(opts.name, "killed", "yes\n")
    os.kill(target, signal.SIGUSR1)
    return 0


def move(opts):
    """Let a migratable guest go on in another QEMU, or in a file."""
    running_pid(opts.name)
    try:
        return moving.move(guest_file(opts.name, "monitor"), opts.uri, opts.bandwidth,
                           lambda: note(opts.name, "moved", "yes\n"))
    except OSError as e:
        return fail(f"guest {opts.name}: {e}")


def tell(opts):
    """A line for the guest's command; QEMU holds it until that reads it."""
    existing(opts.name)
    try:
        fd = os.open(guest_file(opts.name, "in"), os.O_WRONLY | os.O_NONBLOCK)
    except OSError:
        return fail(f"guest {opts.name} does not listen")
    os.set_blocking(fd, True)
    os.write(fd, (" ".join(opts.word) + "\n").encode())
    os.close(fd)
    return 0


def pid(opts):
    print(running_pid(opts.name))
    return 0


def console(opts):
    existing(opts.name)
    sys.stdout.buffer.write(read_file(guest_file(opts.name, "console")))
    return 0
