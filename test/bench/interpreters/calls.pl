# SPDX-License-Identifier: MIT
# A benchmark: almost nothing but calls of subs.
use strict;
use warnings;

sub fibonacci
{
	my ($n) = @_;
	return $n < 2 ? $n : fibonacci($n - 1) + fibonacci($n - 2);
}

fibonacci(18) for 1 .. $ARGV[0];
