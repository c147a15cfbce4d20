#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What scripts/demo does when the host VM is lost, as TAP: the real script with a stand-in for
# scripts/vm that says what a run wants it to say.
#
# shellcheck disable=SC2016,SC2317 # scripts for other shells; functions called by name

. scripts/ktap.sh
dir=$(mktemp -d)
panic="vm: host: died before the command ended (emulator status 0, last sign of life: start"
ours="$panic)"
lost="$panic, without a function of Tessera in its last words)"
still="vm: host: no sign of life for 180 s (it came to: start); console and processors:"

# demo TIMES STATUS TEXT: the first TIMES host VMs end so, the next one succeeds
demo()
{
	echo 0 >"$dir/boots"
	cat >"$dir/scripts/vm" <<VM
#!/bin/sh
read -r n <"$dir/boots"
echo \$((n + 1)) >"$dir/boots"
echo "the pool"
[ \$n -lt $1 ] || { echo "demo ok: 2 guests"; exit 0; }
echo "$3" >&2
exit $2
VM
	chmod +x "$dir/scripts/vm"
	status=0
	"$dir/scripts/demo" >"$dir/out.txt" 2>"$dir/err.txt" || status=$?
	cat "$dir/out.txt" "$dir/err.txt"
	read -r boots <"$dir/boots"
	again=$(grep -c "^demo: the emulator lost the host VM (.*): beginning again" "$dir/out.txt") || true
}

# ends STATUS BOOTS LINES: and what was said on standard error came through
ends()
{
	echo "status $status, $boots host VMs, $again lines"
	[ "$status" -eq "$1" ] && [ "$boots" -eq "$2" ] && [ "$again" -eq "$3" ] &&
		[ "$(grep -c "^vm: host: " "$dir/err.txt")" -eq "${4:-$3}" ]
}

panics() { demo 1 126 "$lost" && ends 0 2 1; }
dies() { demo 2 125 "$lost" && ends 0 3 2; }
stands_still() { demo 1 123 "$still" && ends 0 2 1; }
always() { demo 9 126 "$lost" && ends 126 3 2 3; }
in_our_code() { demo 1 126 "$ours" && ends 126 1 0 1; }
fails() { demo 1 1 "demo failed: a mismatch" && ends 1 1 0; }
late() { demo 1 124 "vm: host: no end after 1500 s" && ends 124 1 0 1; }

ktap_begin
mkdir -p "$dir/scripts/demo.d"
cp scripts/demo "$dir/scripts/"
cp scripts/demo.d/boot.sh "$dir/scripts/demo.d/"
check "a panic of the translated host VM: the demo begins again" panics
check "so it does twice" dies
check "and if the host VM stands still" stands_still
check "three times are enough" always
check "a panic in a function of our modules counts" in_our_code
check "a demo that fails is not run again" fails
check "nor one that takes too long, without a proof" late
rm -r "$dir"
ktap_end
