# SPDX-License-Identifier: MIT
# @@kernels: 6.1 6.12
# Functions of stripped programs, from the file that .gnu_debuglink names and from .gnu_debugdata.
. ./_lib.sh
for program in script script-debuglink script-debugdata; do
	stack 'ustack(1)' ./$program run main
	stack 'ufunc(uregs[16])' ./$program run main | sed 's/ *$//'
done
