# SPDX-License-Identifier: MIT
# The probes that this system has, and why others do not exist; names of modules that other systems have.
# @@kernels: 6.1 6.12 debug
. ../_lib.sh
dtrace -l -n fsinfo:genunix:: | awk 'NR > 1 { print $2, $3, $4 }' | sort | tr '\n' ';'
echo
for name in addmap cmp delmap dispose fid pathconf poll realvp rwlock rwunlock shrlock vnevent; do
	dtrace -n "fsinfo:::$name" 2>&1 | tail -n 1
done
dtrace -n fsinfo:::reads 2>&1 | tail -n 1
awk '$1 == "fsinfo" && $4 == "missing" && $5 !~ /_acl$/ { print $2, $5 }' /proc/dtrace/triggers
