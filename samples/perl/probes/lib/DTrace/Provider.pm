# SPDX-License-Identifier: MIT
# Provider.pm - the classes DTrace::Provider and DTrace::Probe: probes that a script makes.
package DTrace::Provider;

use strict;
use warnings;
use Carp ();
use Errno ();
use XSLoader ();

our $VERSION = '1.0';
our @CARP_NOT = ('DTrace::Probe');

XSLoader::load(__PACKAGE__, $VERSION);

my $MAXARGS = 32;

sub new
{
	my ($class, $name, %options) = @_;
	my $module = delete $options{module} // 'perl';
	Carp::croak("a provider needs a name") unless defined $name;
	Carp::croak("unknown option " . (sort keys %options)[0]) if %options;
	my $self = bless {name => $name, module => $module, probes => []}, $class;
	return $self if $self->_attach($name, $module);
	Carp::croak("provider $name of module $module: $!") unless $!{EINVAL};
	Carp::croak("provider $name of module $module: a provider's name is letters, digits and underscores, at most "
		. "52, no digit first or last; a module's at most 63 printable characters without blanks and colons");
}

sub add_probe
{
	my ($self, $name, @types) = @_;
	my %options = ref $types[-1] eq 'HASH' ? %{pop @types} : ();
	my $function = delete $options{function} // 'script';
	Carp::croak("a probe needs a name") unless defined $name;
	Carp::croak("unknown option " . (sort keys %options)[0]) if %options;
	my $probe = DTrace::Probe->_new($self, $function, $name, @types);
	push @{$self->{probes}}, $probe;
	return $probe;
}

sub remove
{
	my ($self, $probe) = @_;
	my @others = grep {$_ != $probe} @{$self->{probes}};
	Carp::croak("$probe is no probe of this provider") if @others == @{$self->{probes}};
	$probe->_remove;
	$self->{probes} = \@others;
	return;
}

sub enable
{
	my ($self) = @_;
	return 1 if $self->_enable;
	return 0 if $!{ENOENT} || $!{ENODEV} || $!{EACCES} || $!{ECANCELED};
	Carp::croak("provider $self->{name}: $!; /proc/dtrace/helper_errors says more");
}

sub disable
{
	my ($self) = @_;
	Carp::croak("provider $self->{name}: $!") unless $self->_disable;
	return;
}

sub name {$_[0]{name}}
sub module {$_[0]{module}}
sub probes {@{$_[0]{probes}}}

package DTrace::Probe;

our @CARP_NOT = ('DTrace::Provider');

sub _new
{
	my ($class, $provider, $function, $name, @types) = @_;
	Carp::croak("a probe has at most $MAXARGS arguments, not " . @types) if @types > $MAXARGS;
	for my $type (@types) {
		Carp::croak("unknown type " . ($type // 'undef')
			. ": say string, integer, char *, int8_t ... uint64_t") unless DTrace::Provider::_kind($type // '');
	}
	my $self = bless {name => $name, function => $function, types => [@types]}, $class;
	return $self if $self->_attach($provider, $function, $name, @types);
	Carp::croak("probe $function:$name: $!") unless $!{EINVAL};
	Carp::croak("probe $function:$name: names are printable ASCII without blanks and colons, at most 63 characters, "
		. "255 of a function");
}

sub fire_with
{
	my ($self, $code) = @_;
	Carp::croak("fire_with takes a sub") unless ref $code && ref $code ne 'HASH';
	return unless $self->is_enabled;
	local ($@, $!);
	local $SIG{__DIE__};
	eval {
		$self->fire($code->());
		1;
	} or warn "probe $self->{name}: $@";
	return;
}

sub name {$_[0]{name}}
sub function {$_[0]{function}}
sub types {@{$_[0]{types}}}

1;

__END__

=head1 NAME

DTrace::Provider - probes for DTrace that a script makes while it runs

=head1 SYNOPSIS

    use DTrace::Provider;

    my $app = DTrace::Provider->new('app');
    my $request = $app->add_probe('request', 'string', 'integer');
    $app->enable;

    $request->fire('/index.html', 200);
    $request->fire_with(sub { (describe($r), $r->size) });

    # dtrace -n 'app*:::request { printf("%s %d", copyinstr(arg0), arg1); }'

=head1 DESCRIPTION

A provider is seen by dtrace as its name and the number of the process, C<app1234>. A probe that nobody traces costs a
call of a method.

=head2 DTrace::Provider

=over

=item new($name, module => $module)

A provider without probes. Its name: letters, digits and underscores, no digit first or last, at most 52. The module of
its probes is C<perl> if nothing else is said. When the object goes, so do its probes; if a C<my> variable of the file has it,
before C<END> blocks run.

=item add_probe($name, @types)

=item add_probe($name, @types, {function => $function})

Makes a C<DTrace::Probe>, which C<enable> will show. Types are C<integer>, C<string> or names of types of C, C<int8_t> to
C<uint64_t> and C<char *>; at most 32. C<__> in a name is C<-> for dtrace. The probe belongs to the provider, and lives
until C<remove>, or as long as the provider does.

=item enable

Lets dtrace see the probes that have been added; call it again after adding more. Returns true, or false where that cannot
be: C<DTRACE_DOF_INIT_DISABLE> is set, or there is no dtrace for this machine.

=item disable

Hides all probes until the next C<enable>.

=item remove($probe)

Hides a probe for good. It may still be fired; nothing happens then.

=item name, module, probes

What it was made with; its probes, a list.

=back

=head2 DTrace::Probe

=over

=item fire(@values)

Reaches the probe. There must be as many values as arguments, whether it is traced or not. Only when somebody traces the
probe are values looked at: an integer that is no number is 0, one that is too big loses its upper bits, as in C; a
string is passed as Perl has it (UTF-8 if it has characters above 255) and ends at a NUL for dtrace; undef is 0 or empty.

=item fire_with(sub { ... })

Reaches the probe with the list that the sub returns. The sub is called only while somebody traces the probe; because of
that an error in it is a warning.

=item is_enabled

Whether somebody traces the probe.

=item name, function, types

What it was made with.

=back

=head1 THREADS AND PROCESSES

A new thread has copies of all objects, which stand for the same provider and probes; these go with the last copy. A
child of fork has the providers of its parent.

=head1 SEE ALSO

dtrace-probes(3), dtrace(1)

=cut
