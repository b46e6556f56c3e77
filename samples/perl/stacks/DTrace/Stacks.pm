# SPDX-License-Identifier: MIT
# Stacks.pm - makes jstack() of dtrace see the subs of this program: perl -MDTrace::Stacks.
package DTrace::Stacks;

use strict;
use warnings;
use DynaLoader ();
use File::Spec ();

our $VERSION = '1.0';

# The object lies beside the folder of this file.
(my $object = File::Spec->rel2abs(__FILE__)) =~ s{DTrace/Stacks\.pm$}{dtrace_stacks.so};
my $library = DynaLoader::dl_load_file($object, 0) or die "DTrace::Stacks: " . DynaLoader::dl_error();
my $boot = DynaLoader::dl_find_symbol($library, 'boot_DTrace__Stacks') or die "DTrace::Stacks: " . DynaLoader::dl_error();
DynaLoader::dl_install_xsub('DTrace::Stacks::bootstrap', $boot, $object)->(__PACKAGE__);

1;

__END__

=head1 NAME

DTrace::Stacks - makes jstack() of dtrace see the subs of this program

=head1 SYNOPSIS

    perl -MDTrace::Stacks prog.pl
    LD_PRELOAD=/path/dtrace_stacks.so perl prog.pl

    dtrace -n 'profile-97 /pid == $target/ { @[jstack(20, 4096)] = count(); }' -p PID

=head1 DESCRIPTION

Nothing is done when subs are called. Threads are seen from the moment in which they run their first sub; a module
that has its own way of running ops, such as some debuggers and profilers, makes that only the first thread is.

=cut
