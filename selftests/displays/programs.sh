#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: selftests/displays/programs.sh
#
# In a guest with a vGPU with a head, and the layer "displays": programs of libdrm, and weston, which
# draws by the CPU. TAP; "# shoot NAME" asks whoever started this for a picture of the screen, and
# waits for a line.
#
# shellcheck disable=SC2317 # functions called by name

cd "$(dirname "$0")/../.." || exit 1
case ${1:-} in
-h | --help) sed -n '4,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
# shellcheck source=scripts/ktap.sh
. scripts/ktap.sh
# shellcheck source=selftests/lib/await.sh
. selftests/lib/await.sh
dir=$(mktemp -d)
pictures=$PWD/out/displays
export XDG_RUNTIME_DIR="$dir" LIBSEAT_BACKEND=noop
# What programs read: a line ends them
mkfifo "$dir/keys"
exec 8<>"$dir/keys"

shoot()
{
	echo "# shoot $1"
	read -r _
}

# ---- libdrm ----

# first CONNECTORS|PLANES: the number of the first one in what modetest prints
first()
{
	sed -n "/^$1:/,\$s/^\([0-9][0-9]*\)\t.*/\1/p" "$dir/list" | head -n 1
}

lists()
{
	modetest -M tessera >"$dir/list" 2>&1 || { cat "$dir/list"; return 1; }
	grep -E '^[0-9]+.*connected.*Virtual-1' "$dir/list" &&
		grep -E '#0 1024x768' "$dir/list" &&
		connector=$(first Connectors) crtc=$(first CRTCs) plane=$(first Planes) &&
		[ -n "$connector" ] && [ -n "$crtc" ] && [ -n "$plane" ]
}

# shown NAME MODETEST-OPTION...: sets a mode, and ends when its picture was taken
shown()
{
	shown_name=$1
	shift
	stdbuf -oL modetest -M tessera "$@" <&8 >"$dir/modetest" 2>&1 &
	shown_pid=$!
	condition 60 grep -q 'setting mode 1024x768' "$dir/modetest" && shoot "$shown_name" >&3
	shown_set=$?
	echo >&8
	wait "$shown_pid"
	shown_status=$?
	cat "$dir/modetest"
	[ "$shown_set" -eq 0 ] && ! grep -qi 'failed' "$dir/modetest" && return "$shown_status"
}

# paced FILE: what a program measured, in frames that the host gives: as many as the mode has, or less
# on a machine that is too slow for them
paced()
{
	cat "$1"
	paced_rate=$(sed -n 's/.*freq: \([0-9]*\)[.0-9]*Hz.*/\1/p' "$1" | tail -n 1)
	[ -n "$paced_rate" ] && [ "$paced_rate" -ge 1 ] && [ "$paced_rate" -le 62 ] &&
		! grep -qi 'failed' "$1"
}

# rate NAME CMD...: what it prints for 60 frames, or more, until it is killed: some of these programs never
# end by themselves
rate()
{
	rate_file=$dir/$1
	shift
	stdbuf -oL -eL "$@" <&8 >"$rate_file" 2>&1 &
	rate_pid=$!
	condition 120 grep -q 'freq: ' "$rate_file"
	kill "$rate_pid"
	wait "$rate_pid"
	paced "$rate_file"
}

# property NAME: its number, and its value now
property()
{
	proptest -M tessera >"$dir/properties" 2>&1 || { cat "$dir/properties" >&2; return 1; }
	awk -v name="$1:" '$2 == name { id = $1 }
		id && $1 == "value:" { print id, $2; exit }' "$dir/properties"
}

properties()
{
	property DPMS >"$dir/dpms" || return 1
	for name in EDID DPMS link-status; do
		grep "[0-9] $name:" "$dir/properties" || return 1
	done
}

# turned VALUE: the monitor, by its property, which then has the value
turned()
{
	proptest -M tessera "$connector" connector "$dpms" "$1" && property DPMS >"$dir/dpms" &&
		cat "$dir/dpms" && grep -qx "$dpms $1" "$dir/dpms"
}

# As long as any file is open, the console does not come back, which would turn the monitor on
monitor()
{
	exec 9<>/dev/dri/renderD128
	read -r dpms _ <"$dir/dpms" && turned 3 && turned 0
	monitor_status=$?
	exec 9>&-
	return "$monitor_status"
}

libdrm_all()
{
	check "modetest finds head, mode and properties" lists
	check "modetest shows a picture" shown modetest -F plain -s "$connector@$crtc:1024x768"
	check "modetest flips" rate flips modetest -M tessera -s "$connector@$crtc:1024x768" -v
	check "modetest shows a picture by an atomic commit" shown modetest-atomic -a -F plain \
		-s "$connector@$crtc:1024x768" -P "$plane@$crtc:1024x768"
	check "modetest flips by atomic commits" rate atomic-flips modetest -M tessera -a \
		-s "$connector@$crtc:1024x768" -P "$plane@$crtc:1024x768" -v
	check "vbltest gets vertical blanks" rate vblanks vbltest -M tessera
	grep freq "$dir/flips" "$dir/atomic-flips" "$dir/vblanks" | sed 's/^.*\//# /'
	check "proptest lists properties" properties
	check "proptest turns the monitor off and on" monitor
}

# ---- weston ----

start_weston()
{
	{
		printf '[core]\nrequire-input=false\n'
		printf '[shell]\nclock-format=none\nstartup-animation=none\nlocking=false\n'
	} >"$dir/weston.ini"
	weston --backend=drm --renderer=pixman --config="$dir/weston.ini" --idle-time=0 --debug \
		--socket=desktop --log="$dir/weston.log" <&8 >"$dir/weston" 2>&1 &
	weston=$!
	condition 120 test -S "$dir/desktop" && return 0
	cat "$dir/weston.log" "$dir/weston"
	return 1
}

# A picture of one colour, before the shell has drawn anything, is smaller
drawn()
{
	rm -f "$dir"/wayland-screenshot*.png
	(cd "$dir" && WAYLAND_DISPLAY=desktop timeout 120 weston-screenshooter) &&
		[ "$(cat "$dir"/wayland-screenshot*.png | wc -c)" -gt 20000 ]
}

screenshot()
{
	condition 30 drawn && mv "$dir"/wayland-screenshot*.png "$pictures/weston.png"
}

stop_weston()
{
	kill "$weston"
	wait "$weston"
	stop_status=$?
	cat "$dir/weston.log" "$dir/weston"
	return "$stop_status"
}

weston_all()
{
	check "weston comes up" start_weston
	check "weston takes a screenshot" screenshot
	shoot weston
	check "weston ends" stop_weston
}

exec 3>&1
ktap_begin
libdrm_all
weston_all
ktap_end
