/* args: -xbtfpath=TYPES -xnolibs */
/* SPDX-License-Identifier: MIT */
/* args[] of a kernel's probe: types of the kernel, and a translator for the second. */
typedef struct fileinfo {
	string name;
	int mode;
} fileinfo_t;

translator fileinfo_t < struct file *F > {
	mode = F->mode;
	name = stringof(F->dev->name);
};

typed:::entry
{
	trace(args[0]->comm);
	trace(args[1]->mode);
	trace(args[1]->name);
	trace(args[2]);
	trace(sizeof (args[4]));
	trace(args[5]->only);
}
