# SPDX-License-Identifier: MIT
# The probes that running processes have made: those of two processes and of a forked child are listed and
# traced by themselves; a child that removes one does not change its parent's; an exec ends all.
. ../_lib.sh
pipes one two three four five six
list()
{
	echo "$1:"
	dtrace -l -n 'app*:::' 2>/dev/null | awk '$2 ~ /^app/ { print $2, $3, $4, $5 }' |
		sed -e "s/app$A /appA /" -e "s/app$B /appB /" -e "s/app$C /appC /" | sort
}
runtime provider app probe f a 0 probe f b 0 enable tell "$T/one" wait "$T/two" fire a 1 \
	exec tell "$T/one" wait "$T/two" &
read -r A <"$T/one"
runtime provider app probe f a 0 enable tell "$T/three" wait "$T/four" fork \
	tell "$T/three" wait "$T/four" fire a 2 remove a probe f c 0 enable tell "$T/three" wait "$T/four" fire c 3 &
read -r B <"$T/three"
list two
echo go >"$T/four"
read -r C <"$T/three"
list "a child"
trace -n 'app*:::a { @[pid] = count(); } END { printa("%d %@d\n", @); }'
echo go >"$T/four"
read -r C <"$T/three"
echo go >"$T/two"
read -r A <"$T/one"
untrace >"$T/all"
sed -e "s/^$A /A /" -e "s/^$B /B /" -e "s/^$C /C /" "$T/all" | sort
list "after an exec, with a child's own"
trace -n 'app*:::c { @[pid] = count(); } END { printa("%d %@d\n", @); }'
echo go >"$T/four"
wait "$B"
untrace >"$T/all"
sed "s/^$C /C /" "$T/all"
list "one exec later"
echo go >"$T/two"
wait
