# SPDX-License-Identifier: MIT
# @@worlds: kernel profile-N samples, and stacks of the kernel
# @@kernels: 6.1 6.12
# Frames in structured output have separate fields: symbol, module, name, offset.
dtrace -q -O -x oformat=json -c 'victim fire 3' \
	-n 'victim$target:::tick { ustack(1); @[ustack(2)] = count(); }' \
	-n 'profile-997 { @k[stack(1)] = count(); }' >"$T/all"
frame='{"symbol": "victim`[a-z_]*\(+0x[0-9a-f]*\)*", "module": "victim", "name": "[a-z_]*", "offset": "0x[0-9a-f]*"}'
echo "firings: $(grep -c "\"output\": \[{\"ustack-frames\": \[$frame\]}\]}" "$T/all")"
echo "key: $(grep -c "\"keys\": \[{\"ustack-frames\": \[$frame, $frame\]}\], \"count\": 3" "$T/all")"
grep -q '"keys": \[{"stack-frames": \[{"symbol": "vmlinux`[^"]*", "module": "vmlinux", "name": ' "$T/all" && echo "kernel"
true
