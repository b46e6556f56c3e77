// SPDX-License-Identifier: MIT
// main.cc - a program in C++ with the probes of consumer.d.
#include "consumer.h"

extern "C" {
int static_part(int n);
int shared_part(int n);
int called_part(int n);
}

int main(int argc, char **argv)
{
	if (CONSUMER_BEGIN_ENABLED())
		CONSUMER_BEGIN(argc, argv[0]);
	return static_part(1) + shared_part(2) + called_part(-3);
}
