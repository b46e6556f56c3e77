# SPDX-License-Identifier: MIT
# cost.pl - print the cost of probes that are not traced, beside that of an empty method.
use strict;
use warnings;
use Time::HiRes 'time';
use DTrace::Provider;

sub Nothing::fire {}

my $nothing = bless [], 'Nothing';
my $probe = DTrace::Provider->new('cost')->add_probe('p', 'string', 'integer');
my $rounds = 200_000;

# The best of several measurements of one execution, in nanoseconds.
sub nanoseconds
{
	my ($code) = @_;
	my $best;
	for (1 .. 5) {
		my $began = time;
		$code->();
		my $took = (time - $began) / $rounds * 1e9;
		$best = $took if !defined $best || $took < $best;
	}
	return $best;
}

my @ways = (
	['$nothing->fire("/", 200)', sub {$nothing->fire("/", 200) for 1 .. $rounds}],
	['$probe->fire("/", 200)', sub {$probe->fire("/", 200) for 1 .. $rounds}],
	['$probe->fire_with(sub {("/", 200)})', sub {$probe->fire_with(sub {("/", 200)}) for 1 .. $rounds}],
	['$probe->is_enabled', sub {$probe->is_enabled for 1 .. $rounds}],
);
printf "%-36s %6.0f ns\n", $_->[0], nanoseconds($_->[1]) for @ways;
