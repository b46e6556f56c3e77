#!@DTRACE@ -s
/*
 * SPDX-License-Identifier: MIT
 *
 * modules.d - show the modules that the kernel loads and unloads
 *
 * Usage: modules.d [-p PID | -c COMMAND] [SECONDS]
 *
 * Processes such as modprobe(8) load modules, and the kernel has them do so when something needs
 * one.
 *
 * Columns:
 *   PID        the process
 *   NAME       its name
 *   EVENT      load or unload
 *   MODULE     the module
 *
 * Example:
 *
 *   # modules.d -c 'rmmod locked'
 *        PID NAME             EVENT  MODULE
 *        528 rmmod            unload locked
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("%8s %-16s %-6s %s\n", "PID", "NAME", "EVENT", "MODULE");
}

sdt:module::module_load,
sdt:module::module_free
/!$target || progenyof($target)/
{
	printf("%8d %-16s %-6s %s\n", pid, execname, probename == "module_load" ? "load" : "unload", stringof(args[0]->name));
}

tick-1s
{
	elapsed++;
}

tick-1s
/elapsed == $1/
{
	exit(0);
}
