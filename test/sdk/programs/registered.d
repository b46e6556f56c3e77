/* SPDX-License-Identifier: MIT */
/* registered.d - the probes of registered.c and plugin.c, and some that never fire. */
provider nobody {
	probe here(int);
};
provider registered {
	probe never(long);
	probe end(int argc, char **argv) : (char **argv, int argc);
	probe begin();
};
provider plugin {
	probe called__twice(int);
};
#pragma D attributes Stable/Evolving/Common provider registered provider
