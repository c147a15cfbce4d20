#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Process 1 of host and guest VMs: mounts, devices, modules, then the command
# of this run. Speaks over virtio ports (see machine.py): "ctl" takes the lines
# "boot", "start", "alive" (every ten seconds) and "exit N", "out" and "err" carry
# what the command prints, "log" takes the kernel log at the end. "in", where there is one, is
# what the command reads.

export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export HOME=/root LANG=C.UTF-8 PYTHONDONTWRITEBYTECODE=1
state=/run/tessera
# shellcheck disable=SC1091 # written by machine.py
. "$state/config"
export TESSERA_DRIVER="$DRIVER"

port()
{
	for p in /sys/class/virtio-ports/*; do
		read -r name <"$p/name"
		[ "$name" != "$1" ] || echo "/dev/${p##*/}"
	done
}

mark()
{
	printf '\0%s\n' "$MARK"
}

set_up()
{
	mkdir -p /dev/pts /dev/shm
	mount -t devpts -o gid=5,mode=620,ptmxmode=666 devpts /dev/pts
	mount -t tmpfs -o mode=1777 shm /dev/shm
	mount -t cgroup2 cgroup2 /sys/fs/cgroup
	mount -t debugfs debugfs /sys/kernel/debug
	ln -sf /proc/self/fd /dev/fd
	ln -sf /proc/self/fd/0 /dev/stdin
	ln -sf /proc/self/fd/1 /dev/stdout
	ln -sf /proc/self/fd/2 /dev/stderr
	echo "tessera-$ROLE" >/proc/sys/kernel/hostname
	ip link set lo up
	# There is no service manager that the usual commands could talk to. What
	# was printed just before gets a moment to leave.
	for verb in reboot poweroff; do
		printf '#!/bin/sh\nsync\nsleep 0.3\nexec busybox %s -f\n' $verb >/usr/local/sbin/$verb
		chmod +x /usr/local/sbin/$verb
	done
	if [ "$ROLE" = host ]; then
		modprobe -a configfs && mount -t configfs configfs /sys/kernel/config
		mkdir "$state/huge"
		mount -t tmpfs -o huge=always,size=100%,mode=700 guestmem "$state/huge"
		/usr/lib/systemd/systemd-udevd --daemon
	fi
}

# One of a pair (pair.py): its network, and who runs commands for the other one.
join_pair()
{
	[ -n "$PAIR" ] || return 0
	modprobe virtio_net && udevadm settle || return 1
	net=$(basename "$(dirname /sys/class/net/*/device)")
	ip link set "$net" up && ip address add "192.168.64.${PAIR#host}/24" dev "$net" || return 1
	echo "$PAIR" >/proc/sys/kernel/hostname
	printf '%s\n' '127.0.0.1 localhost' '192.168.64.1 host1' '192.168.64.2 host2' >/etc/hosts
	setsid python3 -s -S "$TREE/scripts/vm.d/remote.py" >&2 3>&- 4>&- 5>&- &
}

# The modules are not below /lib/modules: find what they need by their names.
load_modules()
{
	dir=$TREE/out/modules/$(uname -r)
	for m in $MODULES; do
		[ -e "$dir/$m.ko" ] || { echo "vm: no $m.ko in $dir" >&5; return 1; }
		for dep in $(modinfo -F depends "$dir/$m.ko" | tr , ' '); do
			case $dep in
			tessera*) ;;
			*) modprobe "$dep" || return 1 ;;
			esac
		done
		insmod "$dir/$m.ko" || { echo "vm: cannot load $m.ko" >&5; return 1; }
	done
}

pool() { find /sys/class/tessera -name 'gpu[0-9]*' | wc -l; }

# Serve GPUs with the models' options, a line for each, and wait until they are in the pool, behind
# those on PCI.
serve_gpus()
{
	[ "$GPUS" -gt 0 ] || return 0
	first=$(pool)
	n=$first
	while [ "$n" -lt $((first + GPUS)) ]; do
		args=$(echo "$SERVE" | sed -n "$((n - first + 1))p")
		# shellcheck disable=SC2086 # options, none with a space in it
		setsid "$TREE/out/tools/model/tessera-model" --serve /dev/tessera-user $args \
			>"$state/gpu$n.log" 2>&1 3>&- 4>&- 5>&- &
		pid=$!
		tries=0
		until [ -e "/sys/class/tessera/gpu$n" ]; do
			tries=$((tries + 1))
			[ $tries -lt 300 ] && [ -e /proc/$pid ] || { cat "$state/gpu$n.log" >&5; return 1; }
			sleep 0.1
		done
		echo $pid >"$state/gpu$n.pid"
		n=$((n + 1))
	done
}

run_command()
{
	mkfifo "$state/out" "$state/err"
	cat "$state/out" >&4 &
	out=$!
	cat "$state/err" >&5 &
	err=$!
	exec 6>"$state/out" 7>"$state/err"
	[ -z "$MERGE" ] || exec 7>&6
	input=/dev/null
	[ -z "$LISTEN" ] || input=$(port in)
	setsid sh "$state/cmd" <"$input" >&6 2>&7 3>&- 4>&- 5>&- 6>&- 7>&-
	status=$?
	exec 6>&- 7>&-
	# What the command left running may hold its output open.
	(sleep 5; kill $out $err 2>/dev/null) &
	wait $out $err
}

run_interactive()
{
	# shellcheck disable=SC2086 # three words
	set -- $TTY
	export TERM="${1:-dumb}"
	[ $# -lt 3 ] || stty rows "$2" cols "$3" </dev/hvc0
	setsid -c sh "$state/cmd" <>/dev/hvc0 >&0 2>&1 3>&- 4>&- 5>&-
	status=$?
}

set_up
exec 3<>"$(port ctl)" 4>"$(port out)" 5>"$(port err)"
echo boot >&3
read -r TESSERA_BOOT <&3
export TESSERA_BOOT
(while sleep 10; do echo alive >&3; done) &
status=125
if load_modules 2>&5 && serve_gpus && join_pair 2>&5; then
	cd "$CWD" 2>/dev/null || cd "$TREE" || cd /
	echo start >&3
	if [ -n "$INTERACTIVE" ]; then
		run_interactive
	else
		run_command
	fi
fi
sync
{ dmesg; mark; } >"$(port log)"
mark >&4
mark >&5
echo "exit $status" >&3
read -r _ <&3
busybox poweroff -f
