/* args: -xworld=user */
/* Without the module, curpsinfo and curlwpsinfo have what the variables of D tell. */
BEGIN
/curpsinfo->pr_pid == pid && curpsinfo->pr_ppid == ppid && curpsinfo->pr_uid == uid && curpsinfo->pr_gid == gid/
{
	printf("%d %d\n", curpsinfo->pr_fname == execname, curpsinfo->pr_psargs == execargs);
	printf("%d %d %c %d\n", curlwpsinfo->pr_lwpid == tid, curlwpsinfo->pr_state == SONPROC, curlwpsinfo->pr_sname,
	    curlwpsinfo->pr_onpro == cpu);
	exit(0);
}

BEGIN
/curpsinfo->pr_pid != pid/
{
	exit(1);
}
