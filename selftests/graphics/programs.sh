#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: selftests/graphics/programs.sh NAME...
#
# In a machine with a (v)GPU and the layer "gl-apps": programs that others wrote draw by the GPU what
# the CPU would draw. On a screen: cube (kmscube), desktop (weston, es2gears), glmark2 (all of its
# scenes; glmark2_stock: by Debian's Mesa). Where there is none: windows (es2gears and scenes of glmark2
# in weston). TAP; "# shoot NAME" asks whoever started this for a picture of the screen, and waits for
# a line; "# said ..." is what glmark2 says of a scene.
#
# shellcheck disable=SC2317 # functions called by name

cd "$(dirname "$0")/../.." || exit 1
case ${1:-} in
-h | --help) sed -n '4,11s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
# shellcheck source=scripts/ktap.sh
. scripts/ktap.sh
# shellcheck source=selftests/graphics/env.sh
. selftests/graphics/env.sh
dir=$(mktemp -d)
export XDG_RUNTIME_DIR="$dir" LIBSEAT_BACKEND=noop
# Some programs end as soon as there is nothing to read for them
mkfifo "$dir/nothing"
exec 8<>"$dir/nothing"

# In front of a command: by the Mesa that Debian has
stock="env -u __EGL_VENDOR_LIBRARY_FILENAMES -u LD_LIBRARY_PATH -u GBM_BACKENDS_PATH
	-u TESSERA_GL_MODULE"

# with NAME WORDS CMD...: WORDS for TESSERA_DEBUG; what it says is kept in $dir/NAME, too
with()
{
	with_name=$1
	export TESSERA_DEBUG="$2"
	shift 2
	"$@" <&8 >"$dir/$with_name" 2>&1
	with_status=$?
	cat "$dir/$with_name"
	return "$with_status"
}

# number NAME WORD: of "tessera: scenes 23 gpu 23 cpu 0 ...", the one behind the word
number()
{
	sed -n "s/^tessera: scenes.* $2 \([0-9]*\).*/\1/p" "$dir/$1" | head -n 1
}

# At least 95 scenes of 100
on_gpu()
{
	grep '^tessera: ' "$dir/$1"
	[ "$(number "$1" gpu)" -gt 0 ] && [ "$((19 * $(number "$1" cpu)))" -le "$(number "$1" gpu)" ]
}

# What the log of a check shows only if that fails
tell_counts()
{
	sed -n 's/^tessera: scenes/# '"$1"': scenes/p' "$dir/$1"
}

no_difference()
{
	grep -E '^tessera: compared [1-9][0-9]* pixels, 0 differ$' "$dir/$1"
}

shoot()
{
	echo "# shoot $1"
	read -r _
}

# A process that stands where its tracer holds it, for some seconds
stands()
{
	for _ in 1 2 3; do
		grep -q '^State:.t ' "/proc/$1/status" 2>/dev/null || return 1
		sleep 1
	done
}

# cube NAME CMD...: by kmscube, which is held back before it ends, so that the screen shows what it
# drew last. Its status says nothing.
cube()
{
	cube_name=$1
	shift
	strace -qqq -o "$dir/calls" -e trace=exit_group -e inject=exit_group:delay_enter=90s "$@" \
		kmscube -D /dev/dri/card0 -c 3 <&8 >"$dir/$cube_name" 2>&1 &
	cube_strace=$!
	until cube_pid=$(pgrep -P "$cube_strace") && stands "$cube_pid"; do
		kill -0 "$cube_strace" 2>/dev/null || { cat "$dir/$cube_name"; return 1; }
		sleep 0.2
	done
	shoot "$cube_name" >&3
	wait "$cube_strace"
	cat "$dir/$cube_name"
	grep -q '^Rendered [1-9]' "$dir/$cube_name"
}

# ---- a screen ----

cube_all()
{
	# shellcheck disable=SC2086 # words
	check "kmscube by Debian's Mesa" cube cube-stock $stock
	export TESSERA_DEBUG=compare,stats
	check "kmscube draws on the screen" cube cube
	tell_counts cube
	check "its scenes are the GPU's" on_gpu cube
	check "no pixel differs from the CPU's" no_difference cube
}

# start_weston BACKEND RENDERER [CMD...]
start_weston()
{
	start_backend=$1 start_renderer=$2
	shift 2
	{
		printf '[core]\nrequire-input=false\n'
		printf '[shell]\nclock-format=none\nstartup-animation=none\nlocking=false\n'
	} >"$dir/weston.ini"
	TESSERA_DEBUG=stats "$@" weston --backend="$start_backend" --renderer=gl --config="$dir/weston.ini" \
		--idle-time=0 --socket=desktop --log="$dir/weston.log" \
		<&8 >"$dir/weston" 2>&1 &
	weston=$!
	start_left=1500
	until [ -S "$dir/desktop" ]; do
		start_left=$((start_left - 1))
		kill -0 "$weston" && [ "$start_left" -gt 0 ] || { cat "$dir/weston.log" "$dir/weston"; return 1; }
		sleep 0.2
	done
	grep "GL renderer: .*$start_renderer" "$dir/weston.log"
}

stop_weston()
{
	kill "$weston"
	wait "$weston"
	stop_status=$?
	cat "$dir/weston.log" "$dir/weston"
	rm -f "$dir/desktop"
	return "$stop_status"
}

turned()
{
	grep '^[1-9][0-9]* frames in' "$dir/gears"
}

# Until it tells how fast it turns, and is ended, which is how it is meant to be used
gears()
{
	TESSERA_DEBUG='' stdbuf -oL "es2gears_wayland.$(uname -m)-linux-gnu" <&8 >"$dir/gears" 2>&1 &
	gears_pid=$!
	gears_left=300
	until turned || [ "$gears_left" -eq 0 ]; do
		kill -0 "$gears_pid" || break
		gears_left=$((gears_left - 1))
		sleep 2
	done
	kill "$gears_pid"
	wait "$gears_pid"
	cat "$dir/gears"
	turned
}

desktop_all()
{
	# shellcheck disable=SC2086 # words
	check "weston comes up by Debian's Mesa" start_weston drm llvmpipe $stock
	shoot desktop-stock
	check "and ends" stop_weston
	check "weston comes up by the GPU" start_weston drm Tessera
	shoot desktop
	export WAYLAND_DISPLAY=desktop
	check "es2gears turns in it" gears
	check "weston ends" stop_weston
	tell_counts weston
	check "its scenes were the GPU's" on_gpu weston
}

# Each scene draws a picture that glmark2 knows at 800x600, or says that it knows none
validated()
{
	! grep -q 'Validation: Failure' "$dir/glmark2" && grep -q 'Validation: Success' "$dir/glmark2"
}

tell_validated()
{
	for tell_word in Success Unknown Failure; do
		echo "# glmark2: $(grep -c "Validation: $tell_word" "$dir/glmark2") $tell_word"
	done
	tell_counts glmark2
}

# It takes the largest mode of the screen, but knows pictures of 800x600: scenes that look at a point off the
# middle fail at other sizes, whoever draws them.
glmark2_stock_all()
{
	# shellcheck disable=SC2086 # words
	check "glmark2 draws its scenes by Debian's Mesa" with glmark2 "" $stock \
		glmark2-es2-drm --off-screen --validate
	sed -n '/Validation: /s/^/# said /p' "$dir/glmark2"
}

glmark2_all()
{
	check "glmark2 draws its scenes" with glmark2 stats glmark2-es2-drm --off-screen --validate
	sed -n '/Validation: /s/^/# said /p' "$dir/glmark2"
	tell_validated
	check "its scenes are the GPU's" on_gpu glmark2
}

# ---- no screen ----

windows_all()
{
	check "weston comes up without a screen" start_weston headless Tessera
	export WAYLAND_DISPLAY=desktop
	check "es2gears turns in it" gears
	check "glmark2 draws in it" with glmark2 stats glmark2-es2-wayland --size 800x600 --validate \
		-b build -b texture -b shading:shading=phong -b loop
	tell_validated
	check "all that it can validate are right" validated
	check "its scenes are the GPU's, too" on_gpu glmark2
	check "weston ends" stop_weston
	tell_counts weston
	check "its scenes were the GPU's" on_gpu weston
}

exec 3>&1
ktap_begin
for name; do
	"${name}_all" || flunk "no program \"$name\""
done
rm -rf "$dir"
ktap_end
