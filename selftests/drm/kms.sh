#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# In a host VM: display heads as KVM guests see them, as KTAP. A guest with one head, that sleeps, one whose
# heads come and go while it shows something, one whose host never tells that it shows it, what the
# host knows of changes in a guest's pictures, and what QEMU shows of what a guest does, or its kernel
# as long as no program does.
#
# shellcheck disable=SC2016,SC2317 # for the shell of a guest; functions called by name

cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
# shellcheck source=scripts/ktap.sh
. scripts/ktap.sh
# shellcheck source=selftests/lib/await.sh
. selftests/lib/await.sh
uuid=5e1ec7ed-0000-4000-8000-00000000d150
dev=/sys/bus/mdev/devices/$uuid
gpu=/sys/class/tessera/gpu0
no_flip=/sys/module/tessera/parameters/no_flip

compose()
{
	echo "slices=1 kind=mixed memory=32M heads=$*" >"$dev/blueprint"
}

setup()
{
	echo "$uuid" >"$gpu/device/mdev_supported_types/${TESSERA_DRIVER:-tessera_pci}-blank/create" && compose "$@"
}

teardown()
{
	echo 1 >"$dev/remove"
}

# The tree, which the guest shares, does not survive the guest's sleep
one_head()
{
	setup 1 path=remote &&
		scripts/vm guest --vgpu "$uuid" --timeout 900 -- sh -c 'selftests/drm/run.sh kms kms_crc
			status=$?
			cp out/selftests/drm/kms_sleep /run/ && cd /run && ./kms_sleep && exit $status'
	one_status=$?
	teardown
	return "$one_status"
}

# What a guest prints, and then "status N": does what it asks for
as_told()
{
	told_status=1
	while read -r told_line; do
		echo "$told_line"
		case $told_line in
		"# heads "*) compose "${told_line##* }" ;;
		"# path "*) compose 1 "path=${told_line##* }" ;;
		"# totals "*)
			cat "$dev/heads" >"$answers/new" &&
				mv "$answers/new" "$answers/${told_line##* }"
			;;
		"status "*) told_status=${told_line#status } ;;
		esac
	done
	return "$told_status"
}

heads_come_and_go()
{
	setup 1 || return 1
	{
		scripts/vm guest --vgpu "$uuid" --timeout 300 -- out/selftests/drm/kms_hotplug
		echo "status $?"
	} | as_told
	go_status=$?
	teardown
	return "$go_status"
}

# A host that is told to keep it to itself
frames_without_flips()
{
	setup 1 && echo Y >"$no_flip" &&
		scripts/vm guest --vgpu "$uuid" --timeout 300 -- out/selftests/drm/kms_frames
	frames_status=$?
	echo N >"$no_flip"
	teardown
	return "$frames_status"
}

damage()
{
	answers=out/kms-answers.$$
	mkdir -p "$answers" && setup 1 || return 1
	{
		scripts/vm guest --vgpu "$uuid" --timeout 500 -- \
			env TESSERA_ANSWERS="$answers" selftests/drm/run.sh kms_damage kms_cursor
		echo "status $?"
	} | as_told
	damage_status=$?
	teardown
	rm -rf "$answers"
	return "$damage_status"
}

# until_printed GUEST TEXT
until_printed()
{
	printed_left=600
	until grep -q "^$2" "/run/tessera/guests/$1/stdout"; do
		printed_left=$((printed_left - 1))
		[ "$printed_left" -gt 0 ] || return 1
		sleep 0.2
	done
}

# screendump QMP FILE
screendump()
{
	selftests/mdev/qmp.py "$1" screendump \
		"{\"device\": \"vgpu0\", \"head\": 0, \"filename\": \"$2\"}"
}

# Drawn through the driver, and dumped by QEMU: the same, pixel by pixel
picture()
{
	setup 1 || return 1
	scripts/vm guest --vgpu "$uuid,display=on" --qmp /tmp/kms-qmp --detach kms -- \
		out/selftests/drm/kms_pattern -t 30 || return 1
	until_printed kms "head 0 shows 1024x768" && screendump /tmp/kms-qmp /tmp/kms-shot.ppm || return 1
	out/selftests/drm/kms_pattern -p 1024x768 >/tmp/kms-want.ppm
	cmp /tmp/kms-want.ppm /tmp/kms-shot.ppm || return 1
	scripts/vm wait kms --timeout 100 && teardown
}

# shows QMP PPM: on head 0, which QEMU has
shows() { screendump "$1" /tmp/kms-shot.ppm && cmp "$2" /tmp/kms-shot.ppm; }

# shows_also PPM: on head 1, which viewers have
shows_also() { out/selftests/mdev/picture "$uuid" 1 >/tmp/kms-shot.ppm && cmp "$1" /tmp/kms-shot.ppm; }

# comes_true CMD...: the kernel copies what was written to its frame buffer at a time of its own
comes_true() { condition 20 "$@"; }

# one_colour LETTER: a picture all of whose bytes are the letter
one_colour()
{
	printf 'P6\n1024 768\n255\n'
	head -c $((1024 * 768 * 3)) /dev/zero | tr '\0' "$1"
}

# seen PRINTED PPM PPM: the guest says that it shows them, and so it does
seen()
{
	until_printed console "$1" && comes_true shows /tmp/console-qmp "$2" &&
		comes_true shows_also "$3" && scripts/vm tell console seen
}

# What the kernel of a guest shows on its heads as long as no program does
console()
{
	out/selftests/drm/kms_pattern -p 1024x768 >/tmp/console-pattern.ppm
	one_colour U >/tmp/console-U.ppm
	one_colour f >/tmp/console-f.ppm
	setup 2 || return 1
	scripts/vm guest --vgpu "$uuid,display=on" --qmp /tmp/console-qmp --timeout 500 --listen \
		--detach console -- selftests/drm/console.sh || return 1
	seen "see: U 1024x768" /tmp/console-U.ppm /tmp/console-U.ppm &&
		seen "head 0 shows 1024x768" /tmp/console-pattern.ppm /tmp/console-U.ppm &&
		seen "see: U 1024x768 again" /tmp/console-U.ppm /tmp/console-U.ppm &&
		seen "see: f 1024x768" /tmp/console-f.ppm /tmp/console-f.ppm
	console_status=$?
	[ "$console_status" -eq 0 ] || scripts/vm give-up console
	scripts/vm wait console --timeout 200 && teardown && return "$console_status"
}

# is_panic PPM: text on its background and nothing else
is_panic()
{
	panic_other=$(tail -c +17 "$1" | tr -d '\000\377' | wc -c)
	panic_text=$(tail -c +17 "$1" | tr -d '\000' | wc -c)
	[ "$panic_other" -eq 0 ] && [ "$panic_text" -gt 1000 ]
}

pictures_shown() { sed -n 's/.* shown=\([0-9]*\) .*/\1/p' "$dev/heads"; }

comes_to_panic()
{
	panic_left=60
	until screendump "$1" /tmp/panic-shot.ppm && is_panic /tmp/panic-shot.ppm; do
		panic_left=$((panic_left - 1))
		[ "$panic_left" -gt 0 ] || return 1
		sleep 1
	done
}

# The kernel of a guest panics while a program shows something; viewers are told that all changed
panic()
{
	setup 1 || return 1
	scripts/vm guest --vgpu "$uuid,display=on" --qmp /tmp/panic-qmp --timeout 400 --listen \
		--detach panic -- selftests/drm/panic.sh || return 1
	panic_status=1
	if until_printed panic "head 0 shows 1024x768"; then
		panic_before=$(pictures_shown)
		scripts/vm tell panic go
		comes_to_panic /tmp/panic-qmp && [ "$(pictures_shown)" -gt "$panic_before" ]
		panic_status=$?
	fi
	cat "$dev/heads"
	scripts/vm kill panic
	scripts/vm wait panic --timeout 100
	teardown && return "$panic_status"
}

ktap_begin
free=$(cat "$gpu/slices_free")
check "a guest with one head, which sleeps and wakes up" one_head
check "heads come and go while a guest uses them" heads_come_and_go
check "a host that sends frames and no flips" frames_without_flips
check "the host knows what changed in a guest's pictures, and tells it who shows cursors" damage
check "QEMU shows what a guest draws through DRM" picture
check "heads show the console of a guest, also after a program, and after its driver was unbound" \
	console
# Guests have the kernel of the host
if [ -e /sys/module/drm/parameters/panic_screen ]; then
	check "QEMU shows the panic screen of a guest" panic
else
	skip "QEMU shows the panic screen of a guest" "this kernel is without DRM_PANIC"
fi
check "all slices are back" test "$(cat "$gpu/slices_free")" = "$free"
ktap_end
