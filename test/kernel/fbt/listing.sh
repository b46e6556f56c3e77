# SPDX-License-Identifier: MIT
# A listing of functions makes no probes; a module has other names; an element can be named by its number.
# @@long: yes
# @@status: 1
count()
{
	awk '$1 == "fbt" { print $2 " probes" }' /proc/dtrace/providers
}
dtrace -ln fbt::vfs_write: | awk 'NR > 1 { print $2, $3, $4, $5 }'
dtrace -ln fbt:kernel:vfs_write:entry,fbt:genunix:vfs_write:entry,fbt:unix:vfs_write:entry,fbt:mach_kernel:vfs_write:entry | grep -c vfs_write
[ "$(dtrace -lP fbt | wc -l)" -gt 20000 ] && echo many
count
id=$(dtrace -ln fbt::vfs_write:return | awk 'NR > 1 { print $1 }')
dtrace -qi "$id" -n 'BEGIN { trace(1); exit(0); }'
dtrace -li "$id" | awk 'NR > 1 { print $2, $3, $4, $5 }'
count
dtrace -ln fbt:::exit
dtrace -n fbt::no_such_function:entry
