# SPDX-License-Identifier: MIT
# Who may not have the probes of the profile provider is told which right they need.
. ../_policy.sh
policy 'user user dtrace_proc'
user "dtrace -qn 'profile-97 { exit(0); }'" 2>&1
user "dtrace -l -n profile:::tick-1s" 2>&1
policy 'user user dtrace_user'
user "dtrace -qn 'profile-97 { printf(\"traced\"); exit(0); }'" | grep -o traced | sort -u
