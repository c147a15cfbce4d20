#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: selftests/packages/deb.sh [short|native]
#
# Uses the packages of out/deb: in a copy of the environment that does not have the tree, then in a
# host VM and its guest, which get the packages and the modules that DKMS has built in that copy. Runs
# as root in the environment, with the layer "packages" if a later version is built. native: no VMs; short:
# modules for one kernel, no later version, no OpenCL, and no VMs.

set -uo pipefail
# shellcheck source-path=SCRIPTDIR source=../../scripts/ktap.sh
. scripts/ktap.sh
if [ "$(id -u)" -ne 0 ]; then
	ktap_begin
	skip "Debian packages" "they are installed by root"
	ktap_end
fi
[ "${1:-}" = inside ] || exec unshare --mount --propagation private "$0" inside "$@"
shift
extent=${1:-all}

tree=$PWD
names="tessera-dkms libtessera0 libtessera-dev tessera-tools tessera-model"
modules="tessera tessera_chip tessera_pci tessera_user tessera_drm tessera_mdev"
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)
next=${version%.*}.$((${version##*.} + 1))
given=$tree/out/deb-vm
top=/run/deb
root=

# The environment with layer $1 anew, without the tree
set_up()
{
	root=$top/$1
	mkdir "$root" "$root".{upper,work} || return
	mount -t overlay deb "$root" -o "lowerdir=$(scripts/env --with "$1" path):$(scripts/env \
		path),upperdir=$root.upper,workdir=$root.work" || return
	mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" &&
		mount -t tmpfs -o mode=755 run "$root/run" && mount -t tmpfs -o mode=1777 tmp "$root/tmp" &&
		mkdir "$root/run/deb" && mount --bind "$top/next" "$root/run/deb"
}

# Short, with the oldest kernel alone
set_up_packages()
{
	local k

	mkdir -p "$top" && mount -t tmpfs -o mode=755 deb "$top" && mkdir "$top/next" && set_up packages || return
	[ "$extent" = short ] || return 0
	for k in $(kernels | sort -V | tail -n +2); do
		rm -r "$root/lib/modules/$k" || return
	done
}

# The environment with what OpenCL programs need, but for what "make opencl" is made of, and without
# Debian's PoCL, of which files were left out
set_up_opencl()
{
	set_up opencl && rm -r "$root"/{usr/lib/tessera,usr/src/opencl,etc/OpenCL/vendors/tessera.icd} \
		"$root/etc/dpkg/dpkg.cfg.d/opencl" &&
		in_root dpkg --purge --force-depends pocl-opencl-icd libpocl2t64
}

in_root()
{
	chroot "$root" /usr/bin/env -i DEBIAN_FRONTEND=noninteractive LANG=C.UTF-8 HOME=/root \
		PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@" </dev/null
}

# All that a machine has, but for what dpkg and apt keep for themselves, and the key with which
# DKMS signs modules of all packages
files()
{
	in_root find / -xdev \( -path /var/log -o -path /var/cache -o -path '/var/lib/dpkg/*-old' \
		-o -path /var/lib/dpkg/triggers -o -path '/var/lib/dkms/mok.*' \) -prune -o -print | sort
}

# The environment leaves out documents; who installs packages wants them.
install_packages()
{
	local name

	rm -f "$top"/next/*.deb
	for name in $names; do
		cp "$1/$name"_*.deb "$top/next/" || return
	done
	in_root sh -c 'exec dpkg --path-include="/usr/share/man/*" \
		--path-include="/usr/share/doc/*" --install /run/deb/*.deb'
}

kernels()
{
	ls "$root/lib/modules"
}

# DKMS's modules for all kernels, found by modprobe, and without the failures on demand of tests
has_modules()
{
	local k m file

	for k in $(kernels); do
		for m in $modules; do
			file=$(in_root modinfo -k "$k" -F filename "$m") || return
			[[ $file == /lib/modules/$k/updates/dkms/* ]] || { echo "$k: $file"; return 1; }
			[[ $(in_root modinfo -k "$k" -F vermagic "$m") == "$k "* ]] || return
		done
		in_root modprobe -S "$k" --show-depends tessera_mdev || return
		! in_root modinfo -k "$k" -p tessera | grep ^hold: || return
	done
	[ "$(in_root dkms status tessera | grep -cF "tessera/$1, ")" -eq "$(kernels | wc -l)" ]
}

programs_run()
{
	local p

	for p in tessera-info tessera-run tessera-model tesseractl tessera-cc; do
		in_root "$p" --help >/dev/null || return
	done
	in_root ldd /usr/bin/tessera-run /usr/lib/tessera/examples/sgemm >"$top/ldd" || return
	[ "$(grep -c 'libtessera.so.0 => /lib/x86_64-linux-gnu/' "$top/ldd")" -eq 2 ] || { cat "$top/ldd"; return 1; }
	[ "$(in_root tesseractl --version)" = "tesseractl $version" ]
}

has_pages()
{
	local p

	for p in tessera-info tessera-run tessera-model tesseractl tessera-cc tess_open libtessera; do
		in_root man -P cat "$p" >"$top/page" || return
		[ "$(wc -l <"$top/page")" -gt 20 ] || { cat "$top/page"; return 1; }
	done
}

compiles()
{
	# shellcheck disable=SC2016 # for the shell in there
	in_root sh -ec 'cd /tmp; from=/usr/lib/tessera/examples
		tessera-cc -O2 -ffp-contract=off -o sgemm.elf $from/sgemm_kernel.c
		gcc -D_GNU_SOURCE -Wa,-I. $(pkg-config --cflags tessera) -o sgemm $from/sgemm.c \
			$from/common.c $(pkg-config --libs tessera) -lm
		ldd ./sgemm | grep libtessera.so.0
		exec ./sgemm --help'
}

is_ready_for_hosts()
{
	in_root udevadm verify --no-style /usr/lib/udev/rules.d/60-tessera.rules &&
		in_root test -x /usr/lib/mdevctl/scripts.d/callouts/tessera || return
	# shellcheck disable=SC2016 # for the shell in there
	in_root sh -c 'for f in bash-completion/completions/tesseractl zsh/vendor-completions/_tesseractl \
		fish/vendor_completions.d/tesseractl.fish tessera/tesseractl.schema.json \
		tessera/modprobe.conf; do
		[ -s /usr/share/$f ] || { echo "no $f"; exit 1; }
	done'
	in_root grep -h ^ExecStart /usr/lib/systemd/system/tessera-apply@.service \
		/usr/lib/systemd/system/tessera-metrics.service >"$top/starts" || return
	[ "$(grep -c '^ExecStart=/usr/bin/tesseractl ' "$top/starts")" -eq 2 ]
}

# For machines that build nothing
gives_modules()
{
	local k of=()

	for k in $(kernels); do
		of+=(-k "$k/x86_64")
	done
	rm -rf "$given" && mkdir -p "$given" && in_root dkms mktarball -m tessera -v "$version" "${of[@]}" \
		--archive modules.dkms.tar.gz && cp "$top"/next/*.deb "$given/" || return
	cp "$root/var/lib/dkms/tessera/$version/tarball/modules.dkms.tar.gz" "$given/"
}

# The packages of a later version: what was compiled stays
builds_next()
{
	mkdir "$top/later" && cp -r out/deb/tessera "$top/later/" && cd "$top/later/tessera" || return
	sed -i "s/^PACKAGE_VERSION=.*/PACKAGE_VERSION=\"$next\"/" dkms.conf
	sed -i "1s/($version)/($next)/" debian/changelog
	rm -f debian/debhelper-build-stamp debian/files
	dpkg-buildpackage -b -us -uc -nc || return
	cd "$tree" || return
}

upgrades()
{
	install_packages "$top/later" && has_modules "$next" || return
	in_root test ! -e "/usr/src/tessera-$version" -a ! -e "/var/lib/dkms/tessera/$version" \
		-a -e "/usr/lib/x86_64-linux-gnu/libtessera.so.$next" \
		-a ! -e "/usr/lib/x86_64-linux-gnu/libtessera.so.$version" || return
	[ "$(in_root tesseractl --version)" = "tesseractl $next" ]
}

# A GPU that is a library takes the place of the one that is installed; a test of the tree is the program.
has_opencl()
{
	local sim="env LD_LIBRARY_PATH=/run/deb POCL_CACHE_DIR=/tmp/kernels"

	cp -P out/tools/lib/sim/libtessera.so* out/tools/opencl/test_kernels "$top/next/" || return
	# shellcheck disable=SC2086 # a command
	in_root $sim clinfo -l >"$top/devices" && cat "$top/devices" &&
		grep -q "Device #0: Tessera" "$top/devices" && in_root $sim /run/deb/test_kernels
}

# leaves_nothing [OPTION...]: of dpkg
leaves_nothing()
{
	# shellcheck disable=SC2086 # a list
	in_root dpkg "$@" --purge $names || return
	files >"$top/after"
	diff "$top/before" "$top/after"
}

uses_opencl()
{
	names="libtessera0 libtessera-dev tessera-tools tessera-model tessera-opencl"
	check "a machine with programs of OpenCL" set_up_opencl
	files >"$top/before"
	check "the package of OpenCL is installed beside others" install_packages "$tree/out/deb"
	check "programs find the device by it, and kernels are compiled and run" has_opencl
	# Other programs there want to have some implementation
	check "a purge leaves nothing of it" leaves_nothing --force-depends
}

ktap_begin
check "a machine without the tree" set_up_packages
files >"$top/before"
check "the packages can be installed" install_packages "$tree/out/deb"
check "DKMS has built the modules for all kernels" has_modules "$version"
check "the programs run" programs_run
check "each program, the library and its functions have pages" has_pages
check "a program is compiled with what is installed" compiles
check "udev, systemd, mdevctl, shells and modprobe have their files" is_ready_for_hosts
if [ "$extent" != short ]; then
	check "DKMS gives its modules away" gives_modules
	check "a later version is built" builds_next
	check "it takes the place of the earlier one" upgrades
fi
check "a purge leaves nothing" leaves_nothing
if [ "$extent" != short ] && [ -e out/opencl.missing ]; then
	skip "OpenCL" "$(cat out/opencl.missing)"
elif [ "$extent" != short ]; then
	uses_opencl
fi
if [ "$extent" = all ]; then
	check "a host VM and its guest compute with nothing but packages" scripts/vm host --bare \
		--with packages --timeout 1500 -- sh selftests/packages/host.sh "$given"
fi
ktap_end
