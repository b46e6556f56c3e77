// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * nfs.c - a kernel module that stands for the kernel's module nfs: it has tracepoints of the same
 * names, and reaches them for answers that real servers seldom give. "OFFSET COUNT ANSWER..."
 * written to its parameter read or write is a transfer. An answer is a number of bytes, with an e
 * if the file ends there, or a negative errno. With "d" before OFFSET the client ends it without
 * a call, as it does after it has used the disk of the server.
 */
#include <linux/fs_struct.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/nfs_fs.h>
#include <linux/nfs_xdr.h>
#include <linux/path.h>
#include <linux/slab.h>

#include <dtrace/kernel/sdt.h>

DTRACE_PROBE_DEFINE(nfs_initiate_read, TP_PROTO(const struct nfs_pgio_header *header),
		    TP_ARGS(header));
DTRACE_PROBE_DEFINE(nfs_initiate_write, TP_PROTO(const struct nfs_pgio_header *header),
		    TP_ARGS(header));
DTRACE_PROBE_DEFINE(nfs_readpage_done,
		    TP_PROTO(const struct rpc_task *task, const struct nfs_pgio_header *header),
		    TP_ARGS(task, header));
DTRACE_PROBE_DEFINE(nfs_writeback_done,
		    TP_PROTO(const struct rpc_task *task, const struct nfs_pgio_header *header),
		    TP_ARGS(task, header));

/* Of calls. A header without such operations is of a transfer to the server's disk. */
static const struct rpc_call_ops nfs_calls;

/* Have the server answer. Go on after an answer in part, as the client does. */
static void nfs_answer(struct nfs_pgio_header *header, bool write, int answer, bool end)
{
	header->task.tk_status = answer;
	/* after an error it is what the client has asked for */
	header->res.count = answer < 0 ? header->args.count : (unsigned int)answer;
	if (write) {
		DTRACE_PROBE(nfs_writeback_done, &header->task, header);
	} else {
		header->res.eof = end;
		DTRACE_PROBE(nfs_readpage_done, &header->task, header);
	}
	if (answer > 0) {
		header->mds_offset += (unsigned int)answer;
		header->args.offset += (unsigned int)answer;
		header->args.count -= (unsigned int)answer;
	}
}

static int nfs_transfer(struct nfs_pgio_header *header, bool write, const char *text)
{
	int n, answer;
	unsigned long long offset;

	if (sscanf(text, "%llu %u%n", &offset, &header->args.count, &n) != 2)
		return -EINVAL;
	header->io_start = (loff_t)offset;
	header->args.offset = header->mds_offset = offset;
	if (header->task.tk_ops && write)
		DTRACE_PROBE(nfs_initiate_write, header);
	else if (header->task.tk_ops)
		DTRACE_PROBE(nfs_initiate_read, header);
	for (text += n; sscanf(text, " %d%n", &answer, &n) == 1; text += n) {
		bool end = text[n] == 'e';

		nfs_answer(header, write, answer, end);
		text += end;
	}
	return 0;
}

static int nfs_set(const char *text, const struct kernel_param *param)
{
	struct nfs_pgio_header *header = kzalloc(sizeof(*header), GFP_KERNEL);
	struct nfs_open_context *context = kzalloc(sizeof(*context), GFP_KERNEL);
	int error = -ENOMEM;
	struct path path;

	if (header && context) {
		get_fs_pwd(current->fs, &path);
		context->dentry = path.dentry;
		header->args.context = context;
		header->task.tk_ops = text[0] == 'd' ? NULL : &nfs_calls;
		error = nfs_transfer(header, !!param->arg, text + (text[0] == 'd'));
		path_put(&path);
	}
	kfree(context);
	kfree(header);
	return error;
}

static const struct kernel_param_ops nfs_ops = {.set = nfs_set};

module_param_cb(read, &nfs_ops, NULL, 0200);
module_param_cb(write, &nfs_ops, (void *)1, 0200);

static int __init nfs_init(void)
{
	return 0;
}

static void __exit nfs_exit(void)
{
}

module_init(nfs_init);
module_exit(nfs_exit);

MODULE_DESCRIPTION("Transfers of NFS to be traced");
MODULE_LICENSE("Dual MIT/GPL");
