# SPDX-License-Identifier: MIT
"""A benchmark: words are made, counted, matched and sorted; hardly a call of a function."""

import re
import sys

pattern = re.compile("[ae].|g$")
count, state = {}, 1
for _ in range(int(sys.argv[1]) * 4000):
	state = (state * 1103515245 + 12345) % 2147483648
	word = "".join([chr(97 + (state >> shift) % 7) for shift in (8, 12, 16)])
	if pattern.search(word):
		count[word] = count.get(word, 0) + 1
print(min(count, key=lambda word: (-count[word], word)))
