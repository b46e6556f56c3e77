// SPDX-License-Identifier: MIT
// main.cc - a program in C++ with the probes of two provider files, and a plugin.
#include <dlfcn.h>
#include "consumer.h"
#include "other.h"

#define NAME(kind, form)	NAME_(kind, form)
#define NAME_(kind, form)	kind##_##form
#define TEXT(x)			TEXT_(x)
#define TEXT_(x)		#x

extern "C" {
int NAME(static, FORM)(int n);
int NAME(shared, FORM)(int n);
int NAME(object, FORM)(int n);
}

int main(int argc, char **argv)
{
	void *plugin;
	int sum;

	if (CONSUMER_BEGIN_ENABLED())
		CONSUMER_BEGIN(argc, argv[0]);
	plugin = dlopen("libmodule_" TEXT(FORM) ".so", RTLD_NOW);
	sum = plugin ? NAME(static, FORM)(1) + NAME(shared, FORM)(2) + NAME(object, FORM)(-3) : 1;
	OTHER_END(sum);
	return sum;
}
