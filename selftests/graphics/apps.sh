#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# In a host VM with the layer "gl-apps": programs that others wrote, in a KVM guest on the display head
# of its vGPU, by Debian's Mesa and by the GPU. Pictures of the head are left in out/gl-apps; those by
# the one and by the other have to be alike, for eyes. TAP.

cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=scripts/ktap.sh
. scripts/ktap.sh
read -r uuid </proc/sys/kernel/random/uuid
ctl=out/tools/cli/tesseractl
qmp=/tmp/gl-apps-qmp
pictures=out/gl-apps

dump()
{
	selftests/mdev/qmp.py "$qmp" screendump \
		"{\"device\": \"vgpu0\", \"head\": 0, \"filename\": \"$1\"}" >&2
}

# Something is on the screen: not all is black
shows_something()
{
	[ "$(tail -c +20 "$1" | tr -d '\000' | wc -c)" -gt 10000 ]
}

# Until the head shows the same for some seconds: a desktop comes up in steps
still()
{
	dump "/tmp/$1.ppm" || return 1
	still_left=40
	while [ "$still_left" -gt 0 ]; do
		sleep 4
		dump "/tmp/$1-next.ppm" || return 1
		shows_something "/tmp/$1.ppm" && cmp -s "/tmp/$1.ppm" "/tmp/$1-next.ppm" && break
		mv "/tmp/$1-next.ppm" "/tmp/$1.ppm"
		still_left=$((still_left - 1))
	done
	cp "/tmp/$1.ppm" "$pictures"
}

# What the host knows of the vGPU besides
seen()
{
	"$ctl" profile "$uuid" >"/tmp/$1.profile"
	cp "/sys/bus/mdev/devices/$uuid/heads" "/tmp/$1.heads"
	sed "s/^/# $1: /" "/tmp/$1.profile" "/tmp/$1.heads"
}

# The picture that was shown last, or its damage: "0,0-1024,768"
size_of() { sed -n 's/.*size=\([0-9]*\)x\([0-9]*\) .*/0,0-\1,\2/p' "/tmp/$1.heads"; }
damage_of() { sed -n 's/.*last=//p' "/tmp/$1.heads"; }

# What the guest prints; it gets the pictures that it asks for
follow()
{
	tail -n +1 -f --pid="$(scripts/vm pid gl)" /run/tessera/guests/gl/stdout | while read -r line; do
		echo "$line"
		echo "# $line" >&2
		case $line in
		"# shoot "*)
			still "${line##* }" >&2
			seen "${line##* }"
			scripts/vm tell gl shot
			;;
		esac
	done
}

# programs NAME WORD...: these, in a guest, which says so in /tmp/NAME.said. Another guest begins
# again if the emulator lost it, on proof: each takes many minutes.
programs()
{
	programs_name=$1
	shift
	programs_left=3
	while [ "$programs_left" -gt 0 ]; do
		scripts/vm guest --mem 2G --timeout 3300 --vgpu "$uuid,display=on" --qmp "$qmp" --listen \
			--detach gl -- selftests/graphics/programs.sh "$@" || return 1
		follow >"/tmp/$programs_name.said"
		scripts/vm wait gl >/dev/null 2>/tmp/gl-end
		programs_status=$?
		grep -q 'emulator lost this machine' /tmp/gl-end || break
		programs_left=$((programs_left - 1))
		echo "# a guest was lost, $(grep -c '^ok' "/tmp/$programs_name.said") tests after it began" >&2
	done
	cat /tmp/gl-end >&2
	cat "/tmp/$programs_name.said"
	return "$programs_status"
}

# What glmark2 says of each scene on this screen, by Debian's Mesa and by the GPU
validated_alike()
{
	for alike_by in stock gpu; do
		grep '^# said ' "/tmp/$alike_by.said" >"/tmp/$alike_by.scenes"
	done
	grep -q 'Validation: Success' /tmp/gpu.scenes && diff /tmp/stock.scenes /tmp/gpu.scenes
}

mkdir -p "$pictures"
modprobe vfio_iommu_type1 || exit 1
"$ctl" create --uuid "$uuid" slices=4 kind=mixed memory=32M heads=1 >&2 || exit 1
status=0
programs pictures cube desktop || status=1
programs stock glmark2_stock || status=1
programs gpu glmark2 || status=1
ktap_begin
check "programs in guests" test "$status" -eq 0
check "glmark2 says the same of each scene as by Debian's Mesa" validated_alike
for name in cube desktop; do
	check "$name: alike by Debian's Mesa and by the GPU" selftests/graphics/alike.py \
		"/tmp/$name-stock.ppm" "/tmp/$name.ppm"
done
check "the profile has operations" grep -E 'ops=[1-9]' /tmp/cube.profile
check "all of a picture is damaged by Debian's Mesa" \
	test "$(damage_of cube-stock)" = "$(size_of cube-stock)"
check "by the GPU it is what was drawn" test "$(damage_of cube)" != "$(size_of cube)"
ktap_end
