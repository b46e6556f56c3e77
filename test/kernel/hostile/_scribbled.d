/* SPDX-License-Identifier: MIT */
/* All kinds of records, aggregations and variables. */
int number;
string text;
int array[int];
string texts[string];

scribbler$target:::hit
{
	self->spec = speculation();
	self->number = arg0;
	number++;
	text = copyinstr(arg1);
	array[arg0 & 15]++;
	texts[text] = execname;
}

scribbler$target:::hit
{
	@count[arg0 & 7] = count();
	@sum = sum(arg0);
	@avg[text] = avg(arg0);
	@stddev = stddev(arg0);
	@min = min(arg0);
	@max = max(arg0);
	@quantize[text] = quantize(arg0);
	@lquantize = lquantize(arg0, 0, 20, 2);
	@llquantize = llquantize(arg0, 10, 0, 3, 20);
	@stacks[ustack(4)] = count();
	@symbols[usym(uregs[R_RIP]), umod(uregs[R_RIP])] = sum(arg0);
}

scribbler$target:::hit
{
	printf("%d %s %s %d %c %x\n", arg0, text, texts["some text"], array[arg0 & 15], arg0, pid);
	trace(text);
	ustack(5);
	jstack(5, 200);
	tracemem(copyin(arg1, 8), 8, arg0 & 7);
	usym(uregs[R_RIP]);
	print(arg0);
}

scribbler$target:::hit
{
	speculate(self->spec);
	printf("speculated %d\n", self->number);
}

scribbler$target:::hit
/arg0 & 1/
{
	commit(self->spec);
}

scribbler$target:::hit
/!(arg0 & 1)/
{
	discard(self->spec);
}

/* A fault, which is reported as a record. */
scribbler$target:::hit
/arg0 == 5/
{
	trace(copyinstr(arg0));
}

tick-20ms
{
	printa(@quantize);
	printa(@lquantize);
	printa(@stacks);
	normalize(@avg, 3);
	printa("%d %@d\n", @count);
	trunc(@symbols, 3);
	clear(@llquantize);
}
