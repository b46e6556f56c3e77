/* What scripts do in one place: arrays, strings, bit-fields, constants of all forms. */
struct callinfo { uint64_t ts; string f; struct callinfo *up; };
typedef struct { int a:4, b:4; } bits_t;
this struct callinfo *ci;
int64_t calls[pid_t, string];
string lastf;
enum { KB = 1 << 10, MB = KB << 10 };
inline int IS_BIG = arg0 > MB ? 1 : 0;
BEGIN, END
/execname != "" && (pid == $pid || pid != 0)/
{
	calls[pid, probefunc]++;
	lastf = strjoin(probemod, strjoin("`", probefunc));
	this->x = calls[pid, probefunc] > 1 ? lastf : "first";
	trace(this->x);
	self->stack[self->d++] = timestamp;
	this->t = timestamp - self->stack[--self->d];
	trace(this->t >= 0);
	@bysize[IS_BIG ? "big" : "small"] = count();
	printf("%s\n", substr(lastf, index(lastf, "`") + 1));
	trace(((bits_t *)alloca(4))->a);
	arr["x", 1, pid, tid] = (string)"s";
	trace(arr["x", 1, 1234, 1234]);
	this->c = (char)'A' + 2;
	printf("%c%c", this->c, this->c + 1);
	trace((uint8_t)-1 + 1);
	trace(-1 >> 1); trace((unsigned)-1 >> 28); trace(~0ULL >> 60);
	trace(010 + 0x10 + 'a' + '\n');
	trace("a" "b" == "ab");
	trace(KB); trace(7 / -2); trace(-7 % 3); 
}
BEGIN { exit(0); }
