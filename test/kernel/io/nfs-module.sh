# SPDX-License-Identifier: MIT
# The module of NFS is loaded, unloaded and loaded again while probes are enabled: they fire whenever
# it is there, and /proc/dtrace/triggers says so.
# @@long: yes
# @@kernels: 6.1 6.12
# @@needs: types
# @@modules: nfsd nfsv4
# @@timeout: 120
. ./_lib.sh

# triggers - print the states of the triggers in the module.
triggers()
{
	awk '$1 == "io" && $5 ~ /^nfs/ { print $2, $4, $5 }' /proc/dtrace/triggers
}

# serve NAME - have a file written to a server.
serve()
{
	server 4m
	triggers
	dd if=/dev/zero of="$T/mnt/$1" bs=100000 count=1 conv=fsync 2>/dev/null
	no_server
}

trace -n 'io:::start,
	io:::done
	/args[1]->dev_name == "nfs"/
	{
		@[probename, args[2]->fi_name] = sum(args[0]->b_bcount);
	}'
triggers
echo "--- loaded"
serve first
echo "--- unloaded"
triggers
echo "--- loaded again"
serve second
untrace
echo "--- loaded, no probe is enabled"
modprobe nfs
triggers
rmmod nfs
triggers
