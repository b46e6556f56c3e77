# SPDX-License-Identifier: MIT
# Samples of the clock are in the program's own code, and a CPU that has been offline counts again.
# @@timeout: 120
. ../_lib.sh
dtrace -qn 'cpc:::cpu_clock-user-1000000 /execname == "sh"/ { n++; bad += arg0 != 0 || arg1 == 0; }
	cpc:::cpu_clock-user-1000000 /n > 20/ { printf("%d bad of its own\n", bad); exit(0); }' -c 'sh -c "while :; do :; done"'
dtrace -qn 'proc:::exec-success /execname == "lives"/ { again = 1; }
	cpc:::cpu_clock-all-1000000 /again && cpu == 1/ { printf("CPU 1 counts again\n"); exit(0); }' \
	-c 'sh -c "echo 0 >/sys/devices/system/cpu/cpu1/online; echo 1 >/sys/devices/system/cpu/cpu1/online; lives yields 1; while :; do :; done"'
