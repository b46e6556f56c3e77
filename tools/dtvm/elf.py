# SPDX-License-Identifier: MIT
"""Finds the shared libraries that ELF files need, the way the dynamic loader would, without running them."""

import functools
import os
import re
import struct
import subprocess

PT_LOAD, PT_DYNAMIC, PT_INTERP = 1, 2, 3
DT_NEEDED, DT_STRTAB, DT_RPATH, DT_RUNPATH = 1, 5, 15, 29
MACHINES = {3: "i386", 62: "x86-64"}


class Elf:
	"""The facts that the loader needs about one file."""

	def __init__(self, path, data):
		self.path = path
		self.data = data
		self.wide = data[4] == 2
		self.machine = MACHINES.get(struct.unpack_from("<H", data, 18)[0])
		self.needed, self.runpath, self.interp = [], [], None
		self._read_segments()

	def _segments(self):
		if self.wide:
			offset, = struct.unpack_from("<Q", self.data, 32)
			size, count = struct.unpack_from("<HH", self.data, 54)
			form, pick = "<IIQQQQ", lambda f: (f[0], f[2], f[3], f[5])
		else:
			offset, = struct.unpack_from("<I", self.data, 28)
			size, count = struct.unpack_from("<HH", self.data, 42)
			form, pick = "<IIIIII", lambda f: (f[0], f[1], f[2], f[4])
		for i in range(count):
			yield pick(struct.unpack_from(form, self.data, offset + i * size))

	def _read_segments(self):
		segments = list(self._segments())
		loads = [(vaddr, off, size) for kind, off, vaddr, size in segments if kind == PT_LOAD]
		for kind, offset, _, size in segments:
			if kind == PT_INTERP:
				self.interp = self.data[offset:offset + size].rstrip(b"\0").decode()
			elif kind == PT_DYNAMIC:
				self._read_dynamic(offset, size, loads)

	def _read_dynamic(self, offset, size, loads):
		form = "<qQ" if self.wide else "<iI"
		step = struct.calcsize(form)
		tags = [struct.unpack_from(form, self.data, at) for at in range(offset, offset + size, step)]
		strtab = next((v for t, v in tags if t == DT_STRTAB), 0)
		base = next((o + strtab - a for a, o, n in loads if a <= strtab < a + n), None)
		if base is None:
			return
		for tag, value in tags:
			if tag == DT_NEEDED:
				self.needed.append(self._string(base + value))
			elif tag in (DT_RPATH, DT_RUNPATH):
				self.runpath += self._string(base + value).split(":")

	def _string(self, at):
		return self.data[at:self.data.index(b"\0", at)].decode()


def read(path):
	"""The Elf of PATH, or None if it is not an executable or a shared object of a known kind."""
	try:
		with open(path, "rb") as file:
			if file.read(4) != b"\x7fELF":
				return None
			file.seek(0)
			return Elf(path, file.read())
	except (OSError, struct.error, IndexError, ValueError):
		return None


@functools.cache
def _loader_cache():
	"""(machine, soname) -> path, from the host's ld.so.cache."""
	table = {}
	text = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout
	for name, flags, path in re.findall(r"^\s+(\S+) \(([^)]*)\) => (\S+)$", text, re.M):
		if "x32" not in flags:
			machine = "x86-64" if "x86-64" in flags else "i386"
			table.setdefault((machine, name), path)
	return table


def _resolve(elf, name):
	"""Path of the library NAME that ELF asks for, or None: then the guest has to have it."""
	origin = os.path.dirname(os.path.abspath(elf.path))
	if "/" in name:
		return name if os.path.exists(name) else None
	for directory in elf.runpath:
		directory = re.sub(r"\$ORIGIN|\$\{ORIGIN\}", lambda _: origin, directory)
		path = os.path.join(directory, name)
		found = read(path)
		if found and found.machine == elf.machine:
			return os.path.normpath(path)
	return _loader_cache().get((elf.machine, name))


def closure(paths):
	"""Paths of every library and loader that the ELF files among PATHS need, directly or not."""
	found, queue = set(), list(paths)
	while queue:
		elf = read(queue.pop())
		if not elf:
			continue
		wanted = [_resolve(elf, name) for name in elf.needed] + [elf.interp]
		fresh = [p for p in wanted if p and p not in found and os.path.exists(p)]
		found.update(fresh)
		queue += fresh
	return found
