# SPDX-License-Identifier: MIT
# Probes are made when a function is named, under both names of the provider; a listing arms nothing.
. ./_lib.sh
load
dtrace -lP kinst 2>/dev/null | awk 'NR > 1'
dtrace -ln kinst::instructions_known: | awk 'NR > 1 { print $2, $3, $4, $5 }'
dtrace -ln 'instr:instructions:instructions_known:1?' | awk 'NR > 1 { print $2, $3, $4, $5 }'
dtrace -ln kinst:kernel:vfs_read:0,kinst:genunix:vfs_read:0,kinst:unix:vfs_read:0,kinst:mach_kernel:vfs_read:0,kinst:vmlinux:vfs_read:0 | grep -c 'vmlinux *vfs_read 0$'
dtrace -ln kinst::xas_load:0 | awk 'NR > 1 { print $2, $3, $4, $5 }'
dtrace -lvn kinst::vfs_read:0 | grep -c 'args\['
[ "$(dtrace -ln kinst::vfs_read: | wc -l)" -gt 50 ] && echo many
armed
unload
dtrace -ln kinst::instructions_known: 2>/dev/null | wc -l
