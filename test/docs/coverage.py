# SPDX-License-Identifier: MIT
"""Looks for what the reference leaves out: names that the compiler and the command know."""

import functools
import re
import subprocess
import sys


def names(path, pattern):
	return sorted(set(re.findall(pattern, path.read_text(), re.M)))


def missing(page, wanted):
	"""None, or which names have no entry in a page: `name`, `name(`, `name[` or `->name`."""
	if not page.exists():
		return f"no {page.name}"
	text = page.read_text()
	absent = [n for n in wanted if not re.search(r"`([a-z]*->)?" + re.escape(n) + r"[`(\[]", text)]
	return f"nothing on {' '.join(absent)} in {page.name}" if absent or not wanted else None


def functions(top, kind, page):
	return missing(top / "docs/reference" / page, names(top / "libdtrace/compile/function.c", rf'FUNCTION_{kind}\("(\w+)"'))


def variables(top):
	wanted = names(top / "libdtrace/compile/ident.c", r'^\t\{"(\w+)", DIF_VAR')
	wanted += names(top / "libdtrace/compile/ident.c", r'"(\w+)", IDENT_BUILTIN_ARRAY')
	wanted += inlines(top)
	return missing(top / "docs/reference/variables.md", wanted)


def inlines(top):
	"""
	Variables of the libraries; constants are in capitals, and what takes parameters is the libraries' own, as is
	__symbol_NAME, which stands for `NAME.
	"""
	found = {n for path in (top / "libdtrace/d").glob("*.d") for n in names(path, r"^inline\s[^=(;\[]*?\b([a-z_]\w*)\s*=")}
	return sorted({n for n in found if n != n.upper() and not n.startswith("__symbol_")} | {"fds"})


def libraries(top):
	page = top / "docs/reference/variables.md"
	types = [n for path in (top / "libdtrace/d").glob("*.d") for n in names(path, r"^translator\s+(?:struct\s+)?(\w+)\s*<")]
	return missing(page, sorted({path.name for path in (top / "libdtrace/d").glob("*.d")} | set(types)))


def options(top, runner):
	status, text = runner.shell("dtrace -x help", runner.scratch, runner.bin)
	if status:
		return text
	listed = [line.split()[0].split("=")[0] for line in text.splitlines() if re.match(r"[a-z]", line)]
	return missing(top / "docs/reference/options.md", listed)


def letters(top):
	"""Each option of the command is in its manual page."""
	wanted = names(top / "cmd/options.c", r"^\t\{ ?'(\w)',")
	items = " ".join(re.findall(r"^\.It (Fl .*)", (top / "docs/man/dtrace.1").read_text(), re.M))
	absent = [c for c in wanted if not re.search(rf"(Fl|,) {c}", items)]
	return f"nothing on -{' -'.join(absent)} in dtrace.1" if absent or not wanted else None


def errors(top):
	done = subprocess.run([sys.executable, top / "scripts/errors-page", "--check"], capture_output=True, text=True)
	return None if done.returncode == 0 else done.stdout + done.stderr


def types(top):
	done = subprocess.run([sys.executable, top / "scripts/types-page", "--check"], capture_output=True, text=True)
	return None if done.returncode == 0 else done.stdout + done.stderr


def requests(top):
	"""The page of requests has each request of the headers, with the number and the size that it has for 64-bit and 32-bit callers."""
	page, headers = top / "docs/reference/ioctl.md", ("ioctl.h", "fasttrap.h", "helper.h", "stop.h", "unwind.h")
	wanted = [n for header in headers for n in names(top / "include/dtrace" / header, r"^#define (DTRACE(?:FT|H)?IOC_\w+)")]
	rows = re.findall(r"^\| `(DTRACE\w+)` \| (0x[0-9a-f]+) \| (?:`(\w+)` \| (\d+))?", page.read_text(), re.M)
	absent = sorted(set(wanted) ^ {name for name, *_ in rows})
	if absent or not wanted:
		return f"not in both {page.name} and the headers: {' '.join(absent)}"
	asserts = [f'_Static_assert({name} == {number}, "{name}");' for name, number, *_ in rows]
	asserts += [f'_Static_assert(sizeof({struct}) == {size} && _IOC_SIZE({name}) == {size}, "{struct}");' for name, _, struct, size in rows if struct]
	text = "".join(f"#include <dtrace/{header}>\n" for header in headers) + "\n".join(asserts) + "\n"
	for machine in ("-m64", "-m32"):
		done = subprocess.run(["gcc", machine, "-fsyntax-only", f"-I{top}/include", "-xc", "-"], input=text, capture_output=True, text=True)
		if done.returncode:
			return f"{machine}: {done.stderr}"
	return None


def declarations(text):
	"""{function: its parameters' text} of a header."""
	text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
	found = re.findall(r"^(?!typedef|static|#)\w[^;{}#()]*?\b(\w+)\(([^;{}]*?)\)\s*(?:__attribute__[^;]*)?;", text, re.M)
	found += re.findall(r"^static \w* ?inline [^;{}#()]*?\b(dt\w+)\(([^;{}]*?)\)\s*\{", text, re.M)
	return {name: "".join(parameters.split()) for name, parameters in found}


def prototypes(top, header, page):
	"""The page's synopsis has each function of the header with its parameters, and no other."""
	declared = declarations((top / header).read_text())
	listed = {}
	for name, parameters in re.findall(r"^\.Fn (\w+)((?: \"[^\"]*\")+)$", (top / "docs/man" / page).read_text(), re.M):
		listed[name] = "".join(",".join(re.findall(r'"([^"]*)"', parameters)).split())
	wrong = [f"{name}({declared.get(name, 'is not declared')})" for name in sorted(declared.keys() | listed.keys())
		 if declared.get(name) != listed.get(name)]
	return f"not so in {page}: " + "; ".join(wrong) if wrong or not declared else None


def anchors(page):
	"""The anchors of a page's headings."""
	found, fenced = set(), False
	for line in page.read_text().splitlines():
		fenced ^= line.startswith("```")
		if not fenced and (match := re.match(r"#+ +(.*)", line)):
			title = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match[1]).lower())
			anchor = title.strip().replace(" ", "-")
			found.add(f"{anchor}-1" if anchor in found else anchor)
	return found


def pages(top):
	"""All pages of the tree."""
	return {*top.glob("*.md"), *(path for folder in ("docs", "sdk", "samples", "test", "toolkit") for path in (top / folder).rglob("*.md"))}


def linked(page):
	"""The pages that a page has links to, in its order."""
	found = re.findall(r"\]\((?![a-z]+:)([^)#\s]+\.md)", page.read_text())
	return [(page.parent / target).resolve() for target in found]


def reachable(top):
	"""README.md leads to the SDK's page first, and from page to page to all others."""
	todo = linked(top / "README.md")
	if todo[0] != (top / "sdk/README.md").resolve():
		return f"README.md leads to {todo[0]} first"
	seen = {(top / "README.md").resolve()}
	while todo:
		page = todo.pop()
		if page not in seen and page.exists():
			seen.add(page)
			todo += linked(page)
	return "\n".join(f"no link to {path.relative_to(top)}" for path in sorted(pages(top)) if path.resolve() not in seen) or None


def links(top):
	"""Links of all pages lead to files, and to headings, that exist."""
	wrong = []
	for page in sorted(pages(top)):
		text = re.sub(r"^```.*?^```|`[^`\n]*`", "", page.read_text(), flags=re.M | re.S)
		for target, _, anchor in re.findall(r"\]\((?![a-z]+:)([^)#\s]*)(#?)([^)\s]*)\)", text):
			to = page.parent / target if target else page
			if not to.exists() or (anchor and anchor not in anchors(to)):
				wrong.append(f"{page.relative_to(top)}: {target}{'#' * bool(anchor)}{anchor}")
	return "\n".join(wrong) or None


def checks(top, runner):
	"""Name and function of each check; a function returns None, or what is missing."""
	for kind, page in (("ACTION", "actions.md"), ("SUBR", "subroutines.md"), ("AGG", "aggregations.md")):
		yield f"every function of {page}", functools.partial(functions, top, kind, page)
	yield "every variable", functools.partial(variables, top)
	yield "every library and translator", functools.partial(libraries, top)
	yield "every -x option", functools.partial(options, top, runner)
	yield "every letter of the command", functools.partial(letters, top)
	yield "every error tag", functools.partial(errors, top)
	yield "every structure of the libraries", functools.partial(types, top)
	yield "every request of the devices", functools.partial(requests, top)
	for header, page in (("libdtrace/libdtrace.h", "libdtrace.3"), ("sdk/include/dtrace-probes.h", "dtrace-probes.3")):
		yield f"every prototype of {header}", functools.partial(prototypes, top, header, page)
	yield "links", functools.partial(links, top)
	yield "pages that README.md leads to", functools.partial(reachable, top)
