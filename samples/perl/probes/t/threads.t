# SPDX-License-Identifier: MIT
# Threads have copies of all objects, and end them in any order.
use strict;
use warnings;
use Config;
use Test::More;
BEGIN {
	plan skip_all => 'this perl has no threads' unless $Config{useithreads};
	require threads;
}
use DTrace::Provider;

my $app = DTrace::Provider->new('app');
my $probe = $app->add_probe('p', 'integer');
$app->enable;

sub work
{
	my ($n) = @_;
	my $own = DTrace::Provider->new('own');
	for (1 .. 100) {
		$probe->fire($_);
		my $mine = $own->add_probe('mine', 'integer');
		$own->enable;
		$mine->fire($n);
		$own->remove($mine);
	}
	undef $app if $n & 1;
	undef $probe if $n & 2;
	return $n;
}

my @threads = map {threads->create(\&work, $_)} 0 .. 3;
is_deeply([map {$_->join} @threads], [0 .. 3], 'all came to an end');
$probe->fire(1);
is(scalar $app->probes, 1, 'the copies of this thread are as they were');
$app->enable;
$app->disable;

my $last = threads->create(sub {$probe->fire(2); $probe->name});
undef $app;
undef $probe;
is($last->join, 'p', 'a copy that outlives the others');

done_testing;
