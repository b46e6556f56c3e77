# SPDX-License-Identifier: MIT
"""A program to watch: some orders, whose prices are found, sorted and added up. Usage: python3 shop.py [ORDERS]"""

import gc
import sys

PRICES = {item: item * 7 % 23 + 1 for item in range(1, 51)}


class TooDear(Exception):
	pass


def price(item):
	digits = 0
	for digit in range(item * 20):
		digits += digit
	return PRICES[item] + digits * 0


class Order:
	def __init__(self, items):
		self.items = items
		self.me = self		# only the garbage collector can free it

	def sorted(self):
		return sorted(price(item) for item in self.items)

	def total(self):
		total = sum(self.sorted())
		if total > 150:
			raise TooDear
		return total


def sell(orders):
	sold = 0
	for number in range(1, orders + 1):
		try:
			sold += Order([number * i % 50 + 1 for i in range(1, 11)]).total()
		except TooDear:
			pass
	return sold


print("sold for", sell(int(sys.argv[1]) if len(sys.argv) > 1 else 100))
gc.collect()
