# SPDX-License-Identifier: MIT
# @@worlds: kernel pid probes of all processes, and what uprobes cannot step over
# @@long: yes
# @@kernels: 6.1 6.12
# An instruction without a probe is an error if it is named, and skipped with a message in a pattern.
# @@timeout: 90
. ../_lib.sh
dtrace -qn 'pid$target:a.out:do_returns:1' -c traced 2>&1 | tail -1
dtrace -qn 'pid$target:a.out:do_returns:100' -c traced 2>&1 | tail -1
dtrace -qn 'pid$target:libc:brk:5' -c traced 2>&1 | sed -n '1s/.*: failed/failed/p'
dtrace -qn 'pid$target:libc:brk:' -c traced 2>&1 | sed -n 's/[0-9][0-9]*:* *pid[0-9]*/N: pidN/; /without/p'
dtrace -qn 'pid*:libc.so.6:brk:, BEGIN { exit(0); }' 2>&1 | grep -v '^$'
dtrace -Zqn 'pid$target:liblate*:late*:{ @ = count(); }' -c "traced $BIN/liblate.so" 2>&1 | sed -n 's/[0-9][0-9]*:* *pid[0-9]*/N: pidN/; /without/p'
dtrace -qn 'pid$target:libc:str*:' -c traced 2>&1 | grep -E '^sum|SEGV|killed|signal' | cut -c1-20

# all instructions of one function; the first eight of several functions
dtrace -qn 'pid$target:a.out:every:' -c 'every 1 1' 2>&1 | sed -n 's/.*:a.out/a.out/; s/ *# 0x[0-9a-f]*//g; s/+0x[0-9a-f]*//g; s/0x[0-9a-f]*(%rip)/N(%rip)/g; /without/p' |
	tr '`' '\n'
dtrace -qn 'pid$target:a.out:ever[y]:' -c 'every 1 1' 2>&1 | sed -n "s/.*'\( and.*\)/\1/p"
