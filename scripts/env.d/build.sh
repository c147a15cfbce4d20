# shellcheck shell=bash disable=SC2154 # sourced by scripts/env, which sets the rest
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How the environment is built. Everything in this directory is part of its key.

# ---- where the packages come from ------------------------------------------

# Base URI of the Debian mirror that this machine's own apt uses; with the
# argument "security", that of the security archive. Empty if there is none.
mirror()
{
	# shellcheck disable=SC2016 # the format is apt's
	apt-get indextargets --format '$(ORIGIN) $(SUITE) $(REPO_URI)' 'Created-By: Packages' |
		awk -v want="${1:-}" '$1 == "Debian" &&
			(($2 ~ /security/) == (want == "security")) && !n++ { print $3 }'
}

install_bootstrap()
{
	local missing=()

	command -v mmdebstrap >/dev/null || missing+=(mmdebstrap)
	keyring >/dev/null || missing+=(debian-archive-keyring)
	if [ ${#missing[@]} -eq 0 ] && [ -n "$(mirror)" ]; then
		return
	fi
	say "installing ${missing[*]:-the package lists}"
	apt-get -qq update >&2 || say "apt-get update reported errors"
	[ ${#missing[@]} -eq 0 ] ||
		DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 install -y \
			--no-install-recommends "${missing[@]}" debian-archive-keyring \
			</dev/null >"$work/apt.log" 2>&1 ||
		{ tail -n 20 "$work/apt.log" >&2; die "cannot install ${missing[*]}"; }
}

keyring()
{
	local k

	for k in /usr/share/keyrings/debian-archive-keyring.{pgp,gpg}; do
		[ -e "$k" ] && { echo "$k"; return; }
	done
	return 1
}

write_sources()
{
	local base sec opt

	base=$(mirror)
	[ -n "$base" ] || die "no Debian mirror in the apt configuration of this machine"
	sec=$(mirror security)
	opt="[signed-by=$(keyring)]"
	echo "deb $opt $base trixie main"
	echo "deb $opt $base trixie-backports main"
	reachable "${base}dists/trixie-updates/InRelease" &&
		echo "deb $opt $base trixie-updates main"
	[ -n "$sec" ] && reachable "${sec}dists/trixie-security/InRelease" &&
		echo "deb $opt $sec trixie-security main"
	return 0
}

reachable()
{
	/usr/lib/apt/apt-helper download-file "$1" "$work/probe" >/dev/null 2>&1
}

# A private apt that knows trixie and nothing of this machine's packages.
private_apt()
{
	local cmd=$1

	shift
	"$cmd" -qq -o Dir::State="$work/apt" -o Dir::State::status="$work/apt/status" \
		-o Dir::Cache="$work/apt" -o Dir::Etc::SourceList="$work/sources.list" \
		-o Dir::Etc::SourceParts=/dev/null -o Dir::Etc::Preferences="$recipe/preferences" \
		-o APT::Sandbox::User=root -o Acquire::Languages=none \
		-o APT::Architecture=amd64 -o APT::Architectures=amd64 "$@"
}

# Newest release of kernel series $1 that has both an image and headers.
kernel_release()
{
	local esc=${1//./\\.} rel

	for rel in $(private_apt apt-cache pkgnames "linux-image-$1." |
		     sed -nE "s/^linux-image-($esc\.[0-9]+\+deb[0-9]+)-amd64\$/\1-amd64/p" | sort -Vr); do
		private_apt apt-cache show "linux-headers-$rel" >/dev/null 2>&1 || continue
		echo "$rel"
		return
	done
}

# ---- building ---------------------------------------------------------------

bootstrap()
{
	local pkgs rel

	pkgs=$(sed 's/#.*//; s,/backports$,,' "$recipe/packages" | tr -s '\n' ',')
	for rel in "${releases[@]}"; do
		pkgs+="linux-headers-${rel%-amd64}-common,linux-kbuild-${rel%-amd64},"
	done
	mmdebstrap --mode=root --variant=minbase --architectures=amd64 --format=directory \
		--include="${pkgs%,}" --dpkgopt="$recipe/dpkg.cfg" --dpkgopt=force-unsafe-io \
		--aptopt='Acquire::Languages "none"' --aptopt='APT::Install-Recommends "false"' \
		--setup-hook="mkdir -p \"\$1\"/etc/apt/preferences.d" \
		--setup-hook="copy-in '$recipe/preferences' /etc/apt/preferences.d" \
		trixie "$work/root" "$work/sources.list" </dev/null 2>"$work/bootstrap.log" ||
		{ cp "$work/bootstrap.log" "$cache/"; tail -n 30 "$work/bootstrap.log" >&2; die "mmdebstrap failed"; }
}

# The kernel packages are unpacked, not installed: their set-up would pull in and
# run an initramfs generator, whose result is not used here. Which packages make
# up a kernel differs between the two series.
unpack_kernel()
{
	local rel=$1 name deb

	for name in image binary modules base headers; do
		private_apt apt-cache show "linux-$name-$rel" >/dev/null 2>&1 || continue
		deb=$(cd "$work" && private_apt apt-get download "linux-$name-$rel" >&2 &&
		      ls "linux-$name-$rel"_*.deb) || die "cannot fetch linux-$name-$rel"
		dpkg-deb --fsys-tarfile "$work/$deb" |
			tar -x -C "$work/kernels" --keep-directory-symlink \
				--exclude='*/kernel/sound/*' --exclude='*/drivers/media/*' \
				--exclude='*/net/wireless/*' --exclude='*/net/ethernet/*' \
				--exclude='*/drm/amd/*' --exclude='*/drm/nouveau/*' \
				--exclude='*/drm/radeon/*' --exclude='*/drm/i915/*' --exclude='*/drm/xe/*' \
				--exclude='*/drivers/infiniband/*' --exclude='*/drivers/iio/*' \
				--exclude='./usr/share/*' --exclude='./usr/lib/debug/*' \
				--exclude='./etc/*'
		rm -f "$work/$deb"
	done
	unpack_modules "$work/kernels/usr/lib/modules/$rel/kernel"
}

# All that does not need the root file system, at the same time as that is made.
unpack_kernels()
{
	local rel

	mkdir -p "$work/kernels/usr/lib"
	ln -s usr/lib "$work/kernels/lib"
	for rel in "${releases[@]}"; do
		unpack_kernel "$rel"
	done
	unpack_kernel_tools
}

install_kernels()
{
	local rel

	tar -c -C "$work/kernels" . | tar -x -C "$work/root" --keep-directory-symlink
	rm -rf "$work/kernels"
	for rel in "${releases[@]}"; do
		unpack_image "$rel"
		chroot "$work/root" depmod "$rel"
	done
}

# The kernel as QEMU starts it by its PVH entry: without unpacking itself first, which takes
# seconds in an emulated machine. Format: Documentation/arch/x86/boot.rst of the kernel; the
# last four bytes of the payload are its size when unpacked.
unpack_image()
{
	local rel=$1 image sects offset length

	for image in "$work/root/"{boot/vmlinuz-"$rel",usr/lib/modules/"$rel"/vmlinuz}; do
		[ ! -e "$image" ] || break
	done
	sects=$(od -An -tu1 -j $((0x1f1)) -N 1 "$image")
	read -r offset length < <(od -An -tu4 -j $((0x248)) -N 8 "$image")
	mkdir -p "$work/root/usr/lib/tessera"
	dd if="$image" iflag=skip_bytes,count_bytes skip=$(((sects + 1) * 512 + offset)) \
		count=$((length - 4)) bs=1M status=none |
		chroot "$work/root" zstd -dc >"$work/root/usr/lib/tessera/vmlinux-$rel" ||
		die "cannot unpack kernel $rel"
	rm "$image"
}

# Unpacking a module takes seconds in a guest of an emulated host: do it here for
# those that virtual machines load.
unpack_modules()
{
	(cd "$1" && find arch virt lib crypto fs net/9p net/vmw_vsock drivers/gpu drivers/vfio \
		drivers/virtio drivers/i2c drivers/video drivers/iommu drivers/block \
		drivers/char -name '*.ko.xz' -print0 | xargs -0 -r -n 50 xz -d)
}

# checkpatch and what the kernel's own selftests share are in no package of their own, only in that
# of the kernel source.
unpack_kernel_tools()
{
	local dest=$work/kernels/usr/lib/tessera/linux top=linux-source-6.12 deb

	mkdir -p "$dest"
	deb=$(cd "$work" && private_apt apt-get download linux-source-6.12 >&2 &&
	      ls linux-source-6.12_*.deb) || die "cannot fetch linux-source-6.12"
	dpkg-deb --fsys-tarfile "$work/$deb" |
		tar -xO ./usr/src/linux-source-6.12.tar.xz | xz -dc -T0 |
		tar -x -C "$dest" --strip-components=1 \
			$top/scripts/{checkpatch.pl,spelling.txt,const_structs.checkpatch} \
			$top/tools/testing/selftests/{kselftest.h,kselftest_harness.h,kselftest} \
			$top/tools/testing/selftests/run_kselftest.sh
	rm -f "$work/$deb"
}

# A cpio archive per kernel with a static shell and the modules that lead to the
# root file system, unpacked and in loading order. /init comes from the tree.
make_initramfs()
{
	local rel=$1 dir=$work/initramfs/$1 mods ko

	mkdir -p "$dir"/{bin,modules,proc,sys,dev,newroot,rw,lower}
	cp "$work/root/usr/bin/busybox" "$dir/bin/busybox"
	mods=$(sed 's/#.*//' "$recipe/initramfs-modules")
	# shellcheck disable=SC2086 # a list
	chroot "$work/root" modprobe -S "$rel" --show-depends -a $mods |
		awk '$1 == "insmod" && !seen[$2]++ { print $2 }' >"$work/order"
	while read -r ko; do
		case $ko in
		*.xz) xz -dc "$work/root$ko" >"$dir/modules/$(basename "$ko" .xz)" ;;
		*) cp "$work/root$ko" "$dir/modules/" ;;
		esac
		basename "$ko" .xz >>"$dir/modules/order"
	done <"$work/order"
	(cd "$dir" && find . | "$work/root/usr/bin/busybox" cpio -o -H newc 2>/dev/null) \
		>"$work/root/usr/lib/tessera/initramfs-$rel.cpio"
}

finish_root()
{
	local rel

	mkdir -p "$work/root/usr/lib/tessera"
	for rel in "${releases[@]}"; do
		make_initramfs "$rel"
	done
	echo "$key" >"$work/root$marker"
	echo tessera >"$work/root/etc/hostname"
	rm -rf "$work"/root/etc/resolv.conf "$work"/root/var/{cache,log}/*
}

# The same tree as a read-only file system image: what virtual machines of both
# levels use as their root. Reading blocks costs them far less than a file
# protocol, most of all when nested.
make_image()
{
	local r=$work/root

	"$r/lib64/ld-linux-x86-64.so.2" --library-path "$r/usr/lib/x86_64-linux-gnu" \
		"$r/usr/bin/mkfs.erofs" --quiet "$work/root.erofs" "$r" >&2 ||
		die "cannot make the root image"
}

# What a build that failed leaves behind: nothing. Its status stays.
abandon()
{
	local _

	for _ in {1..50}; do
		if [ -z "$unpacking" ] || ! kill -- "-$unpacking" 2>/dev/null; then
			break
		fi
		sleep 0.1
	done
	rm -rf --one-file-system "$work"
}

build_locked()
{
	local rel k

	SECONDS=0
	releases=()
	unpacking=
	say "building the environment in $cache (once)"
	work=$(mktemp -d "$cache/build.XXXXXX")
	trap abandon EXIT
	chmod 755 "$work"
	mkdir -p "$work"/apt/{lists,archives}/partial
	: >"$work/apt/status"
	install_bootstrap
	write_sources >"$work/sources.list"
	say "reading package lists"
	private_apt apt-get update >&2 || die "cannot read the package lists"
	for k in 6.12 7.2; do
		rel=$(kernel_release "$k")
		[ -n "$rel" ] || die "the mirror has no kernel $k with headers"
		releases+=("$rel")
	done
	say "installing Debian 13 with headers of ${releases[*]}"
	set -m # a process group of its own, which ends as a whole
	(set -e; unpack_kernels) &
	unpacking=$!
	set +m
	bootstrap
	wait "$unpacking" || die "cannot unpack the kernels"
	say "adding the kernels"
	install_kernels
	say "making initramfs and image"
	finish_root
	make_image
	find "$work" -mindepth 1 -maxdepth 1 ! -name root ! -name root.erofs -exec rm -rf {} +
	rm -rf "$dir"
	mv -T "$work" "$dir"
	trap - EXIT
	say "done, $(du -sh "$dir" | cut -f1)"
	remove_old
}

# Environments of older recipes go, unless something still runs in them or did within
# a day: trees with different recipes stand side by side.
remove_old()
{
	local old

	for old in "$cache"/env-*; do
		[ "$old" != "$dir" ] && [ -n "$(find "$old" -maxdepth 0 -mmin +1440)" ] || continue
		flock -n -x "$old" rm -rf --one-file-system "$old" ||
			say "keeping $old: in use"
	done
}
