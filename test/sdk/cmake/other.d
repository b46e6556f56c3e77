/* SPDX-License-Identifier: MIT */
/* other.d - a second provider file of one program. */
provider other {
	probe end(int status);
};
