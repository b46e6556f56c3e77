# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# Errors in a program name file, line and what is wrong.
cat >"$T/bad.d" <<'D'
BEGIN
{
	x = 1;
	y = x +;
}
D
dtrace -s "$T/bad.d"
echo "status $?"
dtrace -e -n 'BEGIN { nosuchfunction(1); }'
echo "status $?"
dtrace -x errtags -n 'BEGIN { undefined_thing[ }'
echo "status $?"
dtrace -s "$T/missing.d"
echo "status $?"
