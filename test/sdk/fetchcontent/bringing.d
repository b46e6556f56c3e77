/* SPDX-License-Identifier: MIT */
provider bringing {
	probe begin(int n);
};
