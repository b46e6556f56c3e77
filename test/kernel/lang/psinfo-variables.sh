# SPDX-License-Identifier: MIT
# @@worlds: user the module knows all members
# curpsinfo, curlwpsinfo and curcpu of a process: the members that are made from variables of D.
. ../_lib.sh
dtrace -qc 'victim fire 1' -n '
victim$target:::tick
{
	printf("%d %d\n", curpsinfo->pr_pid == $target, curpsinfo->pr_ppid == $pid);
	printf("%d %d\n", curpsinfo->pr_uid == uid, curpsinfo->pr_gid == gid);
	printf("%s %s\n", curpsinfo->pr_fname, curpsinfo->pr_psargs);
	printf("%d %d\n", curlwpsinfo->pr_lwpid == tid, curlwpsinfo->pr_onpro == cpu && curcpu->cpu_id == cpu);
	printf("%d %c\n", curlwpsinfo->pr_state == SONPROC, curlwpsinfo->pr_sname);
}'
