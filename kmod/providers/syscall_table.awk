# SPDX-License-Identifier: GPL-2.0-only OR MIT
# syscall_table.awk - turn the preprocessed syscall_prototypes.c into the tables of syscall.c.
#
# Output: an array syscall_linux[] for 64-bit and syscall_linux32[] for 32-bit programs, each indexed
# by number: the name, and the types of the arguments as C strings, one behind the other. Types are
# those that D knows without the kernel's: typedefs of the kernel are replaced by what they stand for.

# typedef OLD NAME; on one line, or the last line of a structure's.
/^ *(__extension__ )?typedef .*;$/ && !/[({]/ {
	sub(/^ *(__extension__ )?typedef */, "")
	sub(/ *;.*/, "")
	match($0, /[A-Za-z_0-9]+$/)
	typedefs[substr($0, RSTART)] = substr($0, 1, RSTART - 1)
	next
}
/^} *\*? *[A-Za-z_0-9]+;$/ {
	name = $0
	gsub(/[^A-Za-z_0-9]/, "", name)
	if (!(name in typedefs))
		typedefs[name] = index($0, "*") ? "void *" : "void"
	next
}
/^#define __NR_(x32_|syscalls|ia32_syscalls)/ { next }
/^#define __NR_ia32_[a-z0-9_]+ [0-9]+$/ { names["LINUX32", $3 + 0] = substr($2, 11); next }
/^#define __NR_[a-z0-9_]+ [0-9]+$/ { names["LINUX", $3 + 0] = substr($2, 6); next }
/^#/ { next }
/^SYSCALL_LINUX/ {
	functions[substr($1, 9), $2 + 0] = $3
	next
}
# A prototype, which may go on in the next lines.
/^ *(long|ssize_t) (compat_)?sys_[a-z0-9_]+\(/ {
	prototype = $0
	while (prototype !~ /;/ && (getline line) > 0)
		prototype = prototype " " line
	match(prototype, /(compat_)?sys_[a-z0-9_]+/)
	name = substr(prototype, RSTART, RLENGTH)
	sub(/^[^(]*\(/, "", prototype)
	sub(/\) *;.*/, "", prototype)
	prototypes[name] = prototype
}

# What a typedef of the kernel stands for; D's own names stay.
function plain(type,	words, n, i, word, result, turns)
{
	for (turns = 0; turns < 8; turns++) {
		gsub(/\*/, " * ", type)
		n = split(type, words, /[ \t]+/)
		result = ""
		for (i = 1; i <= n; i++) {
			word = words[i]
			if (word == "" || word == "__user" || word == "volatile")
				continue
			if (word == "_Bool")
				word = "bool"
			if (word == "__signed__" || word == "signed")
				continue
			if (word == "__signalfn_t")
				word = "void"
			if (i > 1 && words[i - 1] ~ /^(struct|union|enum)$/)
				;
			else if (word !~ /^(size_t|ssize_t|pid_t|uid_t|gid_t|off_t)$/ && (word in typedefs))
				word = typedefs[word]
			result = result == "" ? word : result " " word
		}
		if (result == type)
			break
		type = result
	}
	gsub(/ +/, " ", type)
	sub(/^ /, "", type)
	sub(/ $/, "", type)
	gsub(/\* \*/, "**", type)
	sub(/enum [A-Za-z_0-9]+/, "int", type)
	return type
}

# The type of a parameter, without the parameter's name.
function parameter(text)
{
	gsub(/\[[^]]*\]/, " *", text)
	if (text ~ /\(/)
		return "void *"
	sub(/\*[ \t]*[A-Za-z_0-9]+[ \t]*$/, "*", text)
	text = plain(text)
	if (text ~ /[A-Za-z_0-9]$/ && text ~ /[ *]/ && text !~ /(^| )(char|short|int|long|unsigned|void|size_t|ssize_t|pid_t|uid_t|gid_t|off_t)$/ &&
	    text !~ /^(const )?(struct|union) [A-Za-z_0-9]+$/)
		sub(/[A-Za-z_0-9]+$/, "", text)
	sub(/ $/, "", text)
	return text
}

function types(function_name,	list, n, i, type, result)
{
	if (!(function_name in prototypes))
		return ""
	n = split(prototypes[function_name], list, /,/)
	for (i = 1; i <= n; i++) {
		type = parameter(list[i])
		if (type == "" || type == "void" || type ~ /pt_regs/)
			break
		result = result type "\\0"
	}
	return result
}

function table(array, key, most,	nr)
{
	printf "static const struct syscall_desc %s[] = {\n", array
	for (nr = 0; nr < most; nr++)
		if ((key, nr) in names)
			printf "\t[%d] = {\"%s\", \"%s\"},\n", nr, names[key, nr], types(functions[key, nr])
	printf "};\n"
}

END {
	print "/* Made by syscall_table.awk from the headers of the kernel. */"
	table("syscall_linux", "LINUX", 512)
	table("syscall_linux32", "LINUX32", 512)
}
