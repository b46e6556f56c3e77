/* SPDX-License-Identifier: MIT */
struct s {
	int x;
}
struct t {
	int y;
};
