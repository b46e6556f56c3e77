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
#include <linux/nfs_fs.h>
#include <linux/nfs_xdr.h>
#include <trace/events/block.h>

#include "stable.h"
#include "target.h"

/*
 * A bio, a buffer or a transfer of NFS, as io.d declares it too: translators make bufinfo_t and
 * other types from it. The status of a bio that ends is not stored yet. The types of NFS are those
 * of a module, which may have no BTF, so the members say all about such a transfer.
 */
struct dtrace_io {
	const struct bio *bio;
	const struct buffer_head *buffer;
	const struct dentry *dentry; /* NFS: of the file */
	uint64_t offset;	     /* NFS: in the file, in bytes */
	uint64_t bytes;		     /* NFS */
	uint64_t residue;	     /* NFS: bytes that were not transferred */
	int error;		     /* 0, or an errno */
	int write;		     /* NFS: to the server */
	int direct;		     /* NFS: not by way of the page cache */
};

/* Fire: arg0 is the bio or the buffer, by which the probes pair. */
static notrace void io_fire(const struct stable_trigger *t, struct pt_regs *regs,
			    const struct dtrace_io *io)
{
	stable_fire(t, regs, io->bio ? (uintptr_t)io->bio : (uintptr_t)io->buffer, (uintptr_t)io);
}

/* ---- begin ---- */

/*
 * Fire when a bio is submitted. A bio without data, which only flushes the device's cache, is no
 * transfer, and its end does not fire.
 */
static notrace void io_start(void *data, struct bio *bio)
{
	const struct dtrace_io io = {.bio = bio};

	if (bio->bi_iter.bi_size)
		io_fire(data, NULL, &io);
}

/*
 * Split a bio that is too large: part is its beginning, and ends by itself. The rest, the bio for
 * which part is chained, is a transfer of its own. Drivers split too, without chaining: the rest is
 * recognised by its sector.
 */
static notrace void io_start_rest(void *data, struct bio *part, unsigned int new_sector)
{
	const struct bio *rest = part->bi_private;
	const struct dtrace_io io = {.bio = rest};
	struct block_device *device;
	sector_t sector;

	if (!target_load_kernel(&device, (uintptr_t)&rest->bi_bdev, sizeof(device)) &&
	    !target_load_kernel(&sector, (uintptr_t)&rest->bi_iter.bi_sector, sizeof(sector)) &&
	    device == part->bi_bdev && (unsigned int)sector == new_sector)
		io_fire(data, NULL, &io);
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
		const struct dtrace_io io = {.bio = bio, .error = -blk_status_to_errno(status)};

		if (!bio->bi_iter.bi_size)
			continue;
		if (bytes < bio->bi_iter.bi_size)
			break;
		bytes -= bio->bi_iter.bi_size;
		io_fire(data, NULL, &io);
	}
}

/* Fire at the end of a bio that a driver has handled without a request. */
static notrace void io_done_bio(void *data, struct request_queue *queue, struct bio *bio)
{
	const struct dtrace_io io = {.bio = bio, .error = -blk_status_to_errno(bio->bi_status)};

	io_fire(data, NULL, &io);
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

/* Fire at submit_bio_wait(bio). */
static notrace void io_wait_bio(const struct stable_trigger *t, struct pt_regs *regs)
{
	const struct dtrace_io io = {.bio = (const struct bio *)regs->di};

	io_fire(t, regs, &io);
}

static notrace void io_waited_bio(const struct stable_trigger *t, struct pt_regs *regs,
				  unsigned long first)
{
	const struct dtrace_io io = {.bio = (const struct bio *)first, .error = -(int)regs->ax};

	io_fire(t, regs, &io);
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
