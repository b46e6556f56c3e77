# SPDX-License-Identifier: MIT
# traced.pl - fires probes in all the ways that matter while traced.d traces them: values, threads,
# children, errors, the end.
use strict;
use warnings;
use threads;
use DTrace::Provider;

package Loud {
	use overload '""' => sub {'overloaded'}, '0+' => sub {7}, fallback => 1;
}
package Counter {
	sub TIESCALAR {my $n = 10; bless \$n}
	sub FETCH {${$_[0]}++}
}

$| = 1;
my $traced = DTrace::Provider->new('traced');
my $numbers = $traced->add_probe('numbers', 'integer', 'int8_t', 'uint8_t', 'int32_t', 'uint64_t');
my $text = $traced->add_probe('text', 'string', 'string', 'char *');
my $tick = $traced->add_probe('tick', 'integer');
my $wide = $traced->add_probe('wide', ('integer') x 32);
$traced->enable;
print 'enabled ', $tick->is_enabled ? 1 : 0, $text->is_enabled ? 1 : 0, "\n";

$numbers->fire(-1, -1, -1, 1 << 31, ~0);
tie my $tied, 'Counter';
$numbers->fire('12', 'no number', 300.7, $tied, 3.99);
$numbers->fire(undef, "3 apples", '-4', bless([], 'Loud'), '18446744073709551615');
$text->fire("caf\x{e9}\x{263a}", "cut\0off", bless([], 'Loud'));
$text->fire(undef, 12, 1.5);
$wide->fire(0 .. 31);

$SIG{__WARN__} = sub {print "warning: @_"};
$@ = 'kept';
$tick->fire_with(sub {42});
$tick->fire_with(sub {die "in the sub\n"});
$tick->fire_with(sub {(1, 2)});
$tick->fire_with(sub {$traced->remove($numbers); 44});
print "$@\n";
$numbers->fire(0, 0, 0, 0, 0);

$_->join for map {threads->create(sub {$tick->fire(1000) for 1 .. 500})} 1 .. 4;
if (!(my $child = fork)) {
	$tick->fire(2000);
	require POSIX;
	POSIX::_exit(0);
}
wait;

$traced->disable;
$tick->fire(45);
$traced->enable;
$tick->fire(46);
undef $traced;
$tick->fire(47);
print 'enabled ', $tick->is_enabled ? 1 : 0, "\n";
