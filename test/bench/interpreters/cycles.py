# SPDX-License-Identifier: MIT
"""A benchmark: generators and objects that only the garbage collector can free."""

import sys


class Node:
	def __init__(self):
		self.me = self


def nodes(count):
	for _ in range(count):
		yield Node()


print(sum(1 for node in nodes(int(sys.argv[1]) * 6000) if node.me is node))
