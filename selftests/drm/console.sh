#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: selftests/drm/console.sh
#
# In a guest with a head: the frame buffer of its console gets one colour, is there again after a
# program that showed something else, leaves with the device and with the driver, and is back with
# them. After each step it prints what is to be seen, and reads a line from whoever looked at it.

cd "$(dirname "$0")/../.." || exit 1
case ${1:-} in
-h | --help) sed -n '4,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
# shellcheck source=selftests/lib/await.sh
. selftests/lib/await.sh
fb=/sys/class/graphics/fb0
driver=/sys/bus/pci/drivers/tessera_pci

is_there() { [ "$(cat "$fb/name" 2>/dev/null)" = tesseradrmfb ]; }
is_gone() { ! [ -e "$fb" ]; }

# fill LETTER: all bytes of the frame buffer. The cursor would be drawn over them. DRM's helper of 6.12
# forgets what is written if that is just one line, as from a pipe: it is written in large pieces.
fill()
{
	condition 30 is_there || { echo "no frame buffer of a console" >&2; return 1; }
	printf '\033[?25l' >/dev/tty0
	IFS=, read -r width height <"$fb/virtual_size"
	read -r stride <"$fb/stride"
	head -c $((stride * height)) /dev/zero | tr '\0' "$1" >/tmp/console-fill &&
		dd if=/tmp/console-fill of=/dev/fb0 bs=1M status=none
}

# see WHAT: until it was seen
see()
{
	echo "see: $1"
	read -r _
}

# A program has the head until it was seen
program()
{
	rm -f /tmp/console-seen
	out/selftests/drm/kms_pattern -t 300 -u /tmp/console-seen &
	pattern=$!
	read -r _
	touch /tmp/console-seen
	wait "$pattern"
}

leaves() { condition 30 is_gone || { echo "the frame buffer stays" >&2; return 1; }; }

# A program has the frame buffer open meanwhile, and closes it later
rebind()
{
	for device in "$driver"/0000:*; do
		name=${device##*/}
		exec 3>/dev/fb0
		echo "$name" >"$driver/unbind" && leaves || return 1
		! echo late 2>/dev/null >&3 || { echo "there is still a frame buffer" >&2; return 1; }
		echo "$name" >"$driver/bind" || return 1
		exec 3>&-
	done
}

# The console keeps no module
reload()
{
	rmmod tessera_pci && leaves && insmod "out/modules/$(uname -r)/tessera_pci.ko" &&
		condition 30 is_there
}

fill U && see "U ${width}x$height" && program && see "U ${width}x$height again" && rebind &&
	fill f && see "f ${width}x$height" && reload
