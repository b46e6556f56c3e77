/* SPDX-License-Identifier: MIT */
/* The probe of the toy interpreter that the cases of ustack helpers trace. */
provider script {
	probe at(int);
};
