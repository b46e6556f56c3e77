# SPDX-License-Identifier: MIT
"""The parts of tools/vm: kernels, ELF closure, initramfs, module build and the machine itself."""


class VmError(Exception):
	"""Something the user can act on; its text says what is wrong and what to do."""
