# SPDX-License-Identifier: MIT
"""A benchmark: almost nothing but calls of functions."""

import sys


def fibonacci(n):
	return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


for _ in range(int(sys.argv[1])):
	fibonacci(18)
