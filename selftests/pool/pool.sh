#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The pool as user space sees it: files, ownership, GPUs that come and go. Runs in a
# host VM with two GPUs and all modules.
#
# shellcheck disable=SC2086,SC2231 # no value here has a space in it

tree=$(dirname "$(readlink -f "$0")")/../..
# shellcheck source=scripts/ktap.sh
. "$tree/scripts/ktap.sh"

class=/sys/class/tessera
gpu=$class/gpu0
abi=$tree/Documentation/ABI/testing/sysfs-tessera
pci=$(basename "$(readlink -f $gpu/device)")
module=${TESSERA_DRIVER:-tessera_pci}
driver=/sys/bus/pci/drivers/$module
recoveries=/sys/module/$module/parameters/recoveries
types=/sys/bus/pci/devices/$pci/mdev_supported_types/$module-

is() # FILE VALUE
{
	val=$(cat "$1") || return
	[ "$val" = "$2" ] || { echo "$1: \"$val\", expected \"$2\""; return 1; }
}

# Of what only the bus of PCI GPUs can do, or a GPU that needs no process
pci_check()
{
	if [ "$module" = tessera_pci ]; then
		check "$@"
	else
		skip "$1" "not with $module"
	fi
}

# Names of the files below a directory, as the ABI document has them
names()
{
	(cd "$1" && find . -maxdepth 1 -type f ! -name uevent | sed 's,^./,,' | sort)
}

documented()
{
	sed -n "s,^What:[[:space:]]*$1,,p" "$abi" | grep -v / | grep . | sort
}

same_names() # DIR PREFIX
{
	names "$1" >/tmp/there
	documented "$2" >/tmp/documented
	diff /tmp/documented /tmp/there
}

# Files below a directory that can be written, as the ABI document has them
writable()
{
	awk -v prefix="$1" '
		$1 == "What:" { n = described ? 1 : n + 1; what[n] = $2; described = 0 }
		/^Description:/ { described = 1; first = 1; next }
		described && first {
			first = 0
			for (i = 1; index($1, "(RW)") && i <= n; i++)
				if (index(what[i], prefix) == 1)
					print substr(what[i], length(prefix) + 1)
		}' "$abi" | grep -v / | sort
}

# The same for files that only the administrator reads
private()
{
	awk -v prefix="$1" '
		$1 == "What:" { n = described ? 1 : n + 1; what[n] = $2; described = 0 }
		/^Description:/ { described = 1; first = 1; next }
		described && first {
			first = 0
			for (i = 1; index($0, "(mode 0440)") && i <= n; i++)
				if (index(what[i], prefix) == 1)
					print substr(what[i], length(prefix) + 1)
		}' "$abi" | grep -v / | sort
}

same_modes() # DIR PREFIX
{
	writable "$2" >/tmp/documented
	find "$1" -maxdepth 1 -type f ! -name uevent -perm 644 -printf '%f\n' | sort >/tmp/there
	diff /tmp/documented /tmp/there || return
	private "$2" >/tmp/documented
	find "$1" -maxdepth 1 -type f ! -name uevent -perm 440 -printf '%f\n' | sort >/tmp/there
	diff /tmp/documented /tmp/there || return
	find "$1" -maxdepth 1 -type f ! -name uevent ! -perm 644 ! -perm 444 ! -perm 440 \
		-print >/tmp/odd
	[ ! -s /tmp/odd ] || { cat /tmp/odd; return 1; }
}

all_modes()
{
	same_modes $gpu "$class/gpu<N>/" &&
		same_modes $gpu/slices/slice0 "$class/gpu<N>/slices/slice<M>/" &&
		same_modes $gpu/vgpus/drm "$class/gpu<N>/vgpus/<NAME>/" &&
		same_modes $gpu/vgpus/drm/vslice0 "$class/gpu<N>/vgpus/<NAME>/vslice<K>/"
}

# What vGPUs do at which time is not for everybody
nobody_sees_activity()
{
	for name in slices/slice0/busy_cycles slices/slice0/counters slices/slice0/switches vgpus/drm/vslice0/resident \
		vgpus/drm/vslice0/run_cycles vgpus/drm/vslice0/utilization; do
		cat $gpu/$name >/dev/null || return
		! setpriv --reuid=65534 --regid=65534 --clear-groups cat $gpu/$name 2>/dev/null ||
			{ echo "anybody reads $name"; return 1; }
	done
	setpriv --reuid=65534 --regid=65534 --clear-groups cat $gpu/slices/slice0/kind \
		$gpu/vgpus/drm/vslice0/slice
}

all_readable()
{
	find $gpu/slices $gpu/vgpus -type f -exec cat {} + >/dev/null &&
		find $gpu/ -maxdepth 1 -type f ! -name uevent -exec cat {} + >/dev/null
}

# Number of slices with a value in a file
count()
{
	cat $gpu/slices/slice*/"$1" | grep -cx "$2"
}

counts()
{
	n=$(count "$1" "$2")
	[ "$n" -eq "$3" ] || { echo "$n slices with $1 $2, expected $3"; return 1; }
}

banks_tile_vram()
{
	end=0
	for i in $(seq 0 15); do
		is $gpu/slices/slice"$i"/bank_offset $end || return
		end=$((end + $(cat $gpu/slices/slice"$i"/bank_size)))
	done
	is $gpu/vram_total $end
}

kind_shape() # KIND CORES ENGINES
{
	for s in $gpu/slices/slice*; do
		[ "$(cat "$s"/kind)" = "$1" ] || continue
		is "$s"/cores "$2" && is "$s"/engines "$3" || return
		is "$s"/compute_rate $(($2 * $(cat $gpu/clock_khz) * 1000)) || return
	done
}

# Sum of a counter over all slices
sum() # COUNTER
{
	cat $gpu/slices/slice*/"$1" | awk '{ n += $1 } END { printf "%d\n", n }'
}

work()
{
	"$tree/out/selftests/drm/submit" >/tmp/work || { cat /tmp/work; return 1; }
}

work_is_counted()
{
	time=$(cat $gpu/time_cycles)
	busy=$(sum busy_cycles)
	insns=$(sum instructions)
	work || return
	[ "$(cat $gpu/time_cycles)" -gt "$time" ] && [ "$(sum busy_cycles)" -gt "$busy" ] &&
		[ "$(sum instructions)" -gt "$insns" ] && [ "$(sum packets)" -gt 0 ]
}

# An idle GPU: each counter is as its own file has it, and none is left out
counters_in_one_look()
{
	private "$class/gpu<N>/slices/slice<M>/" |
		grep -vxE 'switches|preemptions|timeouts|moves_in|moves_out|counters' >/tmp/documented
	for dir in $gpu/slices/slice*; do
		[ "$(sed -n '1s/time_cycles //p' "$dir/counters")" -gt 0 ] || return
		tail -n +2 "$dir/counters" >/tmp/counters
		cut -d' ' -f1 /tmp/counters | sort | diff /tmp/documented - || return
		while read -r name value; do
			is "$dir/$name" "$value" || return
		done </tmp/counters
	done
	grep -q '^instructions [1-9]' $gpu/slices/slice*/counters
}

# Slices are reset when they change hands, their history is not
counters_stay()
{
	before=$(sum instructions)
	for type in C4 R4 M4; do
		vgpu_create $type "$(uuid 1)" && vgpu_remove "$(uuid 1)" || return
	done
	[ "$before" -gt 0 ] && [ "$(sum instructions)" = "$before" ]
}

route_takes() # VALUE
{
	echo "$1" >/sys/module/tessera/parameters/route && is /sys/module/tessera/parameters/route "$1"
}

route_refuses()
{
	! echo nonsense >/sys/module/tessera/parameters/route && is /sys/module/tessera/parameters/route page
}

vgpu_create() # TYPE UUID
{
	echo "$2" >"$types$1/create"
}

vgpu_remove() # UUID
{
	echo 1 >/sys/bus/mdev/devices/"$1"/remove
}

available() # TYPE NUMBER
{
	is "$types$1/available_instances" "$2"
}

uuid()
{
	printf '00000000-0000-0000-0000-%012d' "$1"
}

# As many as are promised, and not one more
exactly() # TYPE
{
	promised=$(cat "$types$1/available_instances")
	i=0
	while [ $i -lt "$promised" ]; do
		vgpu_create "$1" "$(uuid $i)" || return
		i=$((i + 1))
		available "$1" $((promised - i)) || return
	done
	! vgpu_create "$1" "$(uuid 99)" 2>/dev/null || return
	dmesg | tail -n 3 | grep -q "insufficient" || { echo "no reason in the log"; return 1; }
	while [ $i -gt 0 ]; do
		i=$((i - 1))
		vgpu_remove "$(uuid $i)" || return
	done
	available "$1" "$promised"
}

owner_is_shown()
{
	before=$(cat $gpu/generation)
	vgpu_create C2 "$(uuid 1)" || return
	counts owner "$(uuid 1)" 2 && counts state used 2 && counts owner drm 14 &&
		is $gpu/slices_free 14 && [ "$(cat $gpu/generation)" -gt "$before" ]
	status=$?
	vgpu_remove "$(uuid 1)" && counts state elastic 16 && is $gpu/slices_free 16 && return $status
}

# The slices of one vGPU are neighbours
neighbours()
{
	vgpu_create R4 "$(uuid 1)" || return
	used=$(cd $gpu/slices && grep -lx "$(uuid 1)" slice*/owner | sed 's/[^0-9]//g' | sort -n | tr '\n' ' ')
	vgpu_remove "$(uuid 1)"
	# shellcheck disable=SC2086,SC2231 # a list
	set -- $used
	[ $# -eq 4 ] && [ $(($4 - $1)) -eq 3 ] || { echo "slices $used"; return 1; }
}

memory_is_back() # VRAM
{
	vgpu_create M4 "$(uuid 1)" || return
	[ "$(cat $gpu/vram_free)" -eq $(($1 - 4 * $(cat $gpu/slices/slice0/bank_size))) ]
	status=$?
	vgpu_remove "$(uuid 1)"
	is $gpu/vram_free "$1" && return $status
}

service_out_and_in()
{
	s=$gpu/slices/slice0
	is $s/service in && echo out >$s/service && is $s/service out && is $s/state offline || return
	is $s/owner "" && is $gpu/slices_free 15 && is $gpu/vgpus/drm/vslice0/slice -1 && work || return
	echo out >$s/service && is $s/service out || return
	echo in >$s/service && is $s/service in && is $s/state elastic && is $gpu/slices_free 16 && work
}

# Its owner keeps it, then nobody gets it
service_drains()
{
	vgpu_create C2 "$(uuid 1)" || return
	owned=$(grep -lx "$(uuid 1)" $gpu/slices/slice*/owner | xargs -n 1 dirname)
	for s in $owned; do
		echo out >"$s"/service && is "$s"/service draining && is "$s"/state used || return
	done
	available C2 2 && vgpu_remove "$(uuid 1)" && is $gpu/slices_free 14 && available C2 2 || return
	counts state offline 2
	for s in $owned; do
		is "$s"/service out && echo in >"$s"/service || return
	done
	counts state elastic 16 && available C2 3
}

service_of_all()
{
	for s in $gpu/slices/slice*; do
		echo out >"$s"/service || return
	done
	counts state offline 16 && is $gpu/slices_free 0 && available C1 0 || return
	! vgpu_create C1 "$(uuid 1)" 2>/dev/null || return
	for s in $gpu/slices/slice*; do
		echo in >"$s"/service || return
	done
	counts state elastic 16 && vgpu_create C1 "$(uuid 1)" && vgpu_remove "$(uuid 1)" && work
}

service_refuses()
{
	! echo draining >$gpu/slices/slice0/service && ! echo >$gpu/slices/slice0/service &&
		is $gpu/slices/slice0/service in
}

# Out and in while vGPUs come and go; then everything is back
service_race()
{
	(for n in 1 2 3 4 5 6 7 8; do
		for s in $gpu/slices/slice*; do echo out >"$s"/service; done
		for s in $gpu/slices/slice*; do echo in >"$s"/service; done
	done) &
	for k in 1 2; do
		(for n in 1 2 3 4 5 6; do
			vgpu_create C2 "$(uuid $k)" 2>/dev/null && vgpu_remove "$(uuid $k)"
		done) &
	done
	wait
	counts state elastic 16 && counts service in 16 && available C2 3 && work
}

race() # create and remove from several sides at once, then everything is back
{
	for k in 1 2 3 4; do
		(for n in 1 2 3 4 5; do
			vgpu_create C2 "$(uuid $k)" 2>/dev/null && vgpu_remove "$(uuid $k)"
		done) &
	done
	wait
	counts state elastic 16 && available C2 3
}

rebind()
{
	for n in 1 2 3 4 5; do
		echo "$pci" >$driver/unbind || return
		[ ! -e $gpu ] || { echo "still there"; return 1; }
		echo "$pci" >$driver/bind || return
		is $gpu/slices_free 16 && is $gpu/vram_free "$vram" || return
	done
}

unbind_with_vgpu()
{
	vgpu_create C2 "$(uuid 1)" && echo "$pci" >$driver/unbind || return
	[ ! -e $gpu ] && [ ! -e /sys/bus/mdev/devices/"$(uuid 1)" ]
	status=$?
	echo "$pci" >$driver/bind && is $gpu/slices_free 16 && return $status
}

other_gpu_stays()
{
	cat $class/gpu1/generation >/tmp/generation
	echo "$pci" >$driver/unbind || return
	is $class/gpu1/slices_free 16 && is $class/gpu1/generation "$(cat /tmp/generation)"
	status=$?
	echo "$pci" >$driver/bind
	[ "$(basename "$(readlink -f $gpu/device)")" = "$pci" ] && return $status
}

function_reset()
{
	echo 1 >/sys/bus/pci/devices/"$pci"/reset || return
	is $gpu/slices_free 16 && counts state elastic 16
}

hotplug()
{
	echo 1 >/sys/bus/pci/devices/"$pci"/remove && [ ! -e $gpu ] || return
	echo 1 >/sys/bus/pci/rescan && is $gpu/slices_free 16
}

# Memory decoding off: the device answers no more, as if it had been pulled
recovers()
{
	setpci -s "$pci" COMMAND=0:2
	! vgpu_create C2 "$(uuid 1)" 2>/dev/null || return
	timeout 20 sh -c "until dmesg | grep -q 'is reset, all who used it'; do sleep 0.1; done" || return
	timeout 20 sh -c "until grep -qs 16 $gpu/slices_free; do sleep 0.1; done" || return
	work
}

does_not_answer()
{
	echo 0 >$recoveries
	setpci -s "$pci" COMMAND=0:2
	! vgpu_create C2 "$(uuid 1)" 2>/dev/null || return
	timeout 5 sh -c "until dmesg | grep -q 'does not answer any more'; do sleep 0.1; done" || return
	! cat $gpu/slices/slice0/busy_cycles 2>/dev/null && available C2 0 || return
	timeout 20 sh -c "echo $pci >$driver/unbind" && [ ! -e $gpu ]
}

answers_again()
{
	setpci -s "$pci" COMMAND=2:2
	echo 3 >$recoveries
	echo "$pci" >$driver/bind && is $gpu/slices_free 16 && work
}

open_file_survives()
{
	exec 3<$gpu/slices/slice0/busy_cycles 4<$gpu/slices_free
	echo "$pci" >$driver/unbind
	cat <&3 >/dev/null 2>&1
	cat <&4 >/dev/null 2>&1
	exec 3<&- 4<&-
	echo "$pci" >$driver/bind && is $gpu/slices_free 16
}

stays_in_use()
{
	vgpu_create C2 "$(uuid 1)" || return
	! rmmod tessera_mdev 2>/dev/null && ! rmmod "$module" 2>/dev/null &&
		counts owner "$(uuid 1)" 2
	status=$?
	vgpu_remove "$(uuid 1)" && is $gpu/slices_free 16 && return $status
}

core_alone()
{
	rmmod tessera_mdev tessera_drm || return
	counts state free 16 || return
	modprobe_all
}

modprobe_all()
{
	dir=$tree/out/modules/$(uname -r)
	for m in tessera tessera_chip $module tessera_drm tessera_mdev; do
		[ -d /sys/module/$m ] || insmod "$dir/$m.ko" || return
	done
}

unload()
{
	rmmod tessera_mdev tessera_drm "$module" tessera_chip tessera || return
	[ ! -e $class ] && modprobe_all && counts state elastic 16
}

ktap_begin
vram=$(cat $gpu/vram_free)
check "two GPUs" test -e $class/gpu1
check "files of a GPU are those documented" same_names $gpu '/sys/class/tessera/gpu<N>/'
check "files of a slice are those documented" same_names $gpu/slices/slice0 \
	'/sys/class/tessera/gpu<N>/slices/slice<M>/'
check "files of a vGPU are those documented" same_names $gpu/vgpus/drm \
	'/sys/class/tessera/gpu<N>/vgpus/<NAME>/'
check "files of a vslice are those documented" same_names $gpu/vgpus/drm/vslice0 \
	'/sys/class/tessera/gpu<N>/vgpus/<NAME>/vslice<K>/'
check "those files can be written that are documented so" all_modes
check "all files can be read" all_readable
check "what vGPUs do is seen by the administrator only" nobody_sees_activity
check "name" is $gpu/name "$pci"
check "type" is $gpu/type gpu
check "slices" is $gpu/slices_total 16
check "all slices can be had" is $gpu/slices_free 16
check "6 compute slices" counts kind compute 6
check "6 render slices" counts kind render 6
check "4 mixed slices" counts kind mixed 4
check "shape of compute slices" kind_shape compute 8 0x3
check "shape of render slices" kind_shape render 2 0xf
check "shape of mixed slices" kind_shape mixed 4 0xf
check "banks tile the VRAM" banks_tile_vram
check "nobody has VRAM" is $gpu/vram_free "$(cat $gpu/vram_total)"
check "the host's DRM device has all slices" counts owner drm 16
check "route=register" route_takes register
check "route=page" route_takes page
check "route=nonsense is refused" route_refuses
check "work is counted" work_is_counted
check "counters in one look" counters_in_one_look
check "counters outlive owners" counters_stay
for type in C1 C2 C4 R1 R2 R4 M1 M2 M4; do
	check "availability of $type is exact" exactly $type
done
check "owner and state of a vGPU's slices" owner_is_shown
check "slices of a vGPU are neighbours" neighbours
check "VRAM comes back" memory_is_back "$vram"
check "creating and removing at once" race
check "unbind and bind, 5 times" rebind
check "unbind with a vGPU" unbind_with_vgpu
check "the other GPU does not notice" other_gpu_stays
check "a slice out of service and back" service_out_and_in
check "a slice that somebody has drains" service_drains
check "all slices out of service and back" service_of_all
check "service is in or out" service_refuses
check "service changes while vGPUs come and go" service_race
pci_check "function level reset" function_reset
pci_check "hot unplug and plug" hotplug
pci_check "a GPU that does not answer is reset by itself" recovers
pci_check "or, if that is not wanted, leaves at once" does_not_answer
pci_check "and comes back" answers_again
check "files open across unbind" open_file_survives
check "modules stay while a vGPU uses them" stays_in_use
check "without front-ends all slices are free" core_alone
pci_check "unload and load all modules" unload
ktap_end
