# SPDX-License-Identifier: MIT
# @@long: yes
# @@kernels: 6.1 6.12
# Threads fire a probe, and no firing is lost, also while another thread makes probes, which are all
# traced, and removes them. There are more enablings than a process may have registrations.
dtrace -Z -q -o "$T/seen" -c 'runtime provider app probe f a 2 enable threads a 5000' -n '
app$target:::a { @ = count(); @s = sum(arg0); } END { printa("%@d", @); printa(" %@d\n", @s); }'
cat "$T/seen"
dtrace -Z -q -o "$T/churned" -c 'runtime provider app probe f a 2 enable churn a 1100' -n '
app$target::churn: { @ = count(); } END { printa("%@d\n", @); }'
cat "$T/churned"
