# SPDX-License-Identifier: MIT
# @@worlds: kernel curpsinfo reads objects of the kernel
# curpsinfo, curlwpsinfo and curcpu of a process of which everything is known.
# @@needs: types
. ../_lib.sh
start victim fire 1
renice -n 5 -p "$V" >/dev/null
trace -x argref -n '
victim*:::tick
{
	printf("%d %d %d\n", curpsinfo->pr_pid == $1, curpsinfo->pr_ppid == $2, curpsinfo->pr_nlwp);
	printf("%d %d\n", curpsinfo->pr_pgid == $3, curpsinfo->pr_sid == $4);
	printf("%d %d %d %d\n", curpsinfo->pr_uid, curpsinfo->pr_euid, curpsinfo->pr_gid, curpsinfo->pr_egid);
	printf("%s %s\n", curpsinfo->pr_fname, curpsinfo->pr_psargs);
	this->argv = (uintptr_t *)copyin(curpsinfo->pr_argv, 4 * sizeof (uintptr_t));
	printf("%s %s %s\n", basename(copyinstr(this->argv[0])), copyinstr(this->argv[1]), copyinstr(this->argv[3]));
	this->envp = (uintptr_t *)copyin(curpsinfo->pr_envp, sizeof (uintptr_t));
	printf("%d %d\n", curpsinfo->pr_addr == (uintptr_t)curthread, index(copyinstr(this->envp[0]), "=") > 0);
	printf("%d %d %d\n", curpsinfo->pr_argc, curpsinfo->pr_nzomb, curpsinfo->pr_contract);
	printf("%d %d\n", curpsinfo->pr_dmodel == PR_MODEL_LP64, curpsinfo->pr_wstat);
	printf("%d\n", walltimestamp / 1000000000 - curpsinfo->pr_start.tv_sec < 60);
	printf("%d %d %s\n", curpsinfo->pr_zoneid, curpsinfo->pr_poolid, xlate <psinfo_t> (curthread->group_leader->real_parent).pr_fname);
}
victim*:::tick
{
	printf("%d %x\n", curlwpsinfo->pr_lwpid == tid, curlwpsinfo->pr_flag);
	printf("%d %c %d %d\n", curlwpsinfo->pr_state == SONPROC, curlwpsinfo->pr_sname, curlwpsinfo->pr_nice, curlwpsinfo->pr_pri);
	printf("%s %s\n", curlwpsinfo->pr_clname, curlwpsinfo->pr_name);
	printf("%d %d\n", curlwpsinfo->pr_onpro == cpu, curlwpsinfo->pr_bindpro);
	printf("%d\n", curlwpsinfo->pr_time.tv_nsec > 0 && curlwpsinfo->pr_time.tv_sec < 10);
	printf("%d %d %d\n", curcpu->cpu_id == cpu, curcpu->cpu_pset, curcpu->cpu_lgrp);
	printf("%d %s %d\n", curcpu->cpu_info.pi_state == P_ONLINE, stringof(curcpu->cpu_info.pi_processor_type),
	    curcpu->cpu_info.pi_clock > 100);
}' "$V" $$ $(cut -d " " -f 5,6 "/proc/$V/stat")
finish
untrace
