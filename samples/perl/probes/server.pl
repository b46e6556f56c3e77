# SPDX-License-Identifier: MIT
# server.pl - answers requests that it makes up itself, and has a probe where one begins and one
# where it is done.
use strict;
use warnings;
use DTrace::Provider;
use Time::HiRes 'usleep';

my $server = DTrace::Provider->new('server');
my $start = $server->add_probe('request__start', 'string', 'integer', {function => 'answer'});
my $done = $server->add_probe('request__done', 'string', 'integer', 'string', {function => 'answer'});
$server->enable;

my %pages = ('/' => 200, '/big' => 5000);

sub answer
{
	my ($number, $path) = @_;
	$start->fire($path, $number);
	my $text = '.' x ($pages{$path} // 0);
	usleep length $text;
	$done->fire_with(sub {($path, $text ? 200 : 404, join ' ', sort keys %pages)});
	return $text;
}

answer($_, ('/', '/big', '/none')[$_ % 3]) for 0 .. $ARGV[0] - 1;
