/* SPDX-License-Identifier: MIT */
provider forms {
	probe direct(int, char *, short, unsigned char, long, int, int, int64_t);
	probe tail(int, int, int, int, int, int, int, int);
	probe maybe(int);
	probe real(int, double, float, int);
	probe got(int);
};
