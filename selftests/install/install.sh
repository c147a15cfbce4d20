#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Installs into a directory, uses what is there as a user does, and uninstalls: nothing may be left.

set -uo pipefail
# shellcheck source-path=SCRIPTDIR source=../../scripts/ktap.sh
. scripts/ktap.sh

tree=$PWD
tmp=$(mktemp -d)

D=$tmp/root
P=/opt/tessera

installs()
{
	make -s install DESTDIR="$D" PREFIX="$P" >"$tmp/log" 2>&1 || { tail "$tmp/log"; return 1; }
}

uninstalls()
{
	make -s uninstall DESTDIR="$D" PREFIX="$P"
}

has_files()
{
	local name

	for name in bin/tesseractl bin/tessera-run bin/tessera-info bin/tessera-model bin/tessera-cc \
		lib/libtessera.so lib/libtessera.so.0 lib/libtessera.a lib/pkgconfig/tessera.pc \
		lib/tessera/device/tessera_device.h lib/tessera/examples/sgemm include/tessera.h \
		share/bash-completion/completions/tesseractl share/zsh/site-functions/_tesseractl \
		share/fish/vendor_completions.d/tesseractl.fish share/tessera/tessera-dashboard.json \
		share/tessera/tesseractl.schema.json; do
		[ -e "$D$P/$name" ] || { echo "no $name"; return 1; }
	done
	[ -x "$D/usr/lib/mdevctl/scripts.d/callouts/tessera" ]
}

# Each program has a page, and each page is found under the names that it describes
has_pages()
{
	local name

	for name in "$D$P"/bin/*; do
		[ -s "$D$P/share/man/man1/${name##*/}.1" ] || { echo "no page of $name"; return 1; }
	done
	[ -s "$D$P/share/man/man3/tess_open.3" ] && [ -s "$D$P/share/man/man7/libtessera.7" ]
}

# Nothing of it names where it was staged or built
is_movable()
{
	! grep -rlF -e "$tree" -e "$D" "$D" --include='*.pc' --include='tesser*' --exclude-dir=examples \
		-I
}

programs_run()
{
	local version

	version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)
	[ "$("$D$P/bin/tesseractl" --version)" = "tesseractl $version" ] &&
		"$D$P/bin/tessera-run" --help >/dev/null && "$D$P/bin/tessera-model" --help >/dev/null
}

pc()
{
	PKG_CONFIG_PATH=$D$P/lib/pkgconfig pkg-config --define-prefix "$@" tessera
}

# As somebody would who has only what is installed
# shellcheck disable=SC2046 # lists of options
builds_example()
{
	local from=$D$P/lib/tessera/examples

	cd "$tmp" && "$D$P/bin/tessera-cc" -O2 -ffp-contract=off -o sgemm.elf "$from/sgemm_kernel.c" &&
		gcc -D_GNU_SOURCE -Wa,-I. $(pc --cflags) -o sgemm "$from/sgemm.c" "$from/common.c" \
			$(pc --libs) -lm && cd "$tree" &&
		readelf -d "$tmp/sgemm" | grep -q 'NEEDED.*libtessera.so.0' &&
		LD_LIBRARY_PATH=$D$P/lib "$tmp/sgemm" --help >/dev/null
}

snapshot()
{
	(cd "$D" && find . \( -type f -o -type l \) | sort | xargs -d '\n' md5sum 2>/dev/null; find . | sort)
}

again_is_same()
{
	snapshot >"$tmp/before"
	installs || return
	snapshot | diff "$tmp/before" -
}

leaves_nothing()
{
	uninstalls || return
	[ -z "$(find "$D" -mindepth 1)" ] || { find "$D" | head; return 1; }
}

# What others have there stays, also empty directories and files beside ours
leaves_others()
{
	mkdir -p "$D$P/bin" "$D$P/share/man/man1" "$D$P/lib" || return
	echo mine >"$D$P/bin/mine"
	(cd "$D" && find . | sort) >"$tmp/before"
	installs && echo mine >"$D$P/share/tessera/mine" && uninstalls || return
	[ -e "$D$P/share/tessera/mine" ] && rm -r "$D$P/share/tessera" || return
	(cd "$D" && find . | sort) | diff "$tmp/before" -
}

# A file of the earlier version that the new one has no more
upgrades()
{
	mkdir -p "$tmp"/{old/a/b,new/a,to} && touch "$tmp"/old/a/{b/one,two} "$tmp"/new/a/{two,three} &&
		scripts/install put "$tmp/old" "$tmp/to" a/list &&
		scripts/install put "$tmp/new" "$tmp/to" a/list || return
	[ "$(cd "$tmp/to" && find . | sort | xargs)" = ". ./a ./a/list ./a/three ./a/two" ] || return
	scripts/install remove "$tmp/to" a/list && [ -z "$(ls -A "$tmp/to")" ]
}

refuses()
{
	mkdir -p "$tmp/bad/x" && touch "$tmp/outside" && echo "f ../outside" >"$tmp/bad/x/list" || return
	! scripts/install remove "$tmp/bad" x/list 2>/dev/null && [ -e "$tmp/outside" ] &&
		! scripts/install remove "$tmp/none" x/list 2>/dev/null
}

ktap_begin
trap 'rm -rf "$tmp" "$ktap_output"' EXIT
check "make install" installs
check "all that users have is there" has_files
check "each program has its manual page" has_pages
check "nothing names where it was built" is_movable
check "the programs run where they are" programs_run
check "an example is compiled by pkg-config and tessera-cc alone" builds_example
check "a second install changes nothing" again_is_same
check "uninstall leaves nothing" leaves_nothing
check "uninstall leaves what others have" leaves_others
check "an upgrade removes what is no more" upgrades
check "a list that leads elsewhere, none at all" refuses
ktap_end
