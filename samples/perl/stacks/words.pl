# SPDX-License-Identifier: MIT
# words.pl - counts words that it makes up, in a slow way, for some seconds: something to look at.
use strict;
use warnings;
use Time::HiRes 'time';

package Counter {
	sub new {bless {}, shift}

	sub add
	{
		my ($self, $word) = @_;
		$self->{$_}++ for split //, $word;
	}
}

sub number
{
	my ($n) = @_;
	my $total = 0;
	for my $i (0 .. $n) {
		$total += $i * $i % 7;
	}
	return $total;
}

sub words
{
	my ($n) = @_;
	return map {'word' x (number(150) % 5 + $_ % 3)} 1 .. $n;
}

sub run
{
	my ($seconds) = @_;
	my $counter = Counter->new;
	my $end = time + $seconds;
	while (time < $end) {
		$counter->add($_) for words(100);
	}
}

run($ARGV[0]);
