/* SPDX-License-Identifier: MIT */
/* has an error */
inlin int a = 1;
