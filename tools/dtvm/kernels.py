# SPDX-License-Identifier: MIT
"""Finds a kernel to boot: downloads and unpacks Debian's, or takes one that was built elsewhere."""

import dataclasses
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from . import VmError, bzimage
from .paths import TOP, cache_dir, locked

# name -> (version that this tree is tested with, package that always names the current one)
DEBIAN = {
	"6.1": ("6.1.0-56-cloud-amd64", "linux-image-cloud-amd64"),
	"6.1-full": ("6.1.0-56-amd64", "linux-image-amd64"),
	"6.1-rt": ("6.1.0-56-rt-amd64", "linux-image-rt-amd64"),
	"6.12": ("6.12.117+deb12-cloud-amd64", "linux-image-6.12-cloud-amd64"),
	"6.12-full": ("6.12.117+deb12-amd64", "linux-image-6.12-amd64"),
	"6.12-rt": ("6.12.117+deb12-rt-amd64", "linux-image-6.12-rt-amd64"),
}

# name -> (variable that names its directory, its directory in the cache)
DEBUG_KERNELS = {
	"debug": ("DTRACE_DEBUG_KERNEL", "debug-kernel"),
	"voluntary": ("DTRACE_VOLUNTARY_KERNEL", "debug-kernel-voluntary"),
}

# The modules that the guest itself, test/attack and test/kernel/io need when the kernel does not have it built in.
GUEST_MODULES = ("virtio_pci", "virtio_console", "fuse", "loop")


@dataclasses.dataclass
class Kernel:
	"""A kernel ready to boot."""
	version: str		# as uname -r prints it
	image: Path		# for qemu -kernel; None if there are only headers
	modules: list		# .ko files that the guest loads, in order
	slow: bool = False	# a debug kernel: everything takes longer
	strict: bool = False	# it complains of what takes 2 s without scheduling or interrupts
	root: Path = None	# where Debian's packages are unpacked, if it is Debian's
	tree: Path = None	# the build tree of a kernel built elsewhere

	def build_dir(self):
		"""The directory for make -C, with which modules for this kernel are built."""
		return self.tree or _debian_headers(self)

	def more_modules(self, names):
		"""A directory for /lib/modules with the modules NAMES and those that they need, for modprobe in the guest."""
		if not self.root:
			raise VmError(f"kernel {self.version} has no modules: it is not Debian's")
		folder = self.root.with_name(f"{self.root.name}-more-{'-'.join(sorted(names))}")
		return _installed(folder, lambda to: _install_modules(self, names, to)) / "lib/modules"


def find(name):
	"""The kernel that NAME means: a key of DEBIAN or DEBUG_KERNELS, or a directory. Downloads Debian's when needed."""
	if name in DEBIAN:
		return _debian(name)
	directory = _folder(name) if name in DEBUG_KERNELS else Path(name)
	if directory.is_dir():
		return _local(directory.resolve())
	raise VmError(f"{directory}: neither a directory nor one of {', '.join((*DEBUG_KERNELS, *DEBIAN))}")


# ---- Debian's kernels

def _apt(*args, cwd=None):
	"""Output of an apt command, or None when it fails; Python decides what that means."""
	try:
		done = subprocess.run(args, cwd=cwd, capture_output=True, text=True)
	except FileNotFoundError:
		raise VmError(f"{args[0]} is not here: Debian's kernels need a Debian host; use --kernel DIR")
	return done.stdout if done.returncode == 0 else None


def _depends(package):
	"""Names of the packages that PACKAGE depends on."""
	return re.findall(r"Depends: (\S+)", _apt("apt-cache", "depends", "--important", package) or "")


def _current_version(meta):
	"""The kernel version that the package META stands for today."""
	for name in _depends(meta):
		if re.match(r"linux-image-\d", name):
			return name.removeprefix("linux-image-")
	raise VmError(f"apt knows no package {meta}: run scripts/bootstrap, or `apt-get update` as root")


def _unpack(packages, root):
	"""Download PACKAGES and unpack them over one another under ROOT."""
	debs = root / "debs"
	debs.mkdir()
	if _apt("apt-get", "download", *packages, cwd=debs) is None:
		raise VmError(f"cannot download {' '.join(packages)}: is the network up? "
			      "Try `apt-get update` as root")
	for deb in debs.iterdir():
		subprocess.run(["dpkg", "-x", deb, root], check=True)
	shutil.rmtree(debs)


def _installed(folder, make):
	"""PLACE, filled by MAKE(directory) if it is not there yet; never seen half filled."""
	if folder.exists():
		return folder
	with locked(folder):
		if not folder.exists():
			with tempfile.TemporaryDirectory(dir=folder.parent, prefix="new-") as new:
				(Path(new) / "root").mkdir()
				make(Path(new) / "root")
				os.rename(Path(new) / "root", folder)
	return folder


def _available(pinned, meta):
	"""PINNED if the archive still has it, else the version that META names."""
	if _apt("apt-cache", "show", f"linux-image-{pinned}"):
		return pinned
	return _current_version(meta)


def _debian(name):
	"""One of Debian's kernels, from the cache or from the archive."""
	pinned, meta = DEBIAN[name]
	alias = cache_dir() / f"kernel-{pinned}"

	def fetch(root):
		version = _available(pinned, meta)
		_unpack([f"linux-image-{version}"], root)
		_prepare(root, version)

	root = _installed(alias, fetch)
	version = (root / "version").read_text()
	folder = root.with_name(f"{root.name}-modules-{'-'.join(GUEST_MODULES)}")
	modules = _installed(folder, lambda to: _collect_modules(root, version, to))
	return Kernel(version, root / "vmlinux", sorted(modules.iterdir()), root=root)


def _prepare(root, version):
	"""Leave in ROOT what a boot needs: version and vmlinux."""
	image = (root / "boot" / f"vmlinuz-{version}").read_bytes()
	(root / "vmlinux").write_bytes(bzimage.vmlinux(image))
	(root / "version").write_text(version)


def _modules_in_order(root, version, names):
	"""The files of the modules NAMES and of those that they need, in load order."""
	base = root if (root / "lib/modules").is_dir() else root / "usr"
	subprocess.run(["depmod", "-b", base, version], check=True)
	order = []
	for name in names:
		done = subprocess.run(["modprobe", "-d", base, "-S", version, "--show-depends", name],
				      capture_output=True, text=True)
		if done.returncode:
			raise VmError(f"kernel {version} has no {name}: {done.stderr.strip()}")
		order += [p for p in re.findall(r"^insmod (\S+)", done.stdout, re.M) if p not in order]
	return [Path(p) for p in order]


def _collect_modules(root, version, to):
	"""Copy the modules that the guest needs to TO, unpacked and numbered in load order."""
	for number, path in enumerate(_modules_in_order(root, version, GUEST_MODULES)):
		_copy_module(path, to / f"{number:02}-{path.name.split('.')[0]}.ko")


def _install_modules(kernel, names, to):
	"""Install the modules NAMES, and those that they need, in the root TO."""
	folder = to / "lib/modules" / kernel.version
	folder.mkdir(parents=True)
	for path in _modules_in_order(kernel.root, kernel.version, names):
		_copy_module(path, folder / f"{path.name.split('.')[0]}.ko")
	for name in ("modules.order", "modules.builtin", "modules.builtin.modinfo"):
		(folder / name).touch()
	subprocess.run(["depmod", "-b", to, kernel.version], check=True)


def _copy_module(path, to):
	"""Copy one module to the file TO, decompressed."""
	if path.suffix == ".xz":
		to.write_bytes(subprocess.run(["xz", "-dc", path], capture_output=True, check=True).stdout)
	else:
		shutil.copy(path, to)


def _debian_headers(kernel):
	"""The build directory for modules of one of Debian's kernels, downloaded when needed.

	The packages are unpacked and not installed: Debian's 6.12 headers would pull the kernel in.
	"""
	def fetch(root):
		package = f"linux-headers-{kernel.version}"
		more = [p for p in _depends(package)
			if re.match(r"linux-headers-.*-common|linux-kbuild-", p)]
		_unpack([package] + more, root)
		makefile = root / "usr/src" / package / "Makefile"
		text = makefile.read_text()
		makefile.write_text(text.replace("include /usr/src/", f"include {folder}/usr/src/"))

	folder = cache_dir() / f"headers-{kernel.version}"
	return _installed(folder, fetch) / "usr/src" / f"linux-headers-{kernel.version}"


# ---- kernels built elsewhere

def _folder(name):
	"""The directory of the debug kernel NAME, a key of DEBUG_KERNELS."""
	variable, directory = DEBUG_KERNELS[name]
	named = os.environ.get(variable)
	if named:
		return Path(named)
	for folder in (TOP.parent / "shared" / directory, cache_dir() / directory):
		if folder.is_dir():
			return folder
	raise VmError(f"the kernel {name} is not built: `tools/debug-kernel {name}` builds it")


def _local(directory):
	"""The kernel in DIRECTORY: bzImage with headers.tar.zst, or a build tree, perhaps without image."""
	images = [p for p in (directory / "bzImage", directory / "arch/x86/boot/bzImage") if p.exists()]
	archive = directory / "headers.tar.zst"
	tree = _archive(archive) if archive.exists() else directory
	header = tree / "include/generated/utsrelease.h"
	release = re.search(r'UTS_RELEASE "(.*)"', header.read_text()) if header.exists() else None
	if not release:
		raise VmError(f"{directory}: needs headers.tar.zst beside bzImage, or a kernel build tree")
	config = (tree / ".config").read_text() if (tree / ".config").exists() else ""
	slow = "CONFIG_KASAN=y" in config or "CONFIG_PROVE_LOCKING=y" in config
	strict = "CONFIG_HARDLOCKUP_DETECTOR_PREFER_BUDDY=y" in config
	image = images[0] if images else None
	return Kernel(release[1], image, [], slow=slow, strict=strict, tree=tree)


def _archive(archive):
	"""The one directory inside ARCHIVE, unpacked into the cache."""
	stat = archive.stat()
	key = hashlib.sha256(f"{archive} {stat.st_size} {stat.st_mtime_ns}".encode()).hexdigest()[:16]

	def unpack(root):
		done = subprocess.run(["tar", "--zstd", "-xf", archive, "-C", root],
				      capture_output=True, text=True)
		if done.returncode:
			raise VmError(f"{archive}: {done.stderr.strip()}")

	root = _installed(cache_dir() / f"tree-{key}", unpack)
	return next(path for path in root.iterdir() if path.is_dir())
