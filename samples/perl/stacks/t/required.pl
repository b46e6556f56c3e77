# SPDX-License-Identifier: MIT
# required.pl - what frames.pl requires.
main::here('file');
1;
