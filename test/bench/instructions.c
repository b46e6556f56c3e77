// SPDX-License-Identifier: MIT
/*
 * instructions.c - a plugin for QEMU that counts the instructions that a guest carries out, in
 * whichever program or part of the kernel; for test/bench/run.
 *
 *	-plugin libinstructions.so,out=FILE
 *
 * Whenever the guest comes to a mark, which `bench count` has, the number so far is a line in FILE.
 *
 * Debian has no header for plugins. What is declared here is version 1 of the interface in QEMU's
 * manual, "QEMU TCG Plugins"; QEMU refuses a plugin of a version that it does not serve.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "mark.h"

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info;

enum { QEMU_PLUGIN_CB_NO_REGS };
enum { QEMU_PLUGIN_INLINE_ADD_U64 };

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc,
			       char **argv);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   void (*translated)(qemu_plugin_id_t,
							      struct qemu_plugin_tb *));
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn, int operation,
						void *at, uint64_t operand);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    void (*executed)(unsigned int, void *), int flags,
					    void *arg);

static uint64_t count; /* the guest has one thread: processors take turns */
static FILE *out;

static void marked(unsigned int cpu, void *arg)
{
	(void)cpu;
	(void)arg;
	fprintf(out, "%" PRIu64 "\n", count);
	fflush(out);
}

static int is_mark(const struct qemu_plugin_insn *insn)
{
	return qemu_plugin_insn_size(insn) == sizeof(MARK) - 1 &&
	       !memcmp(qemu_plugin_insn_data(insn), MARK, sizeof(MARK) - 1);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64, &count,
							   1);
		if (is_mark(insn))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, marked, QEMU_PLUGIN_CB_NO_REGS,
							       NULL);
	}
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "out=", 4)) {
		fprintf(stderr, "instructions: out=FILE is wanted\n");
		return 1;
	}
	out = fopen(argv[0] + 4, "w");
	if (!out) {
		perror(argv[0] + 4);
		return 1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
