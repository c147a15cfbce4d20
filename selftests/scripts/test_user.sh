#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Set-up by an ordinary user with sudo and a bare PATH, as TAP. What scripts/env and its recipe
# do to this machine runs for that user as it is; packages are not fetched: the root file system
# is that of the environment that is there, the kernels are small files. Runs in the environment,
# whose own root file system is thrown away: a stand-in for sudo is installed there, which keeps
# as little of the environment as sudo does.
#
# shellcheck disable=SC2016,SC2317 # scripts for other shells; functions called by name

. scripts/ktap.sh
user=12345
real=$(dirname "${TESSERA_ROOT_IMAGE:-/}")/root
payload="kernel of"
releases=$(basename -a /lib/modules/*)

install_sudo()
{
	cat >"$dir/sudo.c" <<'C'
#define _GNU_SOURCE
#include <unistd.h>
int main(int argc, char **argv)
{
	char *env[] = { "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
			"HOME=/root", NULL };

	if (argc < 3 || setresgid(0, 0, 0) || setresuid(0, 0, 0))
		return 1;
	execve("/usr/bin/env", argv + 1, env);
	return 1;
}
C
	# "--" is for env, too
	cc -o /usr/bin/sudo "$dir/sudo.c" && chmod 4755 /usr/bin/sudo
}

# A compressed kernel with the header that says where it lies
fake_kernel()
{
	printf '%s %s' "$payload" "$2" | zstd -qc >"$dir/payload"
	size=$(stat -c %s "$dir/payload")
	truncate -s 1024 "$1"
	printf '\001' | dd of="$1" bs=1 seek=497 conv=notrunc status=none
	python3 -c 'import struct, sys; sys.stdout.buffer.write(struct.pack("<II", 0, int(sys.argv[1])))' \
		$((size + 4)) | dd of="$1" bs=1 seek=584 conv=notrunc status=none
	cat "$dir/payload" >>"$1"
	printf 'size' >>"$1"
}

# A tree with the scripts and the lanes alone, whose recipe takes what it has to fetch from here
make_tree()
{
	mkdir -p "$dir/tree" "$dir/home" "$dir/kernels/boot" "$dir/upper" "$dir/work"
	mkdir "$dir/tree/selftests"
	cp -r scripts Makefile "$dir/tree/"
	cp -r selftests/lanes "$dir/tree/selftests/"
	for rel in $releases; do
		fake_kernel "$dir/kernels/boot/vmlinuz-$rel" "$rel"
	done
	cat >>"$dir/tree/scripts/env.d/build.sh" <<RECIPE
install_bootstrap() { :; }
write_sources() { :; }
private_apt() { :; }
kernel_release() { basename "\$(ls -d "$real/usr/lib/modules/\$1".*)"; }
bootstrap()
{
	mkdir "\$work/root"
	mount -t overlay tessera "\$work/root" -o \
		"lowerdir=$real,upperdir=$dir/upper,workdir=$dir/work"
	rm "\$work/root\$marker" "\$work"/root/usr/lib/tessera/{vmlinux,initramfs}-*
}
unpack_kernels()
{
	mkdir -p "\$work/kernels/usr/lib"
	ln -s usr/lib "\$work/kernels/lib"
	cp -r "$dir/kernels/boot" "\$work/kernels/"
}
make_image() { : >"\$work/root.erofs"; }
RECIPE
	chown -R "$user:$user" "$dir/home"
	chmod -R a+rX "$dir"
}

# As the user, with nothing but a bare PATH and what is named
as_user()
{
	setpriv --reuid "$user" --regid "$user" --clear-groups \
		env -i PATH=/usr/bin:/bin HOME="$dir/home" "$@"
}

builds()
{
	(cd "$dir/tree" && as_user scripts/env build)
}

# The root file system that was built
built()
{
	(cd "$dir/tree" && as_user scripts/env path)
}

has_kernels()
{
	root=$(built)
	for rel in $releases; do
		[ "$(cat "$root/usr/lib/tessera/vmlinux-$rel")" = "$payload $rel" ] || return 1
		cpio -it <"$root/usr/lib/tessera/initramfs-$rel.cpio" 2>/dev/null |
			grep -q '^modules/virtio_blk.ko$' || return 1
	done
}

runs()
{
	(cd "$dir/tree" && as_user "$@")
}

is_user()
{
	[ "$(runs scripts/env run id -u)" = "$user" ]
}

keeps_variables()
{
	runs TESSERA_PROBE="a b" TESSERA_ACCEL=tcg CI=yes OTHER=1 scripts/env run sh -c \
		'[ "$TESSERA_PROBE" = "a b" ] && [ "$TESSERA_ACCEL" = tcg ] && [ "$CI" = yes ] &&
		 [ -z "$OTHER" ]'
}

# The way of make check: from the Makefile to the list of lanes, which runs in the environment
checks()
{
	runs make -o all check LIST=1 >"$dir/lanes" && grep -q '^lint ' "$dir/lanes"
}

# The same of make demo and make shell: the emulator is asked for its version there
has_emulator()
{
	runs scripts/env run qemu-system-x86_64 --version | grep -q '^QEMU emulator'
}

as_root()
{
	[ "$(runs scripts/env run --root id -u)" = 0 ]
}

cleans()
{
	umount "$(built)" || umount -l "$(built)"
	runs scripts/env clean && ! ls -d "$dir"/home/.cache/tessera/env-* 2>/dev/null
}

# In a mount name space of its own, without the mark that says that this is the environment
if [ "$(id -u)" -eq 0 ] && [ "${1:-}" != inside ]; then
	exec unshare -m sh -c 'mkdir -p /run/etc && cp -a /etc/. /run/etc &&
		rm /run/etc/tessera-env && mount --bind /run/etc /etc && exec sh "$0" inside' "$0"
fi
ktap_begin
if [ "$(id -u)" -ne 0 ] || grep -q '^NoNewPrivs:.*1' /proc/self/status; then
	skip "set-up by an ordinary user" "needs root, and programs that may become root"
	ktap_end
fi
dir=/opt/user
mkdir -p "$dir"
mount -t tmpfs -o mode=755 user "$dir"
install_sudo
make_tree
check "the user has no directory of system programs" runs sh -c '! command -v chroot'
check "the environment is built by an ordinary user" builds
check "kernels and initramfs are unpacked" has_kernels
check "a command runs as that user" is_user
check "TESSERA_* and CI reach it through sudo, others do not" keeps_variables
check "and as root if that is wanted" as_root
check "make check finds its lanes" checks
check "the emulator is there" has_emulator
check "the user takes it away" cleans
ktap_end
