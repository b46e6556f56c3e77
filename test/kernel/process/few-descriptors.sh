# SPDX-License-Identifier: MIT
# @@worlds: user the module needs no descriptors for processes
# @@timeout: 120
# dtrace with few descriptors traces its target, or fails and says how to get more.
. ../_lib.sh

# others - print lines of messages that do not name the limit.
others() { sed -e '/^$/d' -e '/ulimit -n/d' "$T/err"; }

for n in $(seq 10 40); do
	(
		ulimit -n "$n"
		exec dtrace -q -c 'victim fire 3' -n 'victim$target:::tick { @ = count(); } END { printa("%@d\n", @); }'
	) >"$T/out" 2>"$T/err"
	status=$?
	case $status-$(grep '[0-9]' "$T/out") in
	0-3) traced="$traced $n" ;;
	1-) refused="$refused $n" ;;
	*) echo "$n descriptors: status $status"; cat "$T/out" ;;
	esac
	others
done
[ "${refused#* 10 }" != "$refused" ] && echo "refused with few"
[ "${traced% 40}" != "$traced" ] && echo "traced with more"

echo "-- with enough for some of twelve processes"
mkfifo "$T/up" "$T/in"
cat >"$T/twelve" <<EOF
exec 8<>$T/in 9<>$T/up
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	victim fire 1 tell $T/up read <&8 &
	victims="\$victims \$!"
done
for v in \$victims; do
	read -r up <&9
done
kill \$victims
EOF
(
	ulimit -n 32
	exec dtrace -Zq -c "sh $T/twelve" -n 'victim*:::tick { @ = count(); } END { printa("%@d\n", @); }'
) >"$T/out" 2>"$T/err"
echo "status $?"
grep -q '^[1-9]' "$T/out" && echo "some are traced"
grep -q 'ulimit -n' "$T/err" && echo "others are not"
others

echo "-- a program that starts with few"
traced=
for n in $(seq 4 16); do
	dtrace -Zq -c "sh -c \"ulimit -n $n; exec victim fire 3\"" \
		-n 'victim$target:::tick { @ = count(); }' \
		>"$T/out" 2>"$T/err"
	grep -q '^ *3$' "$T/out" && traced=$n
	grep -o 'ulimit -n' "$T/err"
	others
done >"$T/said"
sort -u "$T/said"
[ "$traced" = 16 ] && echo "traced with more"
