/* SPDX-License-Identifier: MIT */
/*
 * function.c - the name of a function as its source has it.
 *
 * g++ says "static T ns::A<T>::f(T) [with T = int]", clang++ "static T ns::A<int>::f(T) [T = int]",
 * and a demangler "ns::A<int>::f(int)". All of them become "ns::A::f": types, template arguments,
 * parameters and unnamed namespaces are left out. A lambda expression is "lambda".
 */
#include <stdbool.h>
#include <string.h>
#include "function.h"

struct function {
	const char *in; /* what is still to be read */
	char *out;
	size_t used, size;
};

static void put(struct function *f, const char *text, size_t n)
{
	if (n >= f->size - f->used)
		n = f->size - f->used - 1;
	memcpy(f->out + f->used, text, n);
	f->used += n;
	f->out[f->used] = '\0';
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || c == '.' || c & 0x80;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Return whether what is read now begins a part of the name, which :: joins. */
static bool at_part(const struct function *f)
{
	return f->used == 0 || f->out[f->used - 1] == ':';
}

/* Return whether the last part of the name is a word. */
static bool part_is(const struct function *f, const char *word)
{
	size_t n = strlen(word);

	return f->used >= n && strcmp(f->out + f->used - n, word) == 0 &&
	       (f->used == n || f->out[f->used - n - 1] == ':');
}

/*
 * Return what follows the bracket that closes the one at p. In parentheses < and > are operators.
 */
static const char *behind(const char *p)
{
	int angles = 0, depth = 0;

	do {
		if (strchr("([{", *p))
			depth++;
		else if (strchr(")]}", *p))
			depth--;
		else if (depth == 0 && *p == '<')
			angles++;
		else if (depth == 0 && *p == '>' && p[-1] != '-')
			angles--;
	} while (*++p && (angles > 0 || depth > 0));
	return p;
}

/* Pass parameters and what qualifies the function. Return whether the name goes on behind them. */
static bool pass_parameters(struct function *f)
{
	static const char *const words[] = {" const", " volatile", " &", "&"};

	f->in = behind(f->in);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		while (begins(f->in, words[i]))
			f->in += strlen(words[i]);
	return begins(f->in, "::");
}

/* Put the name of a lambda expression, whose text ends at end. */
static void put_lambda(struct function *f, const char *end)
{
	put(f, "lambda", 6);
	f->in = begins(end, "::operator()") ? end + 12 : end;
}

/* Read what has no name in the source, or a name in brackets. */
static void read_unnamed(struct function *f)
{
	const char *end = behind(f->in), *inside = f->in + 1;

	if (begins(inside, "lambda") || begins(inside, "anonymous class")) {
		put_lambda(f, end);
	} else if (begins(inside, "anonymous") || begins(inside, "unnamed")) {
		f->in = begins(end, "::") ? end + 2 : end;
	} else if (*f->in == '(') {
		f->in++; /* of the type of the function's result */
	} else {
		put(f, f->in, (size_t)(end - f->in));
		f->in = end;
	}
}

/* Read the operator after that word: a symbol, or up to the parameters a type or a word. */
static void read_operator(struct function *f)
{
	static const char symbols[] = "<=> <<= >>= ->* << >> <= >= == != && || ++ -- += -= *= /= "
				      "%= ^= &= |= -> [] () + - * / % ^ & | ~ ! = < > ,";
	size_t n;

	for (const char *s = symbols; *s; s += n + (s[n] == ' ')) {
		n = strcspn(s, " ");
		if (strncmp(f->in, s, n) != 0)
			continue;
		put(f, f->in, n);
		f->in += n;
		if (begins(f->in, " <") || *f->in == '<')
			f->in = behind(f->in + (*f->in == ' '));
		return;
	}
	n = strcspn(f->in, "(");
	put(f, f->in, n);
	f->in += n;
}

/* Read a word of a name, and the operator that it may announce. */
static void read_word(struct function *f)
{
	size_t n = 0;

	while (is_word(f->in[n]))
		n++;
	if (at_part(f) && begins(f->in, "$_")) { /* in symbols of clang++ */
		put_lambda(f, f->in + n);
		return;
	}
	put(f, f->in, n);
	f->in += n;
	if (part_is(f, "operator"))
		read_operator(f);
}

static bool is_plain(const char *text)
{
	return !strchr(text, '(') || *text == '-' || *text == '+'; /* C, or Objective C */
}

void function_name(const char *text, char *name, size_t size)
{
	struct function f = {.in = text, .out = name, .size = size};

	*name = '\0';
	if (is_plain(text)) {
		put(&f, text, strlen(text));
		return;
	}
	while (*f.in) {
		if (is_word(*f.in)) {
			read_word(&f);
		} else if (*f.in == ':' || *f.in == '~') {
			put(&f, f.in++, 1);
		} else if (strchr("<{(", *f.in) && at_part(&f)) {
			read_unnamed(&f);
		} else if (*f.in == '<' || *f.in == '[') {
			f.in = behind(f.in);
		} else if (*f.in == '(' && !part_is(&f, "decltype")) {
			if (!pass_parameters(&f))
				return;
		} else if (begins(f.in, " [")) {
			return;
		} else { /* what came before belongs to the type of the result */
			f.in = *f.in == '(' ? behind(f.in) : f.in + 1;
			f.used = 0;
			*name = '\0';
		}
	}
}
