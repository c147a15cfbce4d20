#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: selftests/packages/deb.sh [short|native]
#
# Uses the packages of out/deb: in a copy of the environment that does not have the tree, then in a
# host VM and its guest, which get the packages and the modules that DKMS has built in that copy. Runs
# as root in the environment, with the layer "packages" if a later version is built. native: no VMs; short:
# modules for one kernel, no later version, no OpenCL, no OpenGL, and no VMs.

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

# With what OpenGL programs need, but for what "make graphics" is made of
set_up_opengl()
{
	set_up graphics && rm -r "$root/usr/lib/tessera" "$root/etc/dpkg/dpkg.cfg.d/graphics"
}

clean="/usr/bin/env -i DEBIAN_FRONTEND=noninteractive LANG=C.UTF-8 HOME=/root
	PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
in_root()
{
	# shellcheck disable=SC2086 # a command
	chroot "$root" $clean "$@" </dev/null
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

# has_pages NAME...
has_pages()
{
	local p

	for p; do
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

# A GPU that is a library takes the place of the one that is installed; tests of the tree are the programs.
sim="env LD_LIBRARY_PATH=/run/deb HOME=/tmp"
has_opencl()
{
	cp -P out/tools/lib/sim/libtessera.so* out/tools/opencl/test_kernels "$top/next/" || return
	# shellcheck disable=SC2086 # a command
	in_root $sim clinfo -l >"$top/devices" && cat "$top/devices" &&
		grep -q "Device #0: Tessera" "$top/devices" && in_root $sim /run/deb/test_kernels
}

# A server and its client are this machine. It listens when the kernel's table has its port.
has_remoting()
{
	local server n=0 at=127.0.0.1:11998

	# shellcheck disable=SC2086 # a command
	chroot "$root" $clean $sim tessera-remote serve --address ${at%:*} --port ${at#*:} >"$top/server" 2>&1 &
	server=$!
	until grep -q ": 0100007F:$(printf %04X "${at#*:}") 00000000:0000 0A " /proc/net/tcp; do
		sleep 0.5
		n=$((n + 1))
		kill -0 "$server" && [ "$n" -lt 120 ] || { cat "$top/server"; return 1; }
	done
	# shellcheck disable=SC2086 # a command
	in_root $sim timeout 200 tessera-remote run --server $at sh -c \
		"clinfo --raw | grep 'CL_DEVICE_VERSION .*remote' && /run/deb/test_kernels"
	n=$?
	kill "$server"
	wait "$server"
	return "$n"
}

has_opengl()
{
	cp -P out/tools/lib/sim/libtessera.so* out/tools/mesa/scenes "$top/next/" || return
	# shellcheck disable=SC2086 # a command
	in_root $sim TESSERA_DEBUG=stats tessera-gl /run/deb/scenes flat >"$top/scenes" 2>&1
	cat "$top/scenes"
	grep -qE '^tessera: scenes [1-9][0-9]* gpu [1-9][0-9]* cpu 0 ' "$top/scenes"
}

# says STATUS TEXT CMD...: it ends so, and says that
says()
{
	local status=$1 text=$2

	shift 2
	in_root "$@" >"$top/said" 2>&1
	[ $? -eq "$status" ] && grep -F -e "$text" "$top/said" || { cat "$top/said"; return 1; }
}

remote_says_what_is_wrong()
{
	local icd=$root/etc/OpenCL/vendors/tessera.icd ret

	says 2 usage: tessera-remote && says 1 "--port 0: a number from" tessera-remote serve --port 0 || return
	mv "$icd" "$icd.away" || return
	says 1 "install the package tessera-opencl" tessera-remote serve
	ret=$?
	mv "$icd.away" "$icd"
	return "$ret"
}

# shellcheck disable=SC2016 # for the shell in there
gl_says_what_is_wrong()
{
	says 2 "--device needs a value" tessera-gl --device && says 2 "unknown option" tessera-gl --nonsense &&
		says 2 "no command" tessera-gl && says 127 "not found" tessera-gl no-such-program &&
		says 0 /usr/lib/tessera/mesa/lib/gbm-1 sh -c \
			'eval "$(tessera-gl --device 1 --env)" && echo "$GBM_BACKENDS_PATH-$TESSERA_DEVICE"'
}

# Programs that did not ask have no part in it
keeps_apart()
{
	# shellcheck disable=SC2086 # a command
	in_root $sim TESSERA_DEBUG=stats /run/deb/scenes flat >"$top/scenes" 2>&1
	! grep '^tessera:' "$top/scenes"
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
	names="libtessera0 libtessera-dev tessera-tools tessera-model tessera-opencl tessera-remote"
	check "a machine with programs of OpenCL" set_up_opencl
	files >"$top/before"
	check "the packages of OpenCL and remoting are installed beside others" install_packages "$tree/out/deb"
	check "programs find the device by them, and kernels are compiled and run" has_opencl
	check "a program runs on a GPU that is served" has_remoting
	check "who does it wrong is told" remote_says_what_is_wrong
	check "they have pages" has_pages tessera-remote
	# Other programs there want to have some implementation
	check "a purge leaves nothing of them" leaves_nothing --force-depends
}

uses_opengl()
{
	names="libtessera0 libtessera-dev tessera-tools tessera-model tessera-mesa"
	check "a machine with programs of OpenGL" set_up_opengl
	files >"$top/before"
	check "the package of OpenGL is installed beside others" install_packages "$tree/out/deb"
	check "a program that asks for it draws on the GPU" has_opengl
	check "another one has nothing of it" keeps_apart
	check "who asks wrongly is told" gl_says_what_is_wrong
	check "it has pages" has_pages tessera-gl
	check "a purge leaves nothing of it" leaves_nothing
}

# if_built NAME DIR FUNCTION
if_built()
{
	if [ -e "out/$2.missing" ]; then
		skip "$1" "$(cat "out/$2.missing")"
	else
		"$3"
	fi
}

ktap_begin
check "a machine without the tree" set_up_packages
files >"$top/before"
check "the packages can be installed" install_packages "$tree/out/deb"
check "DKMS has built the modules for all kernels" has_modules "$version"
check "the programs run" programs_run
check "each program, the library and its functions have pages" has_pages \
	tessera-info tessera-run tessera-model tesseractl tessera-cc tess_open libtessera
check "a program is compiled with what is installed" compiles
check "udev, systemd, mdevctl, shells and modprobe have their files" is_ready_for_hosts
if [ "$extent" != short ]; then
	check "DKMS gives its modules away" gives_modules
	check "a later version is built" builds_next
	check "it takes the place of the earlier one" upgrades
fi
check "a purge leaves nothing" leaves_nothing
if [ "$extent" != short ]; then
	if_built OpenCL opencl uses_opencl
	if_built OpenGL graphics uses_opengl
fi
if [ "$extent" = all ]; then
	check "a host VM and its guest compute with nothing but packages" scripts/vm host --bare \
		--with packages --timeout 1500 -- sh selftests/packages/host.sh "$given"
fi
ktap_end
