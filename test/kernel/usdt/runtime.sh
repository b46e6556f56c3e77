# SPDX-License-Identifier: MIT
# Probes made at run time: names, arguments (more than six, more than ten), probes that are not traced.
dtrace -Z -q -o "$T/seen" -c 'runtime provider app
	probe main request__done 2 probe main wide 32 probe other quiet 0 fire wide 1
	enable enabled request__done enabled quiet fire request__done 2 fire quiet 1 fire wide 1' -n '
app$target:::request-done
{
	printf("%s:%s:%s %d %s\n", probemod, probefunc, probename, args[0], copyinstr((uintptr_t)args[1]));
}
app$target:::wide
{
	printf("%d %d %d %d %d %d ", arg2, arg3, arg4, arg5, arg6, arg9);
	printf("%d %d %d\n", args[6], args[10], args[31]);
}'
cat "$T/seen"
