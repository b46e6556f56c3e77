# SPDX-License-Identifier: MIT
# required.pl - what places.pl requires.
main::here('file');
1;
