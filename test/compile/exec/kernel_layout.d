/* args: -xbtfpath=TYPES -xnolibs */
/* SPDX-License-Identifier: MIT */
/* The layout of D's types around those of the kernel; enumerators and signs. */
struct outer {
	char c;
	struct list_head list;
	struct packed packed;
	enum big big;
	struct file files[2];
};

BEGIN
{
	printf("%d %d %d %d %d\n", offsetof(struct outer, list), offsetof(struct outer, packed),
	    offsetof(struct outer, big), offsetof(struct outer, files), sizeof (struct outer));
	printf("%d %d %d %x\n", (enum color)2 == vmlinux`GREEN, vmlinux`MINUS < 0,
	    (enum sign)-1, vmlinux`BIG);
	this->f = (struct file *)alloca(sizeof (struct file));
	this->f->mode = -3;
	this->f->readable = 1;
	this->f->wide = -5;
	this->f->number = 77;
	printf("%d %d %d %d\n", this->f->mode, this->f->readable, this->f->wide, this->f->number);
	this->p = (struct packed *)alloca(sizeof (struct packed) + 8);
	this->p->across = 0x2abcdef1;
	printf("%x %d\n", this->p->across, this->p->l != 0);
	exit(0);
}
