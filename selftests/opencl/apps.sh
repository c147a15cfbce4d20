#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: selftests/opencl/apps.sh [--short] [NAME...]
#
# Programs that others wrote, as Debian has them, on the first GPU or on a server's
# (scripts/remote run): demo (an example of pyopencl), pyopencl (more of them, and its tests),
# clblast, clpeak, hashcat. --short: one or two of each, for guests. TAP.

cd "$(dirname "$0")/../.." || exit 1
case ${1:-} in
-h | --help) sed -n '4,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
short=
if [ "${1:-}" = --short ]; then
	short=yes
	shift
fi
# shellcheck source=scripts/ktap.sh
. scripts/ktap.sh
if [ -z "${OCL_ICD_VENDORS:-}" ]; then
	# shellcheck source=selftests/opencl/env.sh
	. selftests/opencl/env.sh
fi
pyopencl=/usr/share/doc/python-pyopencl-doc/examples
export PYOPENCL_CTX=0 HOME=/tmp PYTHONDONTWRITEBYTECODE=1

# A word of four letters, of which the last three are searched, by its sum of kind $1 (tool $2)
hashcat_finds()
{
	local sum found status=0

	sum=$(printf %s "$3" | "$2" | cut -d' ' -f1)
	found=$(mktemp)
	hashcat -m "$1" -a 3 --force -n 1 -u 1 -T 32 --potfile-disable --logfile-disable \
		--restore-disable --outfile "$found" --outfile-format 2 "$sum" "${3:0:1}?l?l?l" &&
		grep -qx "$3" "$found" || status=1
	rm -f "$found"
	return "$status"
}

hashcat_all()
{
	check "hashcat finds a password by its MD5" hashcat_finds 0 md5sum tess
	[ -z "$short" ] || return 0
	check "hashcat finds a password by its SHA-256" hashcat_finds 1400 sha256sum slab
}

clpeak_runs()
{
	clpeak "$@" | tee /dev/stderr | grep -E ': [0-9.]+( us)?$' | grep -qv ': 0'
}

# Its other kernels are for GPUs that do in a second what an emulated one does in hours.
clpeak_all()
{
	check "clpeak measures transfers" clpeak_runs --transfer-bandwidth
	[ -z "$short" ] || return 0
	check "clpeak measures the latency of a kernel" clpeak_runs --kernel-latency
}

# Its tests compare with a BLAS of the CPU, and end with the number of those that failed.
clblast_all()
{
	local routine precision=()

	[ -z "$short" ] || precision=(-precision 32)
	for routine in xaxpy xdot xscal; do
		check "clblast: $routine" "clblast_test_$routine" -platform 0 -device 0 \
			"${precision[@]}"
	done
}

python()
{
	(cd "$pyopencl" && python3 "$@")
}

demo_all()
{
	check "pyopencl: demo.py" python demo.py
}

pyopencl_all()
{
	local e examples=(demo_array demo_elementwise demo_elementwise_complex demo-struct-reduce narray)
	local tests=(arrays_in_structs clrandom enqueue_copy)

	if [ -n "$short" ]; then
		examples=(demo_array demo-struct-reduce)
		tests=(enqueue_copy)
	fi
	for e in "${examples[@]}"; do
		check "pyopencl: $e.py" python "$e.py"
	done
	for e in "${tests[@]}"; do
		check "pyopencl: test_$e.py" python -m pytest -q --no-header \
			-p no:cacheprovider "test_$e.py"
	done
}

[ $# -gt 0 ] || set -- demo pyopencl clblast clpeak hashcat
ktap_begin
for name; do
	"${name}_all" || flunk "no program \"$name\""
done
ktap_end
