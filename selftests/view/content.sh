#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: selftests/view/content.sh
#
# In a guest with a head: for each line that it reads, shows what the line says, and says
# "played" when the last of it is there. That stays until another line is read.
#
#	text LINES SECONDS	lines on the kernel's console, with so long a time between two
#	window FRAMES RATE	a window that moves (content.c)
#	video FRAMES RATE	a window with noise (content.c)
#	end			nothing more

cd "$(dirname "$0")/../.." || exit 1
case ${1:-} in
-h | --help) sed -n '4,12s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac

# The cursor blinks otherwise
text()
{
	printf '\033[?25l\033[H\033[J' >/dev/tty0
	head -n "$1" Documentation/testing.rst |
		while IFS= read -r line; do
			printf '%.120s\n' "$line" >/dev/tty0
			sleep "$2"
		done
	echo "played text"
	read -r _
}

echo "ready"
while read -r what count rate; do
	case $what in
	text) text "$count" "$rate" ;;
	end) exit 0 ;;
	*) out/selftests/view/content "$what" "$count" "$rate" ;;
	esac
done
