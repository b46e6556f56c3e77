# SPDX-License-Identifier: MIT
"""Counts words that it makes up, in a slow way, for some seconds: something to look at."""

import sys
import time


class Counter:
	def __init__(self):
		self.counts = {}

	def add(self, word):
		for letter in word:
			self.counts[letter] = self.counts.get(letter, 0) + 1


def number(n):
	total = 0
	for i in range(n):
		total += i * i % 7
	return total


def words(n):
	for i in range(n):
		yield "word" * (number(150) % 5 + i % 3)


def main(seconds):
	counter = Counter()
	end = time.monotonic() + seconds
	while time.monotonic() < end:
		for word in words(100):
			counter.add(word)


main(float(sys.argv[1]))
