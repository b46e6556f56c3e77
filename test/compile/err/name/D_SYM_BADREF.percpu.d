/* args: -xbtfpath=TYPES -xnolibs -xkallsyms=../../kallsyms.single */
/* SPDX-License-Identifier: MIT */
BEGIN
{
	trace(`percpu);
}
