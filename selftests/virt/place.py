# SPDX-License-Identifier: GPL-2.0-or-later
"""One of two hosts between which a domain migrates (across.py), as root.

Makes this host ready: a vGPU that mdevctl defined and started, libvirtd that listens, and what the
domain's devices need, with the same names on both hosts; sshd, if there is one; and a bystander, who
uses slices of the same GPU that no vGPU has. Then it serves the domain's ports whenever the domain
is here, and prints what its guest prints. It reads "start": the domain begins here; "explain": what
does the domain do? The end of what it reads is its end.
"""

import os
import shutil
import signal
import sys
import threading
import time

sys.dont_write_bytecode = True

from domain import Domain  # noqa: E402
from mdevctl_test import define, install  # noqa: E402
from run import (TREE, exists, mdevctl, pid_of, read, run, running, start_daemons,  # noqa: E402
                 stop_daemons)

import hung  # noqa: E402  # of scripts/vm.d, which run.py puts on the path

NAME = "tessera-across"
UUID = "0f6ed1c5-2d5a-4f7c-9d2c-000000000005"
FOLDER = "/run/tessera-vm/across"
# With the layer "opencl" the guest runs OpenCL, too, which needs more of everything.
OPENCL = shutil.which("clinfo") is not None
# With the layer "ssh" the hosts talk as most do.
SSHD = "/usr/sbin/sshd"
SSH = os.path.exists(SSHD)
MEMORY_MIB = 16 if OPENCL else 2
FRAME = f"min=1 max=3 kind=compute memory={MEMORY_MIB}M"
FIRST = f"slices=2 {FRAME}"
# The guest works until there are so many slices
LAST = 3
LIFE_S = 7000
READY = "place: ready"
# Of a bystander, between two results
BREAK_S = 2

WORK = f"""
cd {TREE}
own=/run/across
mkdir $own
slices() {{ cat /sys/class/tessera/gpu0/slices/*/state | grep -cv absent; }}
examples() {{
	while [ ! -e $own/stop ]; do
		out/examples/sgemm --size 48 --json && out/examples/sha256 --json examples/*.c || return 1
	done
}}
# What random kernels leave in memory, first without being moved
mix() {{
	while [ ! -e $own/stop ]; do
		out/selftests/sched/soak check $own/jobs 10 || return 1
	done
}}
# Each launch goes on with what the one before it left in memory.
opencl() {{
	. selftests/opencl/env.sh
	while [ ! -e $own/stop ]; do
		$opencl/test_steady 60 || return 1
	done
}}
# Compiling its kernel takes minutes, while there is nothing else to do
[ {OPENCL:d} = 0 ] || (. selftests/opencl/env.sh; $opencl/test_steady 1) 2>&1 | sed -u 's/^/opencl /'
out/selftests/sched/soak record $own/jobs 1 6
(examples >$own/examples 2>&1; echo $? >$own/status) &
(mix >$own/mix 2>&1; echo "done mix $?") &
([ {OPENCL:d} = 0 ] || opencl; echo "done opencl $?") 2>&1 | sed -u '/^done/!s/^/opencl /' &
(out/selftests/mdev/ledger $own/stop; echo "done ledger $?") &
until [ "$(slices)" = {LAST} ]; do sleep 1; done
: >$own/stop
wait
sed 's/^/mix /' $own/mix
echo "examples $(grep -c '"ok": true' $own/examples) $(grep -c '"ok": false' $own/examples)"
echo "done examples $(cat $own/status)"
"""


def set_up():
    run("modprobe", "-a", "kvm_amd", "vfio_pci", "vfio_iommu_type1")
    hung.trace_shutdowns()
    install()
    define(UUID, ("blueprint", FIRST))
    mdevctl("start", "-u", UUID)
    start_daemons(listen=not SSH)
    if SSH:
        os.makedirs("/run/sshd", exist_ok=True)
        run("ssh-keygen", "-A")
        run(SSHD)


def here():
    """Does the domain have a QEMU on this host?"""
    try:
        return running(int(read(f"/run/libvirt/qemu/{NAME}.pid")))
    except (OSError, ValueError):
        return False


def say(data):
    sys.stdout.write(data.decode(errors="replace"))
    sys.stdout.flush()


def serve(domain):
    """Follow the domain each time that it comes."""
    while True:
        if here():
            try:
                domain.follow()
                domain.thread.join()
            except OSError:
                """It left at once."""
        time.sleep(0.1)


def bystand(end):
    """Work on the GPU that the domain comes to, and say what came of it."""
    while not end.wait(BREAK_S):
        text = run(os.path.join(TREE, "out", "examples", "sgemm"), "--size", "32", "--json",
                   status=None)
        right = '"ok": true' in text
        print("bystander", "right" if right else f"wrong: {text.strip()}", flush=True)


def tear_down():
    stop_daemons()
    if SSH:
        os.kill(pid_of("sshd"), signal.SIGTERM)
    if exists(UUID):
        mdevctl("stop", "-u", UUID)
    mdevctl("undefine", "-u", UUID)


def main():
    set_up()
    domain = Domain(NAME, [UUID], ["sh", "-c", WORK], LIFE_S, folder=FOLDER,
                    layer=OPENCL)
    domain.streams["out"].sink = domain.streams["err"].sink = say
    # Its QEMU goes, and that is what is wanted
    domain.closing = True
    # Besides, this makes what its disks and ports are
    domain.xml()
    domain.open_ports()
    threading.Thread(target=serve, args=(domain,), daemon=True).start()
    end = threading.Event()
    bystander = threading.Thread(target=bystand, args=(end,), daemon=True)
    bystander.start()
    print(READY, flush=True)
    for line in sys.stdin:
        if line == "start\n":
            domain.lost = None
            domain.define()
            run("virsh", "start", NAME, timeout=300)
        elif line == "explain\n":
            if domain.qemu:
                domain.explain(f"does not get on (it came to: {domain.reached})")
            if domain.lost:
                print(f"place: lost: {domain.lost}")
            print("place: explained", flush=True)
    end.set()
    bystander.join()
    for text in domain.splats():
        print(f"place: the guest complained: {text}", flush=True)
    tear_down()


if __name__ == "__main__":
    main()
