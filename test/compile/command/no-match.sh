# SPDX-License-Identifier: MIT
# A description that matches nothing says which name there is instead; so does -l.
refused()
{
	dtrace -n "$1" 2>&1 | tail -n +2
	dtrace -l -n "$1" 2>&1 | tail -n +2
}
refused noted:::plain
refused noted1234:::plan
refused noted99:::plain
refused nosuch1234:::plain
refused noted99999999:::plain
refused nosuch99999999:::plain
dtrace -l -n "nosuch$$:::plain" 2>&1 | tail -n +2 | sed "s/$$/PID/g"
refused nosuch:::plain
refused notde:::plain
refused type:::entry
refused 'notd*:::plain'
refused 'note*x:::plain'
refused 'noted*:::plan*'
refused 'noted*:::pln*'
refused 'noted*:::p*n*t'
refused typed::do_wrk:entry
refused 'typed::do_wrk*:entry'
refused typed::make_room:entry
refused 'typed:moe:do_work:entry'
refused plockstat:::
refused 'pid99999999::main:entry'
refused tick-100us
refused profile-5001
refused profile:::tick-101d
refused tick-5x
refused profile-hz
