# SPDX-License-Identifier: MIT
# dtrace.bash - completion of dtrace's command line for bash: options, their values, files, processes, and names of probes
# part by part.

# Letters with a value, and all.
_dtrace_valued=bcDfiILmnopPsUWxXy
_dtrace_letters=aABcbCdDeFfGhHiIlLmnoOpPqsSUvVwWxXyZ

# The words so far, split at blanks only: a colon or an equals sign does not end a word of dtrace's. Sets cur, prev.
_dtrace_words()
{
	local line=${COMP_LINE:0:COMP_POINT}
	local -a words
	read -ra words <<<"$line"
	[[ $line == *[[:space:]] ]] && words+=("")
	cur=${words[-1]}
	prev=${words[-2]}
	cur=${cur#[\'\"]}
}

# Candidates "$@" that begin with cur, without the part of it before the last colon or equals sign, which bash has put into a
# word of its own.
_dtrace_reply()
{
	local head='' word
	[[ $COMP_WORDBREAKS == *:* && $cur == *:* ]] && head=${cur%"${cur##*:}"}
	[[ $COMP_WORDBREAKS == *=* && $cur == *=* ]] && head=${cur%"${cur##*=}"}
	for word in "$@"; do
		[[ $word == "$cur"* ]] && COMPREPLY+=("${word#"$head"}")
	done
}

# Offer words as _dtrace_reply does, without a blank after them.
_dtrace_reply_open()
{
	_dtrace_reply "$@"
	compopt -o nospace 2>/dev/null
}

# Provider, module, function and name of probes, tabs between, of those that options "$@" choose.
_dtrace_probes()
{
	dtrace -l -x oformat=json "$@" 2>/dev/null |
		awk -F'"' -v OFS='\t' '/^{"id"/ { print $6, $10, $14, $18 }'
}

# The process of a provider's name, in which $target is the one of -p; a glob for pid*; nothing if there is none.
_dtrace_pid_process()
{
	local -a words
	local i process=${1#pid}
	[[ $process == '*' ]] && process='[0-9]*'
	read -ra words <<<"$COMP_LINE"
	for ((i = 1; i < ${#words[@]} && ${#process}; i++)); do
		[[ $process == '$target' && ${words[i - 1]} == -*([[:alpha:]])p ]] && process=${words[i]}
	done
	[[ $process == '$target' ]] || echo "$process"
}

# Names of the field that a description of the pid provider has come to. Its probes come to be when they are asked for: those
# of all instructions of a process must not be.
_dtrace_pid()
{
	local colons=${cur//[^:]/} head=${cur%:*}: process
	local -a names
	process=$(_dtrace_pid_process "${cur%%:*}")
	case ${#colons} in
	1)	# shellcheck disable=SC2086
		mapfile -t names < <(cat /proc/${process:-none}/maps 2>/dev/null | awk -v head="$head" '
			$2 ~ /x/ && $6 ~ /^\// { sub(/.*\//, "", $6); print head $6 ":" }' | sort -u)
		_dtrace_reply_open "${names[@]}" "${head}a.out:"
		;;
	2)	[[ $process ]] || return
		mapfile -t names < <(_dtrace_probes -n "pid${process/#\[0-9]/}${cur#"${cur%%:*}"}*:entry" |
			awk -F'\t' -v head="$head" '$3 !~ /:/ { print head $3 ":" }' | sort -u)
		_dtrace_reply_open "${names[@]}"
		;;
	3)	_dtrace_reply "$head"{entry,return} ;;
	esac
}

# Names of the field that a probe description has come to; first: which field (1 provider ... 4 name) it begins with.
_dtrace_description()
{
	local first=$1 last=$2 colons=${cur//[^:]/} head='' field
	local -a names limit colon=('' :)
	field=$((first + ${#colons}))
	((field > last)) && return
	if [[ $first == 1 && $cur =~ ^pid([0-9]+|[*]|[$]target): ]]; then
		_dtrace_pid
		return
	fi
	((${#colons})) && head=${cur%:*}:
	((first == 1 && ${#colons})) && limit=(-P "${cur%%:*}")
	mapfile -t names < <(_dtrace_probes "${limit[@]}" | awk -F'\t' -v head="$head" -v first="$first" -v field="$field" -v last="$last" '
		{ text = ""
		  for (i = first; i < field; i++) text = text $i ":"
		  if (text == head && $field != "") print text $field (field < 4 && field < last ? ":" : "") }
		text == head && $field == "" && field < last { print text ":" }' | sort -u)
	((first == 1 && field == 1)) && names+=({'pid$target','pid*'}"${colon[last > 1]}")
	_dtrace_reply_open "${names[@]}"
}

# After -n a name alone will do as well.
_dtrace_names()
{
	local -a names
	_dtrace_description 1 4
	[[ $cur == *:* ]] && return
	mapfile -t names < <(_dtrace_probes | cut -f4 | sort -u)
	_dtrace_reply "${names[@]}"
}

# NAME[=VALUE] of -x.
_dtrace_option()
{
	local -a names
	case $cur in
	oformat=*) _dtrace_reply oformat={json,text,xml} ;;
	bufpolicy=*) _dtrace_reply bufpolicy={fill,ring,switch} ;;
	bufresize=*) _dtrace_reply bufresize={auto,manual} ;;
	evaltime=*) _dtrace_reply evaltime={exec,main,postinit,preinit} ;;
	encoding=*) _dtrace_reply encoding={ascii,utf8} ;;
	stdc=*) _dtrace_reply stdc={a,c,s,t} ;;
	*=*) ;;
	*)
		mapfile -t names < <(dtrace -x help 2>/dev/null | sed -n 's/^\([a-z_]*\) .*/\1/p')
		_dtrace_reply_open "${names[@]}" help
		;;
	esac
}

# Files that end in SUFFIX if one is given, and folders.
_dtrace_files()
{
	compopt -o filenames 2>/dev/null
	if [[ ${1-} ]]; then
		mapfile -t COMPREPLY < <(compgen -f -X "!*$1" -- "$cur"; compgen -d -- "$cur")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
	fi
}

_dtrace_value()
{
	case $1 in
	c) mapfile -t COMPREPLY < <(compgen -c -- "$cur") ;;
	f) _dtrace_description 3 3 ;;
	i) mapfile -t COMPREPLY < <(compgen -W "$(dtrace -l 2>/dev/null | awk 'NR > 1 { print $1 }')" -- "$cur") ;;
	I | L) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
	m) _dtrace_description 2 2 ;;
	n) _dtrace_names ;;
	o) _dtrace_files ;;
	p) mapfile -t COMPREPLY < <(compgen -W "$(cd /proc && echo [0-9]*)" -- "$cur") ;;
	P) _dtrace_description 1 1 ;;
	s) _dtrace_files .d ;;
	W) mapfile -t COMPREPLY < <(compgen -c -- "$cur") ;;
	x) _dtrace_option ;;
	X) mapfile -t COMPREPLY < <(compgen -W 'a c s t' -- "$cur") ;;
	esac
}

_dtrace()
{
	local cur prev letter
	COMPREPLY=()
	_dtrace_words
	letter=${prev: -1}
	if [[ $prev == -[[:alpha:]]* && $_dtrace_valued == *"$letter"* ]]; then
		_dtrace_value "$letter"
	elif [[ $cur == -x* ]]; then
		cur=${cur#-x}
		_dtrace_option
		[[ $cur != *=* ]] && COMPREPLY=("${COMPREPLY[@]/#/-x}")
	elif [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(printf -- '-%s ' $(grep -o . <<<"$_dtrace_letters")) -32 -64 --help --version" -- "$cur")
	else
		_dtrace_files
	fi
}

complete -F _dtrace dtrace
