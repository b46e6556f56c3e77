# SPDX-License-Identifier: MIT
# @@worlds: user the module does not use the registers of programs
# A program that uses all registers of AVX-512 is joined at any of its instructions, is traced, and keeps its registers.
. ./_join.sh
zmm </dev/null >/dev/null
[ $? = 77 ] && { echo "the processor has no AVX-512"; exit 77; }
mkfifo "$T/in"
zmm <"$T/in" &
V=$!
exec 8>"$T/in"
for round in 1 2 3 4 5 6 7 8 9 10; do
	dtrace -qp $V -n 'zmm$target:::hit { @[ustack()] = count(); n++; } zmm$target:::hit /n > 100/ { exit(0); }' >"$T/out" 2>&1
	grep -q '^ *[1-9][0-9]*$' "$T/out" || cat "$T/out"
done
exec 8>&-
wait $V
