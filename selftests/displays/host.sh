#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# In a host VM with the layer "displays": programs that others wrote, in a KVM guest on the display
# head of its vGPU, and what QEMU shows meanwhile. TAP.
#
# shellcheck disable=SC2317 # functions called by name

cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=scripts/ktap.sh
. scripts/ktap.sh
# shellcheck source=selftests/lib/await.sh
. selftests/lib/await.sh
read -r uuid </proc/sys/kernel/random/uuid
ctl=out/tools/cli/tesseractl
qmp=/tmp/displays-qmp
pictures=out/displays

# shot NAME: what QEMU shows now
shot()
{
	selftests/mdev/qmp.py "$qmp" screendump \
		"{\"device\": \"vgpu0\", \"head\": 0, \"filename\": \"$pictures/$1.ppm\"}" >&2
}

# plain NAME: a picture of one colour, as modetest fills it
plain()
{
	[ "$(tail -c +17 "$pictures/$1.ppm" | tr -d w | wc -c)" -eq 0 ]
}

shows_plain() { shot "$1" && plain "$1"; }
stays() { shot "$1" && sleep 2 && shot next && cmp -s "$pictures/$1.ppm" "$pictures/next.ppm"; }

# What the guest prints; it gets the pictures that it asks for
follow()
{
	tail -n +1 -f --pid="$(scripts/vm pid displays)" /run/tessera/guests/displays/stdout |
		while read -r line; do
			echo "$line"
			case $line in
			"# shoot weston") condition 20 stays weston ;;
			"# shoot "*) condition 40 shows_plain "${line##* }" ;;
			*) continue ;;
			esac
			scripts/vm tell displays shot
		done
}

in_guest()
{
	scripts/vm guest --mem 1G --timeout 800 --vgpu "$uuid,display=on" --qmp "$qmp" --listen \
		--detach displays -- selftests/displays/programs.sh || return 1
	follow
	scripts/vm wait displays >/dev/null
}

# Both have the same pixels, and more than one colour
same()
{
	pngtopnm "$pictures/$1.png" >"$pictures/own.ppm" &&
		cmp "$pictures/own.ppm" "$pictures/$1.ppm" &&
		[ "$(ppmhist -noheader "$pictures/own.ppm" | wc -l)" -gt 1 ]
}

rm -rf "$pictures"
mkdir -p "$pictures"
modprobe vfio_iommu_type1 || exit 1
"$ctl" create --uuid "$uuid" slices=1 kind=mixed memory=64M heads=1 >&2 || exit 1
in_guest
status=$?
ktap_begin
check "programs in a guest" test "$status" -eq 0
check "QEMU shows what modetest does" plain modetest
check "and by atomic commits" plain modetest-atomic
check "QEMU shows the desktop that weston's own screenshot has" same weston
ktap_end
