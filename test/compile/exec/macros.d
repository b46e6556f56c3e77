/* args: 42 word "two words" 0x10 */
/* Macro variables and script arguments. */
BEGIN
/$pid > 0 && $ppid > 0 && $uid == $uid && $gid == $gid && $euid >= 0 && $egid >= 0 && $pgid > 0 && $sid >= 0/
{
	word = 5;
	printf("%d %d %s|%s|%s|%d\n", $1, $2, $$2, $$3, $$1, $4);
	printf("%s %d %d\n", basename($$0), $projid, $taskid);
	exit(0);
}
