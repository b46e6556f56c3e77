# SPDX-License-Identifier: MIT
"""Examples in Markdown pages: fenced blocks of commands and what they print, taken apart, compared and accepted.

In what is printed "..." stands for any text, and alone in a line for any lines. With the word shape, numbers and bars
may differ, and lines that are then alike are one.
"""

import dataclasses
import re
import shlex
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]


@dataclasses.dataclass
class Block:
	"""A block of a page: its words (d, console, text ...), its lines, and where it is."""
	words: list
	lines: list
	page: Path
	line: int
	after: "Block" = None		# the block right after it
	printed: dict = dataclasses.field(default_factory=dict)	# command: what it printed, where that is not what is expected

	@property
	def name(self):
		return f"{self.page.relative_to(TOP)}:{self.line}"


def markdown(page):
	blocks, block, last = [], None, 0
	for number, line in enumerate(page.read_text().splitlines(), 1):
		fence = re.match(r"```(.*)$", line)
		if block is None and fence:
			block = Block(fence[1].split(), [], page, number)
		elif block is not None and fence:
			if blocks and block.line == last + 1 and block.words[:1] == ["text"]:
				blocks[-1].after = block
			blocks.append(block)
			block, last = None, number
		elif block is not None:
			block.lines.append(line)
	return blocks


# ---- comparing

def shape(lines):
	"""Lines without what differs from run to run."""
	out = []
	for line in lines:
		line = re.sub(r"0x[0-9a-f]+|-?\d+", "0", line)
		line = re.sub(r"[@ ]+\|[@ ]*| \s+", " ", line).strip()
		if not out or out[-1] != line:
			out.append(line)
	return out


def matches(expected, lines):
	"""Return whether lines are what is expected; "..." in it stands for anything."""
	if not expected:
		return not lines
	if expected[0].strip() == "...":
		return any(matches(expected[1:], lines[i:]) for i in range(len(lines) + 1))
	if not lines:
		return False
	pattern = ".*".join(re.escape(part) for part in expected[0].rstrip().split("..."))
	return re.fullmatch(pattern, lines[0].rstrip()) is not None and matches(expected[1:], lines[1:])


def trimmed(lines):
	"""Without blank lines at both ends."""
	while lines and not lines[0].strip():
		lines = lines[1:]
	while lines and not lines[-1].strip():
		lines = lines[:-1]
	return lines


def judge(block, command, expected, text):
	"""None, or how what the command printed differs from the lines expected."""
	expected, lines = trimmed(expected), trimmed(text.splitlines())
	if "shape" in block.words:
		expected, lines = shape(expected), shape(lines)
	if matches(expected, lines):
		return None
	block.printed[command] = trimmed(text.splitlines())
	return f"{command}\nexpected:\n" + "\n".join(expected) + "\ngot:\n" + "\n".join(lines)


def commands(block):
	"""(command, lines expected) of a console block; lines that end with a backslash go on."""
	out = []
	for line in block.lines:
		if out and out[-1][0].endswith("\\"):
			out[-1][0] += "\n" + line
		elif out and open_quote(out[-1][0]):
			out[-1][0] += "\n" + line
		elif re.match(r"[#$] ", line):
			out.append([line[2:], []])
		elif not out:
			raise ValueError(f"{block.name}: a console block begins with a command")
		else:
			out[-1][1].append(line)
	return out


def open_quote(command):
	"""Return whether a quote is still open at the end of the command."""
	try:
		shlex.split(command)
		return False
	except ValueError:
		return True


# ---- accepting

def accept(blocks):
	"""Write what was printed into the Markdown pages."""
	for page in {b.page for b in blocks if b.printed and b.page.suffix == ".md"}:
		lines = page.read_text().splitlines()
		for block in sorted((b for b in blocks if b.page == page and b.printed), key=lambda b: -b.line):
			target = block.after if None in block.printed else block
			lines[target.line:target.line + len(target.lines)] = renewed(block, target)
		page.write_text("\n".join(lines) + "\n")


def renewed(block, target):
	"""The lines of a block with what was printed."""
	if target is not block:
		return [line.rstrip() for line in block.printed[None]]
	out, marks = [], iter([line[:2] for line in block.lines if re.match(r"[#$] ", line)])
	for command, expected in commands(block):
		out += (next(marks) + command).split("\n") + [line.rstrip() for line in block.printed.get(command, expected)]
	return out


# ---- results

class Tally:
	def __init__(self):
		self.number, self.failed = 0, 0

	def add(self, name, why, skip=None):
		self.number += 1
		self.failed += why is not None
		note = f" # SKIP {skip}" if skip and why is None else ""
		print(f"{'not ok' if why is not None else 'ok'} {self.number} - {name}{note}")
		for line in (why or "").rstrip("\n").split("\n") if why is not None else []:
			print(f"# {line}")
		sys.stdout.flush()
