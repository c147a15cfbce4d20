# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Completion of tesseractl for bash: commands, options, and what the pool has.

_tesseractl_sysfs()
{
	local i root=${TESSERA_SYSFS:-/sys}
	for ((i = 1; i < COMP_CWORD; i++)); do
		[[ ${COMP_WORDS[i]} != --sysfs ]] || root=${COMP_WORDS[i + 1]}
	done
	echo "$root"
}

_tesseractl_root()
{
	echo "$(_tesseractl_sysfs)/class/tessera"
}

# Names below the class: "gpu*" "gpu*/slices/slice*" "gpu*/vgpus/*"
_tesseractl_paths()
{
	local root path
	root=$(_tesseractl_root)
	for path in $(compgen -G "$root/$1" | sort -V); do
		path=${path#"$root"/}
		echo "${path/\/slices\///}"
	done
}

_tesseractl_vgpus()
{
	local path
	for path in $(_tesseractl_paths 'gpu*/vgpus/*'); do
		echo "${path##*/}"
	done | sort -u
}

# Mediated devices, also those without slices
_tesseractl_mdevs()
{
	local path
	for path in $(compgen -G "$(_tesseractl_sysfs)/class/mdev_bus/*/*-*-*-*-*/blueprint"); do
		path=${path%/blueprint}
		echo "${path##*/}"
	done | sort -u
}

_tesseractl_types()
{
	local path types
	types="$(_tesseractl_sysfs)/class/mdev_bus/*/mdev_supported_types/tessera_*-*"
	for path in $(compgen -G "$types"); do
		echo "${path##*-}"
	done | sort -u
}

_tesseractl_words()
{
	echo slices= min= max= memory= weight= cap=
	echo kind=any kind=compute kind=render kind=mixed
	echo topology=none topology=chain topology=ring topology=mesh
	echo engines=all engines=compute engines=compute,copy engines=compute,copy,raster
	echo share=exclusive share=shared policy=manual policy=auto
}

_tesseractl_vslices()
{
	local path
	for path in $(_tesseractl_paths "gpu*/vgpus/$1/vslice*"); do
		echo "${path##*/vslice}"
	done
}

_tesseractl_slices()
{
	_tesseractl_paths 'gpu*/slices/slice*'
}

_tesseractl_settings()
{
	case $2/$1 in
	create/* | compose/*) _tesseractl_words ;;
	*/slice*) echo policy=fair policy=fixed policy=besteffort quantum_us= preempt_timeout_us= ;;
	*) echo weight= cap= policy=manual policy=auto ;;
	esac
}

_tesseractl_options()
{
	echo --json --help --sysfs
	case $1 in
	list) echo --long --query --format --list-fields ;;
	metrics) echo --counters ;;
	create) echo --gpu --uuid --type --profile --dry-run ;;
	compose) echo --profile --dry-run ;;
	remove) echo --dry-run ;;
	watch) echo --count --seconds ;;
	top) echo --batch --interval --sort ;;
	trace) echo --vgpu --slice --seconds --tracefs ;;
	'') echo --tracefs --version ;;
	esac
}

# The program's fields, behind those that are typed already
_tesseractl_fields()
{
	local done=${1%"${1##*,}"}
	tesseractl list --list-fields 2>/dev/null | sed "s/^/$done/"
}

# Operand number $2 (from 0) of command $1; $3 is the first one
_tesseractl_operands()
{
	case $1/$2 in
	show/0) _tesseractl_vgpus; _tesseractl_slices; _tesseractl_paths 'gpu*' ;;
	create/* | compose/[1-9]*) _tesseractl_words ;;
	compose/0 | remove/*) _tesseractl_mdevs ;;
	profile/0) _tesseractl_vgpus ;;
	set/0) _tesseractl_vgpus; _tesseractl_slices ;;
	set/*) _tesseractl_settings "$3" set ;;
	move/0) _tesseractl_vgpus ;;
	move/1) _tesseractl_vslices "$3" ;;
	move/2) _tesseractl_slices ;;
	esac
}

_tesseractl()
{
	local cur prev cmd='' first='' key='' words i operands=0
	cur=${COMP_WORDS[COMP_CWORD]}
	prev=${COMP_WORDS[COMP_CWORD - 1]}
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--sysfs | --tracefs | --vgpu | --slice | --seconds | --batch | --interval | --sort | \
			--gpu | --uuid | --type | --profile | --count | --query | --format)
			((i++)) || true ;;
		-*) ;;
		*)
			if [[ -z $cmd ]]; then
				cmd=${COMP_WORDS[i]}
			else
				first=${first:-${COMP_WORDS[i]}}
				((operands++)) || true
			fi ;;
		esac
	done
	# bash takes "policy=fair" for three words
	if [[ $cur == = ]]; then
		key=$prev cur=''
	elif [[ $prev == = ]]; then
		key=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	case $prev/$cur in
	--sysfs/* | --tracefs/*) mapfile -t COMPREPLY < <(compgen -d -- "$cur"); return ;;
	--vgpu/*) words=$(_tesseractl_vgpus) ;;
	--slice/*) words=$(_tesseractl_slices) ;;
	--gpu/*) words=$(_tesseractl_paths 'gpu*') ;;
	--type/*) words=$(_tesseractl_types) ;;
	--profile/*) mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
	--query/*) words=$(_tesseractl_fields "$cur") ;;
	--format/*) words='csv json' ;;
	--sort/*) words='name utilization weight queue switches moves' ;;
	--batch/* | --interval/* | --seconds/* | --count/* | --uuid/*) return ;;
	*/-*) words=$(_tesseractl_options "$cmd") ;;
	*)
		if [[ -n $key ]]; then
			words=$(_tesseractl_settings "$first" "$cmd" | tr ' ' '\n' | sed -n "s/^$key=//p")
		elif [[ -z $cmd ]]; then
			words='list show create compose remove profile set move top metrics watch trace'
		else
			words=$(_tesseractl_operands "$cmd" "$operands" "$first")
		fi ;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
	if [[ ${COMPREPLY[0]-} == *= ]]; then
		compopt -o nospace 2>/dev/null || true
	fi
}

complete -F _tesseractl tesseractl
