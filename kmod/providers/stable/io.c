// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * io.c - the io provider: transfers to and from block devices and NFS servers begin and end, and
 * threads wait for those of devices.
 *
 * A transfer is a bio, as a file system hands it to the block layer, not a request, into which the
 * block layer may merge several. Of NFS it is what one call of the server reads or writes.
 */
#include <linux/bio.h>
#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/buffer_head.h>
#include <linux/hash.h>
#include <linux/nfs_fs.h>
#include <linux/nfs_xdr.h>
#include <trace/events/block.h>

#include "stable.h"
#include "target.h"

/*
 * A bio, a buffer or a transfer of NFS, as io.d declares it too: translators make bufinfo_t and
 * other types from it. The status of a bio that ends is not stored yet, and the bio may be shorter
 * then than it was. The types of NFS are those of a module, which may have no BTF, so the members
 * say all about such a transfer.
 */
struct dtrace_io {
	const struct bio *bio;
	const struct buffer_head *buffer;
	const struct dentry *dentry; /* NFS: of the file */
	uint64_t offset;	     /* bio: on the device; NFS: in the file; in bytes */
	uint64_t bytes;		     /* bio, NFS */
	uint64_t residue;	     /* NFS: bytes that were not transferred */
	int error;		     /* 0, or an errno */
	int write;		     /* NFS: to the server */
	int direct;		     /* NFS: not by way of the page cache */
	unsigned int vector;	     /* bio: number of the bio_vec in which it begins */
};

/* Fire: arg0 is the bio or the buffer, by which the probes pair. */
static notrace void io_fire(const struct stable_trigger *t, struct pt_regs *regs,
			    const struct dtrace_io *io)
{
	stable_fire(t, regs, io->bio ? (uintptr_t)io->bio : (uintptr_t)io->buffer, (uintptr_t)io);
}

static notrace void io_set_bio(struct dtrace_io *io, const struct bvec_iter *iter)
{
	io->offset = (uint64_t)iter->bi_sector << SECTOR_SHIFT;
	io->bytes = iter->bi_size;
	io->vector = iter->bi_idx;
}

/*
 * Fire for a bio with the place and size of iter. A bio without data, which only flushes the
 * device's cache, is no transfer.
 */
static notrace void io_fire_bio(const struct stable_trigger *t, const struct bio *bio,
				const struct bvec_iter *iter, blk_status_t status)
{
	struct dtrace_io io = {.bio = bio, .error = -blk_status_to_errno(status)};

	if (!iter->bi_size)
		return;
	io_set_bio(&io, iter);
	io_fire(t, NULL, &io);
}

/* ---- begin ---- */

/* Fire when a bio is submitted. */
static notrace void io_start(void *data, struct bio *bio)
{
	io_fire_bio(data, bio, &bio->bi_iter, BLK_STS_OK);
}

/*
 * Split a bio that is too large: part is its beginning, and ends by itself. The rest, the bio for
 * which part is chained, is a transfer of its own. Drivers split too, without chaining: the rest is
 * recognised by its sector.
 */
static notrace void io_start_rest(void *data, struct bio *part, unsigned int new_sector)
{
	const struct bio *rest = part->bi_private;
	struct block_device *device;
	struct bvec_iter iter;

	if (!target_load_kernel(&device, (uintptr_t)&rest->bi_bdev, sizeof(device)) &&
	    !target_load_kernel(&iter, (uintptr_t)&rest->bi_iter, sizeof(iter)) &&
	    device == part->bi_bdev && (unsigned int)iter.bi_sector == new_sector)
		io_fire_bio(data, rest, &iter, BLK_STS_OK);
}

/* ---- end ---- */

#define BIOS_MAX 1024 /* in a request; the others do not fire */

/*
 * Fire for each bio that ends when a request, or its first bytes, end. A bio without data is part
 * of another request.
 */
static notrace void io_done_request(void *data, struct request *request, blk_status_t status,
				    unsigned int bytes)
{
	const struct bio *bio = request->bio;
	unsigned int n;

	for (n = 0; bio && n < BIOS_MAX && bytes; n++, bio = bio->bi_next) {
		if (bytes < bio->bi_iter.bi_size)
			break;
		bytes -= bio->bi_iter.bi_size;
		io_fire_bio(data, bio, &bio->bi_iter, status);
	}
}

/*
 * The device mapper carries out a bio in parts if it lies on several devices: it cuts each part off
 * the front, and submits the rest as the same bio. At its end the bio is as short as the last part.
 * So remember what a bio was before it was cut. What remains of bios that have ended while the
 * probe was not enabled is overwritten, or forgotten when another bio begins there.
 */
struct io_cut {
	const struct bio *bio; /* NULL: free */
	struct bvec_iter iter;
};

#define CUTS_SHIFT  10 /* bits of the number of an entry */
#define CUTS_NEARBY 16 /* entries that a bio may have; if all are taken, the first is overwritten */

static struct io_cut io_cuts[1 << CUTS_SHIFT];
static bool io_cut_any; /* some bio has been cut since the module was loaded */

static notrace struct io_cut *io_cut_entry(const struct bio *bio, unsigned int n)
{
	return &io_cuts[(hash_ptr(bio, CUTS_SHIFT) + n) % ARRAY_SIZE(io_cuts)];
}

static notrace sector_t io_end(const struct bvec_iter *iter)
{
	return iter->bi_sector + bvec_iter_sectors(*iter);
}

/* Return the entry of a bio, or NULL. Cuts do not change where the bio ends on the device. */
static notrace struct io_cut *io_cut_find(const struct bio *bio)
{
	unsigned int n;

	for (n = 0; n < CUTS_NEARBY; n++) {
		struct io_cut *cut = io_cut_entry(bio, n);

		if (READ_ONCE(cut->bio) == bio && io_end(&cut->iter) == io_end(&bio->bi_iter))
			return cut;
	}
	return NULL;
}

/* A bio begins: forget another one that was there, and whose end was not seen. */
static notrace void io_cut_forget(void *data, struct bio *bio)
{
	unsigned int n;

	for (n = 0; READ_ONCE(io_cut_any) && n < CUTS_NEARBY; n++)
		cmpxchg(&io_cut_entry(bio, n)->bio, bio, NULL);
}

/* Note a bio at bio_trim(bio, offset, size), which cuts offset sectors off its front. */
static notrace void io_cut_bio(const struct stable_trigger *t, struct pt_regs *regs)
{
	struct bio *bio = (struct bio *)regs->di;
	struct io_cut *cut = NULL;
	unsigned int n;

	if (!regs->si || !bio_flagged(bio, BIO_TRACE_COMPLETION) || io_cut_find(bio))
		return;
	for (n = 0; n < CUTS_NEARBY && !cut; n++)
		if (!cmpxchg(&io_cut_entry(bio, n)->bio, NULL, bio))
			cut = io_cut_entry(bio, n);
	if (!cut) {
		cut = io_cut_entry(bio, 0);
		WRITE_ONCE(cut->bio, bio);
	}
	cut->iter = bio->bi_iter;
	WRITE_ONCE(io_cut_any, true);
}

/* Fire at the end of a bio that a driver has handled without a request. */
static notrace void io_done_bio(void *data, struct request_queue *queue, struct bio *bio)
{
	struct io_cut *cut = io_cut_find(bio);

	io_fire_bio(data, bio, cut ? &cut->iter : &bio->bi_iter, bio->bi_status);
	if (cut)
		WRITE_ONCE(cut->bio, NULL);
}

/* ---- transfers to and from NFS servers ---- */

/*
 * Fire for a transfer of NFS: the header of a call that reads or writes, by which the probes pair.
 * While the client asks for what the server has left out, mds_offset moves on from io_start.
 */
static notrace void io_fire_nfs(const struct stable_trigger *t,
				const struct nfs_pgio_header *header, bool write, uint64_t residue,
				int error)
{
	const struct nfs_open_context *context;
	struct dtrace_io io = {
		.offset = (uint64_t)header->io_start,
		.bytes = header->mds_offset + header->args.count - (uint64_t)header->io_start,
		.residue = residue,
		.error = error,
		.write = write,
		.direct = !!header->dreq,
	};

	if (!target_load_kernel(&context, (uintptr_t)&header->args.context, sizeof(context)) &&
	    !target_load_kernel(&io.dentry, (uintptr_t)&context->dentry, sizeof(io.dentry)))
		stable_fire(t, NULL, (uintptr_t)header, (uintptr_t)&io);
}

static notrace void io_start_read(void *data, const struct nfs_pgio_header *header)
{
	io_fire_nfs(data, header, false, 0, 0);
}

static notrace void io_start_write(void *data, const struct nfs_pgio_header *header)
{
	io_fire_nfs(data, header, true, 0, 0);
}

/*
 * Fire when the server has answered, unless it has carried out a part only: then the client sends
 * the rest by the same header. An answer without any progress is an error. A header without calls
 * is of a transfer between this machine and the server's disk, whose bios fire.
 */
static notrace void io_done_nfs(const struct stable_trigger *t, const struct rpc_task *task,
				const struct nfs_pgio_header *header, bool write)
{
	uint64_t asked = header->args.count;
	uint64_t got = task->tk_status < 0 ? 0 : min_t(uint64_t, header->res.count, asked);
	int error = task->tk_status < 0 ? -task->tk_status : 0;

	if (!task->tk_ops)
		return;
	if (!error && got < asked && (write || !header->res.eof)) {
		if (got)
			return;
		error = EIO;
	}
	io_fire_nfs(t, header, write, asked - got, error);
}

static notrace void io_done_read(void *data, const struct rpc_task *task,
				 const struct nfs_pgio_header *header)
{
	io_done_nfs(data, task, header, false);
}

static notrace void io_done_write(void *data, const struct rpc_task *task,
				  const struct nfs_pgio_header *header)
{
	io_done_nfs(data, task, header, true);
}

/* ---- threads wait ---- */

/* Fire for a bio that may have no data. When it has ended, the block layer has used up its iter. */
static notrace void io_fire_wait(const struct stable_trigger *t, struct pt_regs *regs,
				 const struct bio *bio, int error)
{
	struct dtrace_io io = {.bio = bio, .error = error};

	io_set_bio(&io, &bio->bi_iter);
	io_fire(t, regs, &io);
}

/* Fire at submit_bio_wait(bio). */
static notrace void io_wait_bio(const struct stable_trigger *t, struct pt_regs *regs)
{
	io_fire_wait(t, regs, (const struct bio *)regs->di, 0);
}

static notrace void io_waited_bio(const struct stable_trigger *t, struct pt_regs *regs,
				  unsigned long first)
{
	io_fire_wait(t, regs, (const struct bio *)first, -(int)regs->ax);
}

/* Fire at __wait_on_buffer(buffer). */
static notrace void io_wait_buffer(const struct stable_trigger *t, struct pt_regs *regs)
{
	const struct dtrace_io io = {.buffer = (const struct buffer_head *)regs->di};

	io_fire(t, regs, &io);
}

static notrace void io_waited_buffer(const struct stable_trigger *t, struct pt_regs *regs,
				     unsigned long first)
{
	const struct buffer_head *buffer = (const struct buffer_head *)first;
	unsigned long state;

	if (!target_load_kernel(&state, (uintptr_t)&buffer->b_state, sizeof(state))) {
		const struct dtrace_io io = {.buffer = buffer,
					     .error = state & BIT(BH_Write_EIO) ? EIO : 0};

		io_fire(t, regs, &io);
	}
}

/* ---- tables ---- */

#define IO_ARGS                                                   \
	{                                                         \
		{"struct dtrace_io *", "bufinfo_t *", 1},         \
			{"struct dtrace_io *", "devinfo_t *", 1}, \
		{                                                 \
			"struct dtrace_io *", "fileinfo_t *", 1   \
		}                                                 \
	}

static struct stable_probe io_probes[] = {
	{"start", IO_ARGS},
	{"done", IO_ARGS},
	{"wait-start", IO_ARGS},
	{"wait-done", IO_ARGS},
};

static struct stable_trigger io_triggers[] = {
	STABLE_TP("start", block_bio_queue, io_start),
	STABLE_TP("start", block_split, io_start_rest),
	STABLE_TP("done", block_rq_complete, io_done_request),
	STABLE_TP("done", block_bio_complete, io_done_bio),
	STABLE_TP("done", block_bio_queue, io_cut_forget),
	STABLE_ENTERED("done", "bio_trim", io_cut_bio),
	STABLE_MODULE_TP("start", "nfs", "nfs_initiate_read", io_start_read),
	STABLE_MODULE_TP("start", "nfs", "nfs_initiate_write", io_start_write),
	STABLE_MODULE_TP("done", "nfs", "nfs_readpage_done", io_done_read),
	STABLE_MODULE_TP("done", "nfs", "nfs_writeback_done", io_done_write),
	STABLE_ENTERED("wait-start", "submit_bio_wait", io_wait_bio),
	STABLE_ENTERED("wait-start", "__wait_on_buffer", io_wait_buffer),
	STABLE_RETURNED("wait-done", "submit_bio_wait", io_waited_bio),
	STABLE_RETURNED("wait-done", "__wait_on_buffer", io_waited_buffer),
};

struct stable_provider io_provider = {
	.name = "io",
	.probes = io_probes,
	.nprobes = ARRAY_SIZE(io_probes),
	.triggers = io_triggers,
	.ntriggers = ARRAY_SIZE(io_triggers),
};
