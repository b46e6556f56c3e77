/* SPDX-License-Identifier: MIT */
/* The probes of the program that the kernel tests trace. */
provider victim {
	probe tick(int);
	probe pair(int, char *);
	probe wide(signed char, unsigned char, short, unsigned short, int, unsigned int,
		   long long, unsigned long long, char *, int);
	probe dozen(int, int, int, int, int, int, int, int, int, int, int, int);
	probe guarded(int);
	probe both(int);
};

#pragma D attributes Evolving/Evolving/Common provider victim provider
#pragma D attributes Private/Private/Unknown provider victim module
#pragma D attributes Private/Private/Unknown provider victim function
#pragma D attributes Evolving/Evolving/Common provider victim name
#pragma D attributes Stable/Stable/Common provider victim args
