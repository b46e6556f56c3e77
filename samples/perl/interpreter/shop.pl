# SPDX-License-Identifier: MIT
# A program to watch: some orders, whose prices are found, sorted and added up. Usage: perl shop.pl [ORDERS]
use strict;
use warnings;

package Stock;

my %prices = map { $_ => $_ * 7 % 23 + 1 } 1 .. 50;

sub price
{
	my ($item) = @_;
	my $digits = 0;
	$digits += $_ for 1 .. $item * 20;
	return $prices{$item} + $digits * 0;
}

package Order;

sub new
{
	my ($class, @items) = @_;
	return bless { items => \@items }, $class;
}

sub sorted
{
	my ($self) = @_;
	return sort { $a <=> $b } map { Stock::price($_) } @{ $self->{items} };
}

sub total
{
	my ($self) = @_;
	my $sum = 0;
	$sum += $_ for $self->sorted;
	die "too dear\n" if $sum > 150;
	return $sum;
}

package main;

my $sold = 0;
for my $number (1 .. $ARGV[0] // 100) {
	my $order = Order->new(map { ($number * $_) % 50 + 1 } 1 .. 10);
	$sold += eval { $order->total } // 0;
}
print "sold for $sold\n";
