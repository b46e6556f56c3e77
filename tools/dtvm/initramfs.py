# SPDX-License-Identifier: MIT
"""Builds the guest's root file system: a tree in memory, written as a cpio archive the kernel unpacks."""

import os
import stat
import subprocess
from pathlib import Path

from . import VmError, elf

# The merged layout of a Debian system; paths given under the left side land on the right.
LINKS = {"bin": "usr/bin", "sbin": "usr/sbin", "lib": "usr/lib", "lib32": "usr/lib32",
	 "lib64": "usr/lib64"}

DIRECTORIES = ("dev", "proc", "sys", "run", "mnt", "etc", "var/log", "usr/local/bin", "usr/local/sbin",
	       "usr/local/lib", *LINKS.values())

ETC = {
	"passwd": "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000:user:/home/user:/bin/sh\n"
		  "nobody:x:65534:65534:nobody:/:/bin/sh\n",
	"group": "root:x:0:\nuser:x:1000:\nnogroup:x:65534:\n",
	"shadow": "root::19000::::::\nuser::19000::::::\nnobody:*:19000::::::\n",
	"hosts": "127.0.0.1 localhost dtvm\n::1 localhost\n",
	"hostname": "dtvm\n",
	"nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
	"ld.so.conf": "/usr/local/lib\n/lib/x86_64-linux-gnu\n/usr/lib/x86_64-linux-gnu\n/lib32\n",
	"shells": "/bin/sh\n",
}

BUSYBOX = "/bin/busybox"


class Tree:
	"""The guest's files: guest path without leading slash -> (mode, uid, content or host path)."""

	def __init__(self):
		self.nodes = {}
		for path in DIRECTORIES:
			self.directory(path)
		for path, target in LINKS.items():
			self.nodes[path] = (stat.S_IFLNK | 0o777, 0, target.encode())
		for path, mode, uid in (("tmp", 0o1777, 0), ("root", 0o700, 0), ("home/user", 0o755, 1000)):
			self.directory(path)
			self.nodes[path] = (stat.S_IFDIR | mode, uid, b"")
		for name, text in ETC.items():
			self.text(f"etc/{name}", text, 0o644)

	@staticmethod
	def _key(path):
		"""The name under which the guest path PATH is stored."""
		parts = os.path.normpath("/" + str(path)).strip("/").split("/")
		if len(parts) > 1 and parts[0] in LINKS:
			parts[0] = LINKS[parts[0]]
		return "/".join(parts)

	def directory(self, path, mode=0o755):
		"""A directory, with those above it."""
		key = self._key(path)
		if key and key not in self.nodes:
			self.directory(os.path.dirname(key))
			self.nodes[key] = (stat.S_IFDIR | mode, 0, b"")

	def _put(self, path, node):
		key = self._key(path)
		self.directory(os.path.dirname(key))
		self.nodes[key] = node

	def text(self, path, text, mode):
		"""A file with TEXT in it."""
		self._put(path, (stat.S_IFREG | mode, 0, text.encode()))

	def link(self, path, target):
		"""A symbolic link, unless the path is taken."""
		if self._key(path) not in self.nodes:
			self._put(path, (stat.S_IFLNK | 0o777, 0, target.encode()))

	def has(self, path):
		"""Return whether the guest path is taken."""
		return self._key(path) in self.nodes

	def file(self, host, guest):
		"""The host's file HOST, its links followed, at GUEST."""
		try:
			mode = os.stat(host).st_mode
		except OSError as e:
			raise VmError(f"{host}: {e.strerror}")
		if not stat.S_ISREG(mode):
			raise VmError(f"{host}: not a file; use --tree for a directory")
		self._put(guest, (mode, 0, Path(host)))

	def tree(self, host, guest):
		"""The host's directory HOST and all below it, links kept, at GUEST."""
		host = os.path.abspath(host)
		if not os.path.isdir(host):
			raise VmError(f"{host}: not a directory")
		for above, directories, files in os.walk(host):
			to = os.path.normpath(os.path.join(guest, os.path.relpath(above, host)))
			self.directory(to)
			for name in directories + files:
				self._entry(os.path.join(above, name), os.path.join(to, name))

	def _entry(self, host, guest):
		if os.path.islink(host):
			self._put(guest, (stat.S_IFLNK | 0o777, 0, os.readlink(host).encode()))
		elif os.path.isfile(host):
			self.file(host, guest)

	def busybox(self):
		"""Busybox and a link for each thing it can be."""
		if not os.path.exists(BUSYBOX):
			raise VmError("busybox is not installed: run scripts/bootstrap")
		self.file(BUSYBOX, BUSYBOX)
		names = subprocess.run([BUSYBOX, "--list-full"], capture_output=True, text=True).stdout
		for name in names.split():
			self.link(name, BUSYBOX)

	def libraries(self):
		"""The libraries that the ELF files in the tree need, at the paths they have on the host."""
		ours = {str(node[2]) for node in self.nodes.values() if isinstance(node[2], Path)}
		for path in elf.closure(ours):
			if path not in ours and not self.has(path):
				self.file(path, path)

	def write(self, path):
		"""Write the archive (cpio, format newc, not compressed: that boots fastest) to PATH."""
		with open(path, "wb", buffering=1 << 20) as out:
			for number, (name, node) in enumerate(sorted(self.nodes.items()), 1):
				_write_entry(out, number, name, *node)
			_write_entry(out, 0, "TRAILER!!!", 0, 0, b"")


def _write_entry(out, number, name, mode, uid, content):
	"""One cpio entry: fields in hexadecimal, then the name and the content, each padded to 4."""
	data = content.read_bytes() if isinstance(content, Path) else content
	name = name.encode() + b"\0"
	fields = (number, mode, uid, uid, 1, 0, len(data), 0, 0, 0, 0, len(name), 0)
	head = b"070701" + b"".join(b"%08x" % field for field in fields) + name
	out.write(head + b"\0" * (-len(head) % 4))
	out.write(data + b"\0" * (-len(data) % 4))
