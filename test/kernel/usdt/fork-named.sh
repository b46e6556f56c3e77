# SPDX-License-Identifier: MIT
# A description that names a process does not mean its forked children, but one with a pattern does, beside it too. With
# followfork both do. A child's provider has the child's number.
. ../_lib.sh
# forks OPTION... - trace a process that fires once, and whose two children fire twice and three times.
forks()
{
	start victim fork fire 2 end join fork fire 3 end join fire 1
	trace "$@" -n "
	victim$V:::tick { @named[pid == $V ? \"itself\" : \"a child\"] = count(); }
	victim*:::tick { @any[probeprov == strjoin(\"victim\", lltostr(pid)) ? \"own\" : \"not own\"] = count(); }
	victim$V:::tick /pid != $V/ { @children[probeprov == \"victim$V\" ? \"not own\" : \"own\"] = count(); }
	END { printa(\"named: %s %@d\\n\", @named); printa(\"any: %s %@d\\n\", @any); printa(\"children: %s %@d\\n\", @children); }"
	finish
	untrace
}
forks
echo "-- followfork"
forks -x followfork
