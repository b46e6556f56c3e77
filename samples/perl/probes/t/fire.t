# SPDX-License-Identifier: MIT
# Firing without a tracer: what is checked, what is not evaluated; the end of objects.
use strict;
use warnings;
use Test::More;
use DTrace::Provider;

package Counter {
	sub TIESCALAR {my $n = 0; bless \$n}
	sub FETCH {${$_[0]}++}
}

my @warnings;
local $SIG{__WARN__} = sub {push @warnings, @_};

my $app = DTrace::Provider->new('app');
my $probe = $app->add_probe('p', 'integer', 'string');
$probe->fire(1, 'x');
$probe->fire('no number', undef);
$probe->fire([], {});
is_deeply(\@warnings, [], 'no value is looked at');

for my $args ([], [1], [1, 2, 3]) {
	ok(!eval { $probe->fire(@$args); 1 }, @$args . ' values');
	like($@, qr/has 2 arguments, not ${\scalar @$args} at t.fire\.t/, 'why');
}
tie my $tied, 'Counter';
$probe->fire($tied, $tied);
is($tied, 0, 'a tied value was not fetched');

$probe->fire_with(sub {die 'it is not enabled'});
pass('a sub is not called');
ok(!eval { $probe->fire_with(1); 1 }, 'fire_with takes a sub');
for my $wrong (undef, 1, {}, $app) {
	ok(!eval { DTrace::Probe::fire($wrong); 1 }, 'no probe');
	like($@, qr/not a DTrace::Probe/, 'why');
}
ok(!eval { DTrace::Provider::enable(bless {}, 'DTrace::Provider'); 1 }, 'no provider');

undef $app;
ok(!$probe->is_enabled, 'a probe may outlive its provider');
$probe->fire(1, 'x');
is($probe->name, 'p', 'and says what it was');

my $child = fork // die "fork: $!";
if (!$child) {
	my $own = DTrace::Provider->new('own');
	$own->add_probe('p')->fire;
	$own->enable;
	$probe->fire(1, 'x');
	require POSIX;
	POSIX::_exit(0);
}
waitpid $child, 0;
is($?, 0, 'in a child');

done_testing;
