# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Completion of tesseractl for bash. The program knows what can come.

_tesseractl()
{
	local words=() joins='' word cur lines i

	# bash takes "policy=fair" for three words
	for ((i = 1; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [[ ${#words[@]} -gt 0 && ($word == =* || $joins) ]]; then
			words[-1]+=$word
		else
			words+=("$word")
		fi
		joins=${word##*[!=]}
	done
	cur=${words[-1]}
	mapfile -t lines < <("$1" complete -- "${words[@]}" 2>/dev/null)
	case ${lines[0]-} in
	:files | :directories)
		compopt -o filenames 2>/dev/null || true
		[[ ${lines[0]} == :files ]] && i=-f || i=-d
		mapfile -t COMPREPLY < <(compgen "$i" -- "${cur#--*=}")
		return ;;
	esac
	COMPREPLY=("${lines[@]%%$'\t'*}")
	if [[ $COMP_WORDBREAKS == *=* && $cur == *=* ]]; then
		COMPREPLY=("${COMPREPLY[@]#"${cur%"${cur##*=}"}"}")
	fi
	if [[ ${COMPREPLY[0]-} == *= ]]; then
		compopt -o nospace 2>/dev/null || true
	fi
}

complete -F _tesseractl tesseractl
