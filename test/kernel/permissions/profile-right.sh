# SPDX-License-Identifier: MIT
# A user who may not have the probes of the profile provider gets an error that names the right.
. ../_policy.sh
policy 'user user dtrace_proc'
user "dtrace -qn 'profile-97 { exit(0); }'" 2>&1
user "dtrace -l -n profile:::tick-1s" 2>&1
policy 'user user dtrace_user'
# The probe fires while a process of the user's runs: a loop that never sleeps.
user "dtrace -qn 'profile-97 { printf(\"traced\"); exit(0); }' -c 'dd if=/dev/zero of=/dev/null bs=64k'" | grep -o traced | sort -u
# The registers of a user's own process are the user's also where the probe interrupts the kernel (arg1, its pc, is 0 then).
policy 'user user dtrace_proc dtrace_user'
user "dtrace -qn 'profile-997 /pid == \$target && !arg1/ { @[uregs[R_RIP] != 0 && uregs[R_CS] == 0x33] = count(); n++; }
	profile-997 /n > 9/ { exit(0); }' -c 'dd if=/dev/zero of=/dev/null bs=64k'" 2>&1 | grep -v '^ *$' | awk '{ print (/^dtrace/ ? $0 : $1) }'
