# SPDX-License-Identifier: MIT
# However many answers of the server a transfer of NFS takes, it begins and ends once. Its end says
# what was left out, and why. A module stands for the kernel's module nfs, which the debug kernel
# lacks; it is loaded and unloaded meanwhile.
. ../_lib.sh

# transfer WAY OFFSET COUNT ANSWER... - have the module do one; see _module/nfs.c.
transfer()
{
	way=$1
	shift
	echo "$*" >"/sys/module/nfs/parameters/$way"
}

# Without BTF there are no translators: the record as the module declares it.
trace -n 'int begun[uint64_t];
	struct record { uint64_t bio, buffer, dentry, offset, bytes, residue; int error, write, direct; };
	io:::start,
	io:::done
	/((struct record *)arg1)->dentry != 0/
	{
		this->r = (struct record *)arg1;
		printf("%s: %s%s at %d, %d bytes, %d left, error %d\n", probename,
		    probename == "start" ? "" : begun[arg0] ? "the same " : "another ",
		    this->r->write ? "write" : "read",
		    this->r->offset, this->r->bytes, this->r->residue, this->r->error);
		begun[arg0] = probename == "start";
	}'
for round in 1 2; do
	insmod /test/modules/nfs.ko
	transfer read 4096 8192 8192
	rmmod nfs
done
insmod /test/modules/nfs.ko
# in parts; up to the end of the file; beyond it; without progress; an error at once; after a part
transfer read 0 10000 4000 1000 5000
transfer read 0 10000 4000e
transfer read 4000 10000 0e
transfer read 0 10000 4000 0
transfer read 0 10000 -5
transfer read 0 10000 4000 -116
transfer write 0 10000 10000
transfer write 0 10000 9999 1
transfer write 1000 10000 4000 0
transfer write 0 10000 4000 -28
# the client has used the server's disk
transfer read d0 10000 10000
untrace
rmmod nfs
