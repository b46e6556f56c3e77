/* args: -Z */
/* SPDX-License-Identifier: MIT */
/* What args[] of probes that do not exist yet lead to may be used as a value of any type. */
struct info { int number; string text; };

later*:::start
/args[0]->version == 4 && args[1]->name == "x" && !pending[args[1]->id]/
{
	pending[args[1]->id] = timestamp;
	self->name = args[1]->name;
	this->either = args[0]->set ? args[0]->text : "none";
	@[args[2]->address, execname] = sum(args[1]->bytes + 1);
	@paths[self->name] = quantize(args[0]->list[3]);
	printf("%d %s %x %s", args[0]->a, args[1].b.c, *args[0], stringof(args[2]->d));
	trace(strjoin(args[0]->s, "/") + args[0]->s);
	trace(inet_ntoa(&args[0]->address));
	trace(*(args[0]->p + 4));
	trace(((struct info *)args[3])->text);
	trace(xlate <struct info *> (args[0])->number);
	tracemem(args[0]->p, 16);
	print(args[0]->x);
	sym(args[0]->pc);
}

later*:::done
/self->name != NULL/
{
	printf("%s %d", self->name, args[0]);
	self->name = 0;
}

END
{
	printa("%s %@d\n", @paths);
}
