# SPDX-License-Identifier: MIT
# A benchmark: words are made, counted, matched and sorted; hardly a call of a sub.
use strict;
use warnings;

my (%count, $state);
$state = 1;
for (1 .. $ARGV[0] * 4000) {
	$state = ($state * 1103515245 + 12345) % 2147483648;
	my $word = join '', map { chr 97 + ($state >> $_) % 7 } 8, 12, 16;
	$count{$word}++ if $word =~ /[ae].|g$/;
}
my @best = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
print "$best[0]\n";
