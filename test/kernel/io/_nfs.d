/* SPDX-License-Identifier: MIT */
/* _nfs.d - for nfs.sh: transfers to and from an NFS server; its file system has device number $1. */

int begun[uint64_t];	/* by arg0 */

io:::start
/args[1]->dev_name == "nfs"/
{
	starts++;
	bad += begun[arg0] != 0;
	begun[arg0] = 1;
	at[args[0]->b_edev, args[0]->b_blkno, args[2]->fi_name] = arg0;
}

io:::done
/args[1]->dev_name == "nfs"/
{
	ends++;
	bad += !begun[arg0] || at[args[0]->b_edev, args[0]->b_blkno, args[2]->fi_name] != arg0;
	begun[arg0] = 0;
	bad += args[0]->b_edev != $1 || args[1]->dev_minor != $1 || args[1]->dev_major != 0 ||
	    args[1]->dev_instance != $1 || args[1]->dev_statname != strjoin("nfs", lltostr($1)) ||
	    args[1]->dev_pathname != "<nfs>";
	bad += args[2]->fi_offset / 512 != args[0]->b_blkno || args[2]->fi_fs != "nfs4" ||
	    strstr(args[2]->fi_mount, "/mnt") != "/mnt" ||
	    strstr(args[2]->fi_dirname, "/mnt/") != "/mnt/folder";
	bad += !(args[0]->b_flags & B_ERROR) != !args[0]->b_error;
	this->way = args[0]->b_flags & B_READ ? "read" : args[0]->b_flags & B_WRITE ? "written" : "?";
	@[args[2]->fi_name, strstr(args[2]->fi_pathname, "/mnt"), this->way,
	    args[0]->b_flags & B_PHYS ? "direct" : args[0]->b_flags & B_PAGEIO ? "pages" : "?",
	    args[0]->b_error] = sum(args[0]->b_bcount - args[0]->b_resid);
	@left[this->way] = sum(args[0]->b_resid);
}

io:::done
/args[1]->dev_name == "nfs" && args[0]->b_flags & B_READ/
{
	reads++;
	bytes_read += args[0]->b_bcount - args[0]->b_resid;
}

io:::done
/args[1]->dev_name == "nfs" && args[0]->b_flags & B_WRITE/
{
	writes++;
	bytes_written += args[0]->b_bcount - args[0]->b_resid;
}

END
{
	printf("counts %d %d %d %d\n", reads, writes, bytes_read, bytes_written);
	printf("%d more starts than ends, %d bad\n", starts - ends, bad);
	printa("%s %s: %s, %s, error %d, %@d\n", @);
	printa("not %s: %@d\n", @left);
}
