/* SPDX-License-Identifier: MIT */
/* @@worlds: kernel translators of objects of the kernel */
/* @@needs: types */
/* The translators of transfers: a bio, a request and a buffer head made by hand. */
#pragma D option quiet

this struct block_device *dev;
this char *name;
this struct gendisk *disk;
this struct bio *bio;
this struct request *req;
this struct buffer_head *bh;

BEGIN
{
	this->disk = (struct gendisk *)alloca(sizeof (struct gendisk));
	this->disk->disk_name[0] = 'v';
	this->disk->disk_name[1] = 'd';
	this->disk->disk_name[2] = 'a';
	this->dev = (struct block_device *)alloca(sizeof (struct block_device));
	this->dev->bd_dev = (254 << 20) | 3;
	this->dev->bd_disk = this->disk;
	this->name = (char *)alloca(8);
	this->name[0] = this->disk->disk_name[0];
	this->name[1] = 'd';
	this->name[2] = 'a';
	this->name[3] = '3';
	this->name[4] = 0;
	this->dev->bd_device.kobj.name = this->name;
	this->bio = (struct bio *)alloca(sizeof (struct bio));
	this->bio->bi_bdev = this->dev;
	this->bio->bi_opf = 1;
	this->bio->bi_iter.bi_size = 4096;
	this->bio->bi_iter.bi_sector = 1000;
	this->bio->bi_status = 10;
	printf("%d %d %d\n", xlate <bufinfo_t> (this->bio).b_flags == (B_WRITE | B_ASYNC | B_ERROR),
	    xlate <bufinfo_t> (this->bio).b_bcount, xlate <bufinfo_t> (this->bio).b_blkno);
	printf("%d %d %x\n", xlate <bufinfo_t> (this->bio).b_error, xlate <bufinfo_t> (this->bio).b_resid,
	    xlate <bufinfo_t> (this->bio).b_edev);
	printf("%d %d %s %s %s\n", xlate <devinfo_t> (this->bio).dev_major, xlate <devinfo_t> (this->bio).dev_minor,
	    xlate <devinfo_t> (this->bio).dev_name, xlate <devinfo_t> (this->bio).dev_statname,
	    xlate <devinfo_t> (this->bio).dev_pathname);
	printf("%s\n", xlate <fileinfo_t> (this->bio).fi_pathname);
	this->req = (struct request *)alloca(sizeof (struct request));
	this->req->part = this->dev;
	this->req->cmd_flags = 0x800;
	this->req->__data_len = 512;
	this->req->__sector = 8;
	printf("%d %d %d\n", xlate <bufinfo_t> (this->req).b_flags == B_READ, xlate <bufinfo_t> (this->req).b_bcount,
	    xlate <bufinfo_t> (this->req).b_lblkno);
	printf("%d %s\n", xlate <devinfo_t> (this->req).dev_minor, xlate <devinfo_t> (this->req).dev_statname);
	this->bh = (struct buffer_head *)alloca(sizeof (struct buffer_head));
	this->bh->b_state = 4;
	this->bh->b_size = 1024;
	this->bh->b_blocknr = 5;
	this->bh->b_bdev = this->dev;
	printf("%d %d %d %d\n", xlate <bufinfo_t> (this->bh).b_flags == B_BUSY, xlate <bufinfo_t> (this->bh).b_bcount,
	    xlate <bufinfo_t> (this->bh).b_blkno, xlate <bufinfo_t> (this->bh).b_lblkno);
	printf("%s\n", xlate <devinfo_t> (this->bh).dev_pathname);
	exit(0);
}
