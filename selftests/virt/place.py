# SPDX-License-Identifier: GPL-2.0-or-later
"""One of two hosts between which a domain migrates (across.py), as root.

Makes this host ready: a vGPU that mdevctl defined and started, libvirtd that listens, and what the
domain's devices need, with the same names on both hosts. Then it serves the domain's ports
whenever the domain is here, and prints what its guest prints. It reads "start": the domain begins
here; "explain": what does the domain do? The end of what it reads is its end.
"""

import sys
import threading
import time

sys.dont_write_bytecode = True

from domain import Domain  # noqa: E402
from mdevctl_test import define, install  # noqa: E402
from run import TREE, exists, mdevctl, read, run, running, start_daemons, stop_daemons  # noqa: E402

NAME = "tessera-across"
UUID = "0f6ed1c5-2d5a-4f7c-9d2c-000000000005"
FOLDER = "/run/tessera-vm/across"
FRAME = "min=1 max=3 kind=compute memory=2M"
FIRST = f"slices=2 {FRAME}"
# The guest works until there are so many slices
LAST = 3
LIFE_S = 3000
READY = "place: ready"

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
(examples >$own/examples 2>&1; echo $? >$own/status) &
(out/selftests/mdev/ledger $own/stop; echo "done ledger $?") &
until [ "$(slices)" = {LAST} ]; do sleep 1; done
: >$own/stop
wait
echo "examples $(grep -c '"ok": true' $own/examples) $(grep -c '"ok": false' $own/examples)"
echo "done examples $(cat $own/status)"
"""


def set_up():
    run("modprobe", "-a", "kvm_amd", "vfio_pci", "vfio_iommu_type1")
    install()
    define(UUID, ("blueprint", FIRST))
    mdevctl("start", "-u", UUID)
    start_daemons(listen=True)


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


def tear_down():
    stop_daemons()
    if exists(UUID):
        mdevctl("stop", "-u", UUID)
    mdevctl("undefine", "-u", UUID)


def main():
    set_up()
    domain = Domain(NAME, [UUID], ["sh", "-c", WORK], LIFE_S, folder=FOLDER)
    domain.streams["out"].sink = domain.streams["err"].sink = say
    # Its QEMU goes, and that is what is wanted
    domain.closing = True
    # Besides, this makes what its disks and ports are
    domain.xml()
    domain.open_ports()
    threading.Thread(target=serve, args=(domain,), daemon=True).start()
    print(READY, flush=True)
    for line in sys.stdin:
        if line == "start\n":
            domain.define()
            run("virsh", "start", NAME, timeout=300)
        elif line == "explain\n":
            domain.explain(f"does not get on (it came to: {domain.reached})")
            print("place: explained", flush=True)
    for text in domain.splats():
        print(f"place: the guest complained: {text}", flush=True)
    tear_down()


if __name__ == "__main__":
    main()
