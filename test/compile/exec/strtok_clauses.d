/* SPDX-License-Identifier: MIT */
/* The position of strtok() is the firing's: other clauses go on, at the delimiter that ended the last token. */
BEGIN
{
	this->s = "a,b,c";
}

BEGIN
{
	printf("%s|", strtok(this->s, ","));
}

BEGIN
{
	this->s = "other";
	printf("%s|", strtok(NULL, ","));
}

BEGIN
{
	printf("%s\n", strtok(NULL, ","));
	this->end = strtok(NULL, ",");
	printf("%d\n", this->end == NULL);
}

/* What was taken apart was in scratch memory, which another clause has used since. */
BEGIN
{
	printf("%s|", strtok(strjoin("x-y", "-z"), "-"));
}

BEGIN
{
	this->t = strjoin("overwritten", "overwritten");
	printf("%s|", strtok(NULL, "-"));
	printf("%s\n", strtok(NULL, "-"));
}

/* Another delimiter does not skip the last one. */
BEGIN
{
	printf("%s|", strtok("aXbYc", "X"));
	printf("%s|", strtok(NULL, "Y"));
	printf("%s\n", strtok(NULL, ""));
	exit(0);
}

/* Another firing begins with nothing. */
END
{
	this->none = strtok(NULL, ",");
	printf("%d\n", this->none == NULL);
}
