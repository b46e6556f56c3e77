/* SPDX-License-Identifier: MIT */
/*
 * btf.c - writes the types of a small kernel that there is not, and of a module of it, into a
 * directory, as /sys/kernel/btf has them: btf DIRECTORY.
 */
#include <bpf/btf.h>
#include <stdio.h>
#include <stdlib.h>

static struct btf *b;

/* An id, or the end. */
static int id(int value)
{
	if (value < 0) {
		fprintf(stderr, "btf: error %d\n", value);
		exit(1);
	}
	return value;
}

static void bits(const char *name, int type, unsigned int at, unsigned int width)
{
	id(btf__add_field(b, name, type, at, width));
}

static void field(const char *name, int type, unsigned int byte)
{
	bits(name, type, byte * 8, 0);
}

static void write_out(const char *dir, const char *name)
{
	const void *data;
	char path[4096];
	__u32 size;
	FILE *fp;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	data = btf__raw_data(b, &size);
	fp = fopen(path, "w");
	if (!data || !fp || fwrite(data, 1, size, fp) != size || fclose(fp) != 0) {
		perror(path);
		exit(1);
	}
}

/* Types that the rest is made of. */
static int t_char, t_uchar, t_short, t_int, t_uint, t_long, t_ulong, t_bool, t_huge;
static int t_void_ptr, t_char16, t_list, t_file;

static void base_types(void)
{
	t_char = id(btf__add_int(b, "char", 1, BTF_INT_SIGNED));
	t_uchar = id(btf__add_int(b, "unsigned char", 1, 0));
	t_short = id(btf__add_int(b, "short int", 2, BTF_INT_SIGNED));
	t_int = id(btf__add_int(b, "int", 4, BTF_INT_SIGNED));
	t_uint = id(btf__add_int(b, "unsigned int", 4, 0));
	t_long = id(btf__add_int(b, "long int", 8, BTF_INT_SIGNED));
	t_ulong = id(btf__add_int(b, "long unsigned int", 8, 0));
	t_bool = id(btf__add_int(b, "_Bool", 1, BTF_INT_BOOL));
	t_huge = id(btf__add_int(b, "__int128 unsigned", 16, 0));
	t_void_ptr = id(btf__add_ptr(b, 0));
	t_char16 = id(btf__add_array(b, t_int, t_char, 16));
	id(btf__add_typedef(b, "pid_t", t_int));
	id(btf__add_typedef(b, "u32", t_uint));
}

static void tagged_types(void)
{
	int ptr, inner, flex, dev;

	t_list = id(btf__add_struct(b, "list_head", 16));
	ptr = t_list + 1;
	field("next", ptr, 0);
	field("prev", ptr, 8);
	if (id(btf__add_ptr(b, t_list)) != ptr)
		exit(1);
	dev = id(btf__add_ptr(b, id(btf__add_fwd(b, "device", BTF_FWD_STRUCT))));
	inner = id(btf__add_union(b, NULL, 8));
	field("number", t_long, 0);
	field("pointer", t_void_ptr, 0);
	flex = id(btf__add_array(b, t_int, t_short, 0));
	t_file = id(btf__add_struct(b, "file", 40));
	field(NULL, inner, 0);
	bits("readable", t_uint, 64, 1);
	bits("mode", t_int, 65, 7);
	bits("wide", t_long, 72, 40);
	field("huge", t_huge, 16);
	field("dev", dev, 32);
	id(btf__add_struct(b, "tail", 4));
	field("n", t_int, 0);
	field("data", flex, 4);
	id(btf__add_struct(b, "packed", 11));
	field("c", t_char, 0);
	bits("across", t_uint, 12, 30);
	field("l", t_long, 3);
}

/* A socket: what all kinds have is in its first member. */
static void socket_types(void)
{
	int common = id(btf__add_struct(b, "sock_common", 8)), sock;

	field("skc_daddr", t_uint, 0);
	field("skc_dport", t_short, 4);
	field("skc_num", t_short, 6);
	sock = id(btf__add_struct(b, "sock", 12));
	field("__sk_common", common, 0);
	field("sk_error", t_int, 8);
	id(btf__add_struct(b, "inet_sock", 16));
	field("sk", sock, 0);
	field("inet_sport", t_short, 12);
}

/* What programs pass to system calls: they have other tags, or another layout. */
static void program_types(void)
{
	id(btf__add_struct(b, "__kernel_timespec", 16));
	field("tv_sec", t_long, 0);
	field("tv_nsec", t_long, 8);
	id(btf__add_struct(b, "msghdr", 16));
	field("msg_name", t_void_ptr, 0);
	field("msg_flags", t_int, 8);
	id(btf__add_struct(b, "user_msghdr", 24));
	field("msg_name", t_void_ptr, 0);
	field("msg_iov", t_void_ptr, 8);
	field("msg_flags", t_int, 16);
}

static void enum_types(void)
{
	id(btf__add_enum(b, "color", 4));
	id(btf__add_enum_value(b, "RED", 1));
	id(btf__add_enum_value(b, "GREEN", 2));
	id(btf__add_enum(b, "sign", 4));
	id(btf__add_enum_value(b, "MINUS", -1));
	id(btf__add_enum64(b, "big", 8, false));
	id(btf__add_enum64_value(b, "BIG", 0x100000000ULL));
}

/* Two typedefs that stand for each other, as no compiler makes them. */
static int loop_types(void)
{
	int next = id(btf__add_typedef(b, "round", (int)btf__type_cnt(b) + 1));

	return id(btf__add_typedef(b, "about", next));
}

/* Here is what points to itself, functions, qualifiers, arrays of arrays. */
static int task_types(void)
{
	int flags = id(btf__add_const(b, id(btf__add_volatile(b, t_ulong))));
	int files = id(btf__add_restrict(b, id(btf__add_ptr(b, t_file))));
	int matrix = id(btf__add_array(b, t_int, id(btf__add_array(b, t_int, t_short, 3)), 2));
	int loop = loop_types(), proto = id(btf__add_func_proto(b, t_int)), call, self, task;
	int other;

	task = (int)btf__type_cnt(b) + 2;
	self = task - 2;
	id(btf__add_func_param(b, "task", self));
	id(btf__add_func_param(b, "", 0));
	id(btf__add_ptr(b, task));
	call = id(btf__add_ptr(b, proto));
	id(btf__add_struct(b, "task_struct", 112));
	field("self", self, 0);
	field("tgid", t_int, 8);
	field("comm", t_char16, 12);
	field("tasks", t_list, 32);
	field("call", call, 48);
	field("flags", flags, 56);
	field("files", files, 64);
	field("ok", t_bool, 72);
	field("loop", loop, 80);
	field("matrix", matrix, 88);
	id(btf__add_func(b, "do_work", BTF_FUNC_GLOBAL, proto));
	id(btf__add_func(b, "twice", BTF_FUNC_STATIC, proto));
	id(btf__add_func(b, "twice", BTF_FUNC_STATIC, proto));
	other = id(btf__add_func_proto(b, t_long));
	id(btf__add_func(b, "ambiguous", BTF_FUNC_STATIC, proto));
	id(btf__add_func(b, "ambiguous", BTF_FUNC_STATIC, other));
	return task;
}

/* A module: it defines what the kernel only declares, and has a type of a name of its own. */
static void module_types(int task)
{
	int text = id(btf__add_array(b, t_int, t_char, 8));
	int owner = id(btf__add_ptr(b, task));

	id(btf__add_struct(b, "device", 16));
	field("name", text, 0);
	field("owner", owner, 8);
	id(btf__add_struct(b, "file", 4));
	field("only", t_int, 0);
	id(btf__add_typedef(b, "module_t", t_uchar));
	id(btf__add_var(b, "module_list", BTF_VAR_GLOBAL_ALLOCATED, t_list));
}

int main(int argc, char *argv[])
{
	struct btf *kernel;
	int task;

	if (argc != 2)
		return 2;
	b = kernel = btf__new_empty();
	base_types();
	tagged_types();
	socket_types();
	program_types();
	enum_types();
	task = task_types();
	write_out(argv[1], "vmlinux");
	b = btf__new_empty_split(kernel);
	module_types(task);
	write_out(argv[1], "mod");
	btf__free(b);
	btf__free(kernel);
	return 0;
}
