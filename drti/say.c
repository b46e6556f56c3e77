/* SPDX-License-Identifier: MIT */
/* say.c - steps and errors on stderr. Like registrar.c it needs neither malloc nor stdio. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "say.h"

static void say_text(const char *text)
{
	ssize_t ignored = write(STDERR_FILENO, text, strlen(text));

	(void)ignored;
}

void drti_decimal(char *out, unsigned long number)
{
	char digits[24], *at = digits + sizeof digits;

	*--at = '\0';
	do {
		*--at = '0' + number % 10;
		number /= 10;
	} while (number);
	strcpy(out, at);
}

void drti_say(const char *what, const char *which, const char *unit, unsigned long number)
{
	char digits[24];

	if (!secure_getenv("DTRACE_DOF_INIT_DEBUG"))
		return;
	say_text("dtrace: ");
	say_text(what);
	say_text(which);
	say_text(unit);
	drti_decimal(digits, number);
	say_text(digits);
	say_text("\n");
}
