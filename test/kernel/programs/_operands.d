/* SPDX-License-Identifier: MIT */
/* _operands.d - the probes of operands.c. */
provider operands {
	probe members(char, short, int, long long, int, unsigned int);
	probe statics(int, short, int64_t, int64_t);
	probe thread(int, int64_t);
	probe floating(float, double);
	probe registers(int, int64_t, unsigned char, int64_t, short, uint32_t);
	probe computed(int64_t, int, int64_t, uint64_t);
	probe constants(char, int, unsigned int, int64_t, unsigned char);
};
