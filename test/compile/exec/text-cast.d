/*
 * An array that gets a string cast to char * keeps the text after the firing; its elements are
 * still pointers.
 */
BEGIN
{
	saved[1] = (char *)strjoin("one ", "two");
	saved[2] = NULL;
	self->saved["a"] = (char *)strjoin("five ", "six");
	copy[1] = saved[1];
	self->text = (char *)execname;
	name = (char *)execname;
	printf("%s, %s\n", saved[1], (string)self->saved["a"]);
	exit(0);
}
END
{
	this->other = strjoin("some other ", "text in the memory");
	printf("%s, %s, %s, %d\n", saved[1], stringof(copy[1]), self->saved["a"],
	    strlen(saved[1]));
}
END
/saved[1]/
{
	printf("set: %c%c, %d %d %d\n", *saved[1], saved[1][1], sizeof(saved[1]),
	    saved[1] == copy[1], saved[1] == "one two");
	@[saved[1]] = count();
	saved[3] = saved[1];
}
END
/saved[2] || !saved[1] || self->saved["b"] || saved[2] != NULL/
{
	printf("set without a value\n");
}
END
/saved[1] && !saved[2] && saved[1] != NULL && (saved[1] ? 1 : 0)/
{
	saved[3]++;
	saved[1] += 4;
	this->p = saved[1];
	this->p++;
	printf("%s, %s, %s, %d %p\n", saved[3], saved[1], this->p,
	    (this->q = saved[1] = (char *)"x") != 0, saved[4]);
	saved[2] = (void *)saved[3];
	saved[1] = saved[2] + 1;
	printf("%s %s, %d\n", saved[1], saved[2], (uintptr_t)saved[3] > 4096);
	saved[1] = 0;
	saved[2] = 0;
}
END
/self->text && name && !saved[1] && !saved[2]/
{
	self->text++;
	name++;
	printf("plain variables are pointers: %d\n", sizeof(name));
}
