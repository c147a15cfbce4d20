# shellcheck shell=bash disable=SC2154 # sourced by scripts/env, which sets the rest
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How a layer is built: what some of the tree needs on top of the environment, for which
# everything else should not wait. A layer is a directory here with
#
#	packages	of Debian, one a line
#	excludes	paths of theirs that are left out; with + ahead, that are not, though the
#			environment leaves them out
#	sources		a source package to build: name, version; then the files of it with SHA-256
#	patches/*.patch	for the source, after Debian's own
#	files/		new files of the source
#	build		runs as root in the new root, in the directory of the patched source
#			(the last three only if there is one)
#	on		the name of a layer that this one stands on, instead of the environment itself;
#			it has all that is in that one
#
# and all of that directory is part of the layer's key. The result is an upper directory for
# overlayfs and the same as an image. Functions of env.d/build.sh are used.

# The layer's apt sees the packages of what it stands on as installed.
layer_apt()
{
	private_apt "$@" -o Dir::State::status="${under:-$dir}/root/var/lib/dpkg/status" \
		-o Dpkg::Use-Pty=0 --no-install-recommends -y
}

# Packages that the environment lacks, as files in $work/apt/archives.
fetch_packages()
{
	local list

	list=$(sed 's/#.*//' "$layers/$with/packages")
	# shellcheck disable=SC2086 # a list
	layer_apt apt-get install --download-only $list >&2 ||
		die "cannot fetch the packages of $with"
}

# Status 4: nothing is wrong here, but it cannot be made any more, or not now.
absent()
{
	echo "env: $*" >&2
	exit 4
}

# The files of a source package are those that were looked at, or none.
fetch_source()
{
	local name version

	read -r name version < <(grep -v '^#' "$layers/$with/sources")
	mkdir "$work/source"
	(cd "$work/source" && private_apt apt-get source --download-only "$name=$version" >&2) ||
		absent "the archive has no source of $name $version"
	(cd "$work/source" && grep -E '^[0-9a-f]{64} ' "$layers/$with/sources" |
		sha256sum --check --quiet >&2) ||
		die "the source of $name $version is not the one that is pinned"
}

# With Debian's patches, then ours
unpack_source()
{
	local p src=$merged/usr/src/$with

	mkdir -p "$src"
	tar -x -C "$src" --strip-components=1 -f "$work"/source/*.orig.tar.[gx]z
	tar -x -C "$src" -f "$work"/source/*.debian.tar.*
	while read -r p; do
		chroot "$merged" patch -s -d "/usr/src/$with" -p1 -i "debian/patches/$p" >&2 ||
			die "Debian's $p does not apply"
	done < <(sed 's/#.*//; /^[[:blank:]]*$/d' "$src/debian/patches/series")
	for p in "$layers/$with"/patches/*.patch; do
		[ -e "$p" ] || continue
		chroot "$merged" patch -s -d "/usr/src/$with" -p1 <"$p" >&2 ||
			die "${p##*/} does not apply"
	done
	[ ! -d "$layers/$with/files" ] || cp -r "$layers/$with/files/." "$src"
}

# Runs in a mount name space of its own; what it leaves in $work/root is the layer.
assemble_layer()
{
	merged=$work/merged

	mkdir "$work"/{root,upperwork,merged}
	[ -z "$under" ] || cp -a "$under/root" "$work"
	mount -t overlay tessera-layer "$merged" -o \
		"lowerdir=$dir/root,upperdir=$work/root,workdir=$work/upperwork" ||
		die "$cache cannot hold a layer (overlayfs refuses its file system)"
	mount -t proc proc "$merged/proc"
	mount --rbind /dev "$merged/dev"
	mount -t tmpfs -o mode=755 run "$merged/run"
	mount -t tmpfs -o mode=1777 tmp "$merged/tmp"
	mkdir "$merged/run/archives"
	mount --bind "$work/apt/archives" "$merged/run/archives"
	sed '/^#/d; s/^+/path-include=/; t; s/^/path-exclude=/' "$layers/$with/excludes" \
		>"$merged/etc/dpkg/dpkg.cfg.d/$with"
	say "installing $(find "$work/apt/archives" -name '*.deb' | wc -l) packages"
	in_layer sh -c 'dpkg --unpack --force-unsafe-io /run/archives/*.deb &&
		dpkg --configure -a' >"$work/install.log" 2>&1 ||
		{ tail -n 20 "$work/install.log" >&2; die "cannot install the packages of $with"; }
	umount "$merged/run/archives"
	[ ! -e "$layers/$with/sources" ] || build_source
	rm -rf "$merged"/var/{cache,log}/*
	echo "${top##*-}" >"$merged$marker-$with"
}

build_source()
{
	unpack_source
	say "building $(awk '!/^#/ { print $1, $2; exit }' "$layers/$with/sources")"
	cp "$layers/$with/build" "$merged/run/build"
	in_layer sh -c "cd /usr/src/$with && exec /run/build" >"$work/build.log" 2>&1 &
	show_steps $!
	wait $! ||
		{ cp "$work/build.log" "$cache/"; tail -n 30 "$work/build.log" >&2
		  die "cannot build $with"; }
}

# Of a build that says "[done/all] what"
show_steps()
{
	local shown=$SECONDS

	while kill -0 "$1" 2>/dev/null; do
		sleep 1
		[ $((SECONDS - shown)) -lt 30 ] || {
			shown=$SECONDS
			say "$(grep -oE '^\[[0-9]+/[0-9]+\]' "$work/build.log" | tail -n 1)"
		}
	done
}

in_layer()
{
	chroot "$merged" /usr/bin/env -i DEBIAN_FRONTEND=noninteractive LANG=C.UTF-8 HOME=/root \
		PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@" </dev/null
}

make_layer_image()
{
	local r=$dir/root

	"$r/lib64/ld-linux-x86-64.so.2" --library-path "$r/usr/lib/x86_64-linux-gnu" \
		"$r/usr/bin/mkfs.erofs" --quiet "$work/root.erofs" "$work/root" >&2 ||
		die "cannot make the image of $with"
}

# Overlayfs keeps "trusted" attributes of the upper directory, so this stays root's business.
build_layer_locked()
{
	SECONDS=0
	# shellcheck disable=SC2034 # abandon() looks at it
	unpacking=
	say "building the layer $with in $cache (once)"
	work=$(mktemp -d "$cache/build.XXXXXX")
	trap abandon EXIT
	chmod 755 "$work"
	mkdir -p "$work"/apt/{lists,archives}/partial
	: >"$work/apt/status"
	install_bootstrap
	write_sources >"$work/sources.list"
	grep ' trixie main$' "$work/sources.list" | sed 's/^deb /deb-src /' >"$work/deb-src.list"
	cat "$work/deb-src.list" >>"$work/sources.list"
	say "reading package lists"
	private_apt apt-get update >&2 || absent "the archive has no package lists with sources"
	[ ! -e "$layers/$with/sources" ] || fetch_source
	say "fetching packages"
	fetch_packages
	unshare --mount --propagation private "$BASH" "$self" --with "$with" .layer "$work" "$SECONDS"
	say "making the image"
	make_layer_image
	find "$work" -mindepth 1 -maxdepth 1 ! -name root ! -name root.erofs -exec rm -rf {} +
	rm -rf "$top"
	mv -T "$work" "$top"
	trap - EXIT
	say "done, $(du -sh "$top" | cut -f1)"
	remove_old
}
