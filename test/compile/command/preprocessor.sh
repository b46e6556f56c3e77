# SPDX-License-Identifier: MIT
# Messages about preprocessed programs name their file and line, whatever the file's name is.
mkdir -p 'a b'
for name in plain.d 'a b/c.d' 'a"b.d' 'back\slash.d'; do
	printf '#define WHAT nothing\n\nBEGIN { trace(WHAT); }\n' >"$name"
	dtrace -C -s "$name"
	printf '#define WHAT "read"\n\nBEGIN { printf("%%s\\n", WHAT); exit(0); }\n' >"$name"
	dtrace -qC -s "$name"
done
dtrace -C -DWHAT=nothing -n 'BEGIN { trace(WHAT); }'
dtrace -qC -DWHAT='"read"' -n 'BEGIN { printf("%s\n", WHAT); exit(0); }'
