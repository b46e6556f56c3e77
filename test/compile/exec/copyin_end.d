/* SPDX-License-Identifier: MIT */
/* A program may end text from copyin() with a NUL, and text without one ends there anyway. */
BEGIN
{
	this->from = strjoin("12345678", "9");
	this->text = (char *)copyin((uintptr_t)this->from, 8);
	printf("%s|", stringof(this->text));
	this->text[8] = '!';
	this->text[8] = '\0';
	this->after = strjoin("after", "");
	printf("%s|%s\n", stringof(this->text), this->after);
}

BEGIN
{
	this->none = (char *)copyin((uintptr_t)strjoin("x", "y"), 0);
	printf("%d %s\n", this->none[0], stringof(this->text));
	exit(0);
}
