# SPDX-License-Identifier: MIT
# Making providers and probes: names, types, what is refused and in which words.
use strict;
use warnings;
use Test::More;
use DTrace::Provider;

# dies($code, $pattern, $name) - it dies, with a message that names this file.
sub dies
{
	my ($code, $pattern, $name) = @_;
	ok(!eval { $code->(); 1 }, "$name dies");
	like($@, qr/$pattern.* at t.provider\.t line/, "$name: why");
}

my $app = DTrace::Provider->new('app', module => 'server');
is($app->name, 'app', 'name');
is($app->module, 'server', 'module');
is(DTrace::Provider->new('app')->module, 'perl', 'default module');
is_deeply([$app->probes], [], 'no probes yet');

dies(sub {DTrace::Provider->new($_)}, qr/provider .*letters, digits/, "provider '$_'")
	for '', 'app1', '1app', 'a b', 'a-b', 'x' x 53;
dies(sub {DTrace::Provider->new('app', module => $_)}, qr/module/, "module '$_'") for '', 'a b', 'a:b', 'm' x 64;
dies(sub {DTrace::Provider->new}, qr/needs a name/, 'no name');
dies(sub {DTrace::Provider->new('app', modul => 1)}, qr/unknown option modul/, 'option');

my $probe = $app->add_probe('done', 'integer', 'string', 'uint8_t', {function => 'main'});
is_deeply([$probe->name, $probe->function, $probe->types], ['done', 'main', 'integer', 'string', 'uint8_t'], 'probe');
is_deeply([$app->probes], [$probe], 'the provider has it');
ok(!$probe->is_enabled, 'nobody traces it');

dies(sub {$app->add_probe($_)}, qr/names are printable/, "probe '$_'") for '', 'a b', 'a:b', 'n' x 64;
dies(sub {$app->add_probe('p', {function => 'f' x 256})}, qr/255/, 'function');
dies(sub {$app->add_probe('p', 'double')}, qr/unknown type double/, 'type');
dies(sub {$app->add_probe('p', undef)}, qr/unknown type undef/, 'no type');
dies(sub {$app->add_probe('p', ('integer') x 33)}, qr/at most 32 arguments, not 33/, 'too many');
dies(sub {$app->add_probe}, qr/needs a name/, 'probe without name');
dies(sub {$app->add_probe('p', {func => 1})}, qr/unknown option func/, 'option of a probe');
is(scalar $app->probes, 1, 'what was refused is not there');

my $other = $app->add_probe('other');
$app->remove($probe);
is_deeply([$app->probes], [$other], 'removed');
ok(eval { $probe->fire(1, 'x', 2); 1 }, 'a removed probe may be fired');
dies(sub {$app->remove($probe)}, qr/no probe of this provider/, 'removed twice');

ok(defined $app->enable, 'enable says whether');
$app->disable;
{
	local $ENV{DTRACE_DOF_INIT_DISABLE} = 1;
	is($app->enable, 0, 'whoever does not want probes has a script that works');
}
my @many = map {DTrace::Provider->new('app')} 1 .. 100;
$_->add_probe('p', 'integer')->fire(1) for @many;
is(scalar(grep {$_->probes == 1} @many), 100, 'many providers of one name');

done_testing;
