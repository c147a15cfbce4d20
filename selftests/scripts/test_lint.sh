#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The checkers of kernel code, as KTAP: what sparse warns of fails a build, and what
# scripts/rooms, scripts/arrows and scripts/locks find fails the lint.
#
# shellcheck disable=SC2016,SC2317 # quotes of documents; functions are called by name

cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
# shellcheck source=scripts/ktap.sh
. scripts/ktap.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

sparse()
{
	echo "$1" >"$dir/file.c"
	scripts/sparse -Wbitwise "$dir/file.c"
}

# Two rooms, and the includes of a file of the lower one, against KNOWN exceptions
rooms()
{
	known=$1
	tree=$dir/tree
	rm -rf "$tree"
	mkdir -p "$tree/Documentation" "$tree/drivers/core/top" "$tree/drivers/core/low"
	# shellcheck disable=SC2016 # quotes of the document
	printf '%s\n' "Rooms of the core" "=====" "" "${beside:-}" \
		'``top/``  '"${table:-low}"'  above' '``low/'"${door:-}"'``  none  below' "" "$known" "" \
		"Next" "=====" "    low/a.c: top/other.h" >"$tree/Documentation/architecture.rst"
	: >"$tree/drivers/core/low/own.h"
	: >"$tree/drivers/core/low/other.h"
	: >"$tree/drivers/core/top/top.h"
	printf '#include "low/other.h"\n/* f(x) */\nstruct a {\n\tint (*f)(int);\n};\n%s\n' \
		"${state:-}" >"$tree/drivers/core/top/state.h"
	[ -z "${stray:-}" ] || printf '#include "top/top.h"\n' >"$tree/drivers/core/$stray"
	printf '#include "low/other.h"\n' >"$tree/drivers/core/top/t.c"
	printf '#include <linux/top/top.h>\n#include "%s"\n' "$2" >"$tree/drivers/core/low/a.c"
	scripts/rooms "$tree"
}

# A module of two rooms. Each argument is a file and the functions that it calls, low/a:t b; its own
# is called as it is
arrows()
{
	tree=$dir/tree
	build=$tree/out/build/1.0/drivers/core
	rm -rf "$tree"
	mkdir -p "$tree/Documentation" "$tree/drivers/core/top" "$tree/drivers/core/low" \
		"$build/top" "$build/low"
	printf '%s\n' "Rooms of the core" "=====" "" "${beside:-}" '``top/``  low  above' \
		'``low/``  none  below' "" "Next" "=====" >"$tree/Documentation/architecture.rst"
	for file; do
		name=${file%%:*}
		: >"$tree/drivers/core/$name.c"
		for call in ${file#*:}; do
			echo "void $call(void);" >>"$tree/drivers/core/$name.c"
		done
		echo "void ${name#*/}(void) { $(echo "${file#*:}" | sed 's/[a-z]\+/&();/g') }" \
			>>"$tree/drivers/core/$name.c"
		cc -c -o "$build/$name.o" "$tree/drivers/core/$name.c"
		echo "$build/$name.o" >>"$build/tessera.mod"
	done
	[ -z "${changed:-}" ] || touch -d "+1 minute" "$tree/drivers/core/$changed"
	scripts/arrows "$tree"
}

# A structure with two locks and a file with one, a table of rows, and the list of those in ORDER
locks()
{
	tree=$dir/tree
	rm -rf "$tree"
	mkdir -p "$tree/Documentation" "$tree/drivers/a"
	printf '%s\n' 'struct tess_a {' '	/* spinlock_t gone; */' '	struct mutex lock;' \
		'	spinlock_t irq_lock;' '};' 'static DEFINE_MUTEX(list_lock);' >"$tree/drivers/a/a.c"
	{
		printf '%s\n' "==== ====" "$@" "==== ====" "One order of all locks" "======================"
		# shellcheck disable=SC2086 # a list
		printf '#. ``%s``\n' $order
	} >"$tree/Documentation/locking.rst"
	scripts/locks "$tree"
}

says()
{
	text=$1
	shift
	"$@" | grep -qF -- "$text"
}

ktap_begin
expect "sparse: nothing wrong" 0 sparse 'static int a(void) { return 1; } int b(void); int b(void) { return a(); }'
expect "sparse: a symbol nobody declared" 1 sparse 'int a = 1;'
expect "sparse: byte order" 1 sparse 'typedef int __attribute__((bitwise)) le; int b(le a); int b(le a) { return a + 1; }'
expect "rooms: a header of the same room, and of a room below" 0 rooms "" own.h
expect "rooms: a header of a room above" 1 rooms "" top/top.h
expect "rooms: the line and the reason are named" 0 says \
	"drivers/core/low/a.c:2: low may not include headers of top" rooms "" top/top.h
expect "rooms: an exception that is listed" 0 rooms "    low/a.c: top/top.h" top/top.h
expect "rooms: an exception that is not needed" 1 rooms "    low/a.c: top/top.h" own.h
expect "rooms: an exception is for one file" 1 rooms "    low/own.h: top/top.h" top/top.h
expect "rooms: its own room by name" 1 rooms "" low/own.h
expect "rooms: a way around by .." 1 rooms "" ../top/top.h
expect "rooms: another room without its name" 1 rooms "" top.h
expect "rooms: a room that is not in the table" 1 rooms "" attic/own.h
door=other.h
expect "rooms: the door of a room below" 0 rooms "" own.h
door=own.h
expect "rooms: another header than the door" 1 rooms "" own.h
expect "rooms: the door is named" 0 says \
	"top/t.c:1: low/other.h is not the door of low/: include low/own.h" rooms "" own.h
door=
stray=flat.c
expect "rooms: a file in no room" 1 rooms "" own.h
beside='``./``  top, low  beside them'
expect "rooms: a file beside the rooms that may include them" 0 rooms "" own.h
beside='``./``  low  beside them'
expect "rooms: a file beside the rooms against its row" 1 rooms "" own.h
beside=
stray=
expect "rooms: structures of a room above" 0 rooms "" top/state.h
state='int f(int x);'
expect "rooms: a function beside the structures" 1 rooms "" top/state.h
state='#include "top.h"'
expect "rooms: structures that bring a room along" 1 rooms "" top/state.h
state=
table="low, attic"
expect "rooms: a table that names a room that is not below" 1 rooms "" own.h
table=none
expect "rooms: the table is what counts" 1 rooms "" own.h
table=
expect "rooms: a table of a folder that is not there" 0 says "there is no drivers/mdev" rooms \
	"Rooms of tessera_mdev
=====" own.h
expect "arrows: calls in a room and to the room below" 0 arrows "top/t:a b" low/a:b low/b:
expect "arrows: a call to the room above" 1 arrows top/t: low/a:t
expect "arrows: who calls what is named" 0 says \
	"drivers/core: low/a.c needs t of top/t.c, which is in no room below it" arrows top/t: low/a:t
expect "arrows: a circle of four files" 0 arrows low/a:b low/b:c low/c:d low/d:a
expect "arrows: a circle of five files" 1 arrows low/a:b low/b:c low/c:d low/d:e low/e:a
expect "arrows: two circles with a file in common are one" 1 \
	arrows "low/a:b d" low/b:c low/c:a low/d:e low/e:a
expect "arrows: files of a circle are named" 0 says "    low/e.c needs a of low/a.c" \
	arrows low/a:b low/b:c low/c:d low/d:e low/e:a
expect "arrows: what the kernel has is no file's" 0 arrows low/a:printk
beside='``./``  low  beside them'
expect "arrows: calls of a file beside the rooms" 0 arrows m:a low/a:
expect "arrows: calls of a file beside the rooms against its row" 1 arrows m:t top/t:
beside=
changed=low/a.c
expect "arrows: objects that are older than their sources" 0 says \
	"drivers/core: low/a.c is not what the object in out/build was made of" arrows low/a:
changed=
expect "arrows: no objects" 0 says "drivers/core: out/build has no objects of it" arrows
mutex='``tess_a.lock``       mutex    all'
spin='``tess_a.irq_lock``   spin,    all'
list='``list_lock``         mutex    all'
foreign='``drm_device.lock``   spin     not ours'
order="tess_a.lock tess_a.irq_lock list_lock"
expect "locks: each has a row, and so may others of the kernel" 0 locks "$mutex" "$spin" "$list" "$foreign"
expect "locks: one of a structure without a row" 1 locks "$mutex" "$list"
expect "locks: it is named" 0 says "drivers/a/a.c: tess_a.irq_lock (spin) has no row" locks "$mutex" "$list"
expect "locks: one of a file without a row" 1 locks "$mutex" "$spin"
expect "locks: a row of another type" 1 locks "$mutex" '``tess_a.irq_lock`` mutex all' "$list"
expect "locks: a row without a lock" 1 locks "$mutex" "$spin" "$list" '``tess_a.gone`` spin all'
expect "locks: two rows" 1 locks "$mutex" "$spin" "$list" "$spin"
order="tess_a.lock list_lock"
expect "locks: one that is not in the list of all" 0 says "tess_a.irq_lock is not in the list of all locks" \
	locks "$mutex" "$spin" "$list"
order="tess_a.lock tess_a.irq_lock list_lock tess_b.lock"
expect "locks: one of the list that has no row" 0 says "tess_b.lock of the list has no row" \
	locks "$mutex" "$spin" "$list"
order="list_lock tess_a.lock tess_a.irq_lock"
expect "locks: a table in another order than the list" 0 says "list_lock is before tess_a.irq_lock in the list" \
	locks "$mutex" "$spin" "$list"
expect "locks: two tables have one order each" 0 locks "$list" "==== ====" "$mutex" "$spin"
order="tess_a.lock tess_a.irq_lock tess_a.lock list_lock"
expect "locks: one that is in the list twice" 0 says "tess_a.lock is in the list already" \
	locks "$mutex" "$spin" "$list"
ktap_end
