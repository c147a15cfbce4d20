#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Types of vGPUs and their life in sysfs, as KTAP; runs in a host VM.
#
# shellcheck disable=SC2317 # functions are called by name

cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
# shellcheck source=scripts/ktap.sh
. scripts/ktap.sh
# shellcheck source=selftests/mdev/lib.sh
. selftests/mdev/lib.sh

attributes()
{
	for t in $all_types; do
		dir=$types/$driver-$t
		[ "$(cat "$dir/name")" = "Tessera $t" ] || return 1
		[ "$(cat "$dir/device_api")" = vfio-pci ] || return 1
		grep -qE '^num_heads=[01], memory=[0-9]+M, max_resolution=(none|[0-9]+x[0-9]+), max_instance=[0-9]+, slices=[124], kind=[a-z]+, share=(exclusive|shared)$' \
			"$dir/description" || return 1
		# Nothing is in use: all that there can be is available
		[ "$(sed 's/.*max_instance=\([0-9]*\).*/\1/' "$dir/description")" = \
			"$(cat "$dir/available_instances")" ] || return 1
	done
	[ "$(find "$types/" -mindepth 1 -maxdepth 1 | wc -l)" = 22 ]
}

# No slices until a blueprint is written
blank()
{
	remove_all
	before=$(pool)
	dir=$types/$driver-blank
	[ "$(cat "$dir/name")" = "Tessera blank" ] || return 1
	[ "$(cat "$dir/description")" = "num_heads=0, memory=0M, max_resolution=none, max_instance=128, slices=0, kind=none, share=none" ] || return 1
	[ "$(available blank)" = 128 ] || return 1
	u=$(create blank) || return 1
	[ "$(available blank) $(available C1)" = "127 6" ] || return 1
	echo slices=2 kind=compute >"/sys/bus/mdev/devices/$u/blueprint" || return 1
	[ "$(available blank) $(available C1)" = "128 4" ] || return 1
	remove "$u"
	[ "$(pool)" = "$before" ]
}

# rate NAME: of the first slice that renders
rate()
{
	for slice in /sys/class/tessera/gpu0/slices/slice*; do
		[ "$(cat "$slice/kind")" = render ] || continue
		cat "$slice/$1"
		return
	done
}

# shows TYPE SLICES: the largest usual mode of which its slices can fill and read 60 pictures a second,
# and that its memory has room for twice
shows()
{
	pixels=$(($(rate pixel_fill_rate) * $2 / 60))
	bytes=$(($(rate memory_bandwidth) * $2 / 60))
	memory=$(sed 's/.* memory=\([0-9]*\)M,.*/\1/' "$types/$driver-$1/description")
	for size in 7680x4320 5120x2880 3840x2160 2560x1440 1920x1080 1280x720 1024x768 800x600 none; do
		[ "$size" != none ] || return 1
		n=$((${size%x*} * ${size#*x}))
		[ "$n" -gt "$pixels" ] || [ $((n * 4)) -gt "$bytes" ] || [ $((n * 8)) -gt $((memory << 20)) ] ||
			break
	done
	grep -q "^num_heads=1, .* max_resolution=$size, .*kind=render" "$types/$driver-$1/description" ||
		return 1
	u=$(create "$1") || return 1
	dir=/sys/bus/mdev/devices/$u
	grep -q " displays=1@$size@60\$" "$dir/blueprint" || return 1
	grep -q ' heads=0x1 ' "$dir/composition" && grep -qw display "$dir/features" || return 1
	# The same at another rate is more than they can do
	! echo "displays=1@$size@1000" 2>/dev/null >"$dir/blueprint" || return 1
	remove "$u"
}

# Modes of types with display heads, and that others have none
heads()
{
	remove_all
	grep -q '^num_heads=0, .*max_resolution=none' "$types/$driver-R1/description" || return 1
	shows D1 1 && shows D2 2 && shows D4 4
}

# Exactly as many as it says can be made, and all come back
exact()
{
	remove_all
	n=$(available "$1")
	before=$(pool)
	[ "$n" -gt 0 ] || return 1
	i=0
	while [ "$i" -lt "$n" ]; do
		[ "$(available "$1")" = $((n - i)) ] || return 1
		create "$1" >/dev/null || return 1
		i=$((i + 1))
	done
	[ "$(available "$1")" = 0 ] || return 1
	create "$1" 2>&1 | grep -q 'No space left' || return 1
	remove_all
	[ "$(pool)" = "$before" ]
}

# A slice is exclusive or shared, and shared by 8 at most
shared()
{
	remove_all
	before=$(pool)
	grep -q 'share=exclusive$' "$types/$driver-C1/description" || return 1
	grep -q 'memory=2M, .*max_instance=48, .*share=shared$' "$types/$driver-C1S/description" || return 1
	u=$(create C1S) || return 1
	[ "$(available C1) $(available C1S) $(available C2S)" = "5 47 23" ] || return 1
	for i in 1 2 3 4 5; do
		create C1 >/dev/null || return 1
	done
	[ "$(available C1) $(available C1S) $(available C2S)" = "0 7 0" ] || return 1
	remove "$u"
	[ "$(available C1) $(available C1S)" = "1 8" ] || return 1
	remove_all
	[ "$(pool)" = "$before" ]
}

# Different types out of one pool
mixture()
{
	remove_all
	before=$(pool)
	create C2 >/dev/null && create C1 >/dev/null && create M4 >/dev/null || return 1
	[ "$(available C1) $(available C2) $(available C4) $(available M1) $(available R1)" = \
		"3 1 0 0 6" ] || return 1
	remove_all
	[ "$(pool)" = "$before" ]
}

loops()
{
	remove_all
	before=$(pool)
	i=0
	while [ "$i" -lt 30 ]; do
		u=$(create M2) || return 1
		remove "$u" || return 1
		i=$((i + 1))
	done
	[ "$(pool)" = "$before" ]
}

parallel()
{
	remove_all
	before=$(pool)
	for p in 1 2 3 4 5; do
		(
			i=0
			while [ "$i" -lt 8 ]; do
				# There may be none at the moment; then that is the answer
				u=$(create C2 2>/dev/null) && { remove "$u" || exit 1; }
				i=$((i + 1))
			done
		) &
		eval "pid$p=$!"
	done
	# shellcheck disable=SC2154 # set by eval
	for p in $pid1 $pid2 $pid3 $pid4 $pid5; do
		wait "$p" || return 1
	done
	[ "$(pool)" = "$before" ]
}

# libvirt waits a second for a new device. Only told: it depends on the machine
tell_create_time()
{
	remove_all
	start=$(date +%s%N)
	u=$(create C4) || return 1
	echo "# create took $((($(date +%s%N) - start) / 1000000)) ms"
	remove "$u"
}

twice()
{
	remove_all
	u=$(create R1) || return 1
	create R1 "$u" 2>&1 | grep -q 'File exists' || return 1
	remove "$u"
}

nonsense()
{
	remove_all
	for text in "" x 12345678-1234-1234-1234-12345678901 zzzzzzzz-zzzz-zzzz-zzzz-zzzzzzzzzzzz; do
		create C1 "$text" 2>&1 | grep -q 'Invalid argument' || return 1
	done
}

composition()
{
	remove_all
	u=$(create R2) || return 1
	dir=/sys/bus/mdev/devices/$u
	head -n 1 "$dir/composition" |
		grep -q '^generation=[1-9][0-9]* slices=2 slice_mask=0x3 memory=[0-9]* heads=0x0 engines=compute,copy,raster,display$' || return 1
	[ "$(grep -c '^slice [01]: gpu=0 id=[0-9]* kind=render cores=2 ' "$dir/composition")" = 2 ] || return 1
	grep -qw direct-doorbell "$dir/features" && grep -qw blueprint "$dir/features" || return 1
	[ "$(cat "$dir/stats/pinned_pages")" = 0 ] || return 1
	remove "$u"
}

uevents()
{
	remove_all
	udevadm monitor --kernel --property --subsystem-match=pci >/tmp/uevents 2>&1 &
	monitor=$!
	sleep 1
	u=$(create C1) || return 1
	remove "$u"
	sleep 1
	kill "$monitor"
	[ "$(grep -c '^ACTION=change' /tmp/uevents)" -ge 2 ]
}

ktap_begin
all_types="C1 C2 C4 R1 R2 R4 D1 D2 D4 M1 M2 M4 C1S C2S C4S R1S R2S R4S M1S M2S M4S"
remove_all
check "attributes of the types" attributes
check "shared and exclusive types" shared
check "the type without a shape" blank
check "types with a display head" heads
for t in C1 C2 C4 R1 R2 R4 D4 M1 M2 M4 M1S C4S; do
	check "available_instances of $t is exact" exact "$t"
done
check "different types share the pool" mixture
check "30 times create and remove" loops
check "5 processes create and remove" parallel
tell_create_time
check "the same UUID twice" twice
check "what is no UUID" nonsense
check "composition and features" composition
check "change events for the GPU" uevents
ktap_end
