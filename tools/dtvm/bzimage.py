# SPDX-License-Identifier: MIT
"""Takes the ELF kernel out of a bzImage, by the offsets that its boot header publishes."""

import lzma
import struct
import subprocess
import zlib

from . import VmError

# Documentation/x86/boot.rst: where the setup header keeps what is needed here.
SETUP_SECTS = 0x1F1
HEADER_MAGIC = 0x202
PAYLOAD = 0x248


def _run(tool, data):
	"""DATA piped through TOOL; a tool that is missing or fails is a VmError."""
	try:
		done = subprocess.run(tool, input=data, capture_output=True, check=True)
	except FileNotFoundError:
		raise VmError(f"{tool[0]} is not installed: run scripts/bootstrap")
	except subprocess.CalledProcessError as e:
		raise VmError(f"{tool[0]}: {e.stderr.decode(errors='replace').strip()}")
	return done.stdout


# magic bytes -> decompressor. All but gzip carry the unpacked size in four more bytes.
FORMATS = {
	b"\x1f\x8b": lambda d: zlib.decompressobj(31).decompress(d),
	b"\xfd7zXZ": lambda d: lzma.LZMADecompressor().decompress(d[:-4]),
	b"\x02\x21\x4c\x18": lambda d: _run(["lz4", "-dc"], d[:-4]),
	b"\x28\xb5\x2f\xfd": lambda d: _run(["zstd", "-dc"], d[:-4]),
}


def payload(image):
	"""The compressed kernel inside the bytes of a bzImage."""
	if image[HEADER_MAGIC:HEADER_MAGIC + 4] != b"HdrS":
		raise VmError("not a bzImage: no boot header")
	offset, length = struct.unpack_from("<II", image, PAYLOAD)
	start = ((image[SETUP_SECTS] or 4) + 1) * 512 + offset
	return image[start:start + length]


def vmlinux(image):
	"""The uncompressed ELF kernel inside the bytes of a bzImage."""
	packed = payload(image)
	for magic, unpack in FORMATS.items():
		if packed.startswith(magic):
			kernel = unpack(packed)
			break
	else:
		raise VmError(f"unknown kernel compression (starts with {packed[:4].hex()})")
	if not kernel.startswith(b"\x7fELF"):
		raise VmError("the kernel inside the bzImage is not ELF")
	return kernel
