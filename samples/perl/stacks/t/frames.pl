# SPDX-License-Identifier: MIT
# frames.pl - fires a probe below frames of all kinds, so that frames.d shows the stack of each. Line
# numbers matter.
use strict;
use warnings;
use utf8;
use feature 'signatures';
use threads;
use DTrace::Provider;

our ($provider, $probe);
BEGIN {
	$provider = DTrace::Provider->new('frames');
	$probe = $provider->add_probe('here', 'string');
	$provider->enable;
}

sub here
{
	$probe->fire($_[0]);
}

BEGIN {
	here('compiling');
}

package Tied {
	sub TIESCALAR {bless []}
	sub FETCH {main::here('tied')}
}
package Object {
	use overload '""' => sub {main::here('overloaded'); 'text'};
	sub new {bless {}, shift}
	sub DESTROY {main::here('destructor')}
	sub AUTOLOAD {main::here('autoloaded')}
}
package Deep::Er {
	sub method {main::here('method')}
}

sub recursion
{
	my ($n) = @_;
	return recursion($n - 1) if $n;
	here('recursion');
}

sub signed($n) {here('signature')}

sub größeλ {here('non-ASCII')}

here('main');
Deep::Er->method;
sub {here('anonymous')}->();
*alias = \&Deep::Er::method;
alias();
tie my $tied, 'Tied';
my $value = $tied;
my $object = Object->new;
$value = "$object";
$object->unknown;
undef $object;
my @sorted = sort {here('sort') if $a == 1; $a <=> $b} 1, 2;
here('map') for map {here('within map') if $_ == 2; $_} 2;
eval {here('eval block'); die "x\n"};
here('after die');
eval "\n\nhere('eval string')";
local $SIG{USR1} = sub {here('signal')};
kill USR1 => $$;
local $SIG{__WARN__} = sub {here('warning')};
warn "x\n";
my $lexical = 'abc' =~ s/b/here('substitution'); 'x'/er;
signed(1);
größeλ();
recursion(3);
goto_it();
threads->create(sub {here('thread')})->join;
if (!(my $child = fork)) {
	here('child');
	require POSIX;
	POSIX::_exit(0);
}
wait;
require './t/required.pl';
do './t/required.pl';
$SIG{__WARN__} = sub {};
recursion(2000);

sub goto_it {@_ = 'goto'; goto &here}
END {
	here('END');
}
