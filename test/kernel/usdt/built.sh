# SPDX-License-Identifier: MIT
# @@long: yes
# @@kernels: 6.1 6.12
# @@timeout: 90
# Programs that were built in every way (programs/build-ways) are traced alike: with link-time
# optimisation, by each linker, with sanitizers, in archives, of C++, with musl, by tcc.
. ../_lib.sh
export GCOV_PREFIX="$T"
for program in "$BIN"/built-*; do
	case $program in *.so) continue ;; esac
	rm -f "$T/seen"
	dtrace -q -o "$T/seen" -c "$program" -n '
built$target:::main { printf("%d %s, ", (int)arg0, copyinstr(arg1)); }
built$target:::part, built$target:::guarded { printf("%s %d, ", probename, (int)arg0); }' 2>&1 | grep .
	echo "$(cat "$T/seen")${program##*/built-}"
done
