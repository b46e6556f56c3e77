# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# A script that begins with #!: arguments, options in it, and its own exit status.
cat >"$T/script.d" <<'D'
#!/usr/local/sbin/dtrace -qs
#pragma D option switchrate=10hz
BEGIN { printf("%s %d %s\n", $$1, $2, basename($$0)); exit(3); }
D
chmod +x "$T/script.d"
"$T/script.d" word 7
echo "status $?"
dtrace -q -s "$T/script.d" other 8
echo "status $?"
# options in several words, which the kernel passes as one
sed '1s/-qs/-q -Z -s/' "$T/script.d" >"$T/words.d"
chmod +x "$T/words.d"
"$T/words.d" more 9
echo "status $?"
