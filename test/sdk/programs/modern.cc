// SPDX-License-Identifier: MIT
// modern.cc - probes where C++ has declarations of its own kind: templates, unnamed namespaces, lambda expressions,
// coroutines. It says the same with recorded and with call sites, by the macros of `dtrace -h` and by those of sys/sdt.h
// (PLAIN).
#include <cstdio>
#ifdef __cpp_impl_coroutine
#include <coroutine>
#endif
#ifdef PLAIN
#include <sys/sdt.h>
#define MODERN_BEGIN_ENABLED()	DTRACE_PROBE_ENABLED(modern, begin)
#define MODERN_WORD_ENABLED()	DTRACE_PROBE_ENABLED(modern, word)
#define MODERN_DOZEN_ENABLED()	DTRACE_PROBE_ENABLED(modern, dozen)
#define MODERN_BEGIN(n)		DTRACE_PROBE1(modern, begin, n)
#define MODERN_WORD(text, n)	DTRACE_PROBE2(modern, word, text, n)
#define MODERN_DOZEN(a, b, c, d, e, f, g, h, i, j, k, l) DTRACE_PROBE12(modern, dozen, a, b, c, d, e, f, g, h, i, j, k, l)
#else
#include "modern.h"
#endif
#include "fire.h"

template <class T> __attribute__((noinline)) static void function_template(T n)
{
	if (MODERN_BEGIN_ENABLED())
		MODERN_BEGIN(static_cast<int>(n));
	MODERN_WORD("template", 1);
}

template <class T> __attribute__((noinline)) static void dozen_template(T n)
{
	MODERN_DOZEN(static_cast<int>(n), 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
}

namespace outer {
struct reader {
	int sum;
	__attribute__((noinline)) explicit reader(int n);
	__attribute__((noinline)) int add(int n) const;
	__attribute__((noinline)) static int twice(int n);
	__attribute__((noinline)) int operator()(int n) const;
	__attribute__((noinline)) bool operator<(const reader &other) const;
	__attribute__((noinline)) operator bool() const;
};

reader::reader(int n) : sum(n)
{
	MODERN_WORD("constructor", n);
}

int reader::add(int n) const
{
	if (MODERN_BEGIN_ENABLED())
		MODERN_BEGIN(twice(n));
	return sum + n;
}

int reader::twice(int n)
{
	MODERN_WORD("static member", 2 * n);
	return 2 * n;
}

int reader::operator()(int n) const
{
	MODERN_BEGIN(n);
	return sum + n;
}

bool reader::operator<(const reader &other) const
{
	MODERN_BEGIN(other.sum);
	return sum < other.sum;
}

reader::operator bool() const
{
	MODERN_BEGIN(sum);
	return sum != 0;
}
}

template <class T> struct class_template {
	template <class U> __attribute__((noinline)) U member(U n)
	{
		if (MODERN_WORD_ENABLED())
			MODERN_WORD("member", static_cast<int>(n));
		return n;
	}
};

namespace {
__attribute__((noinline)) void unnamed(int n)
{
	if (MODERN_BEGIN_ENABLED())
		MODERN_BEGIN(n);
	MODERN_WORD("unnamed", n);
	MODERN_DOZEN(n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
}

// Nothing else asks whether dozen is traced.
template <class T> __attribute__((noinline)) void unnamed_template(T n)
{
	if (MODERN_DOZEN_ENABLED())
		MODERN_BEGIN(static_cast<int>(n));
}
}

#ifdef __cpp_impl_coroutine
struct task {
	struct promise_type {
		task get_return_object() { return {}; }
		std::suspend_never initial_suspend() { return {}; }
		std::suspend_never final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() {}
	};
};

__attribute__((noinline)) static task coroutine(int n)
{
	if (MODERN_BEGIN_ENABLED())
		MODERN_BEGIN(n);
	MODERN_DOZEN(n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
	co_await std::suspend_never{};
	if (MODERN_WORD_ENABLED())
		MODERN_WORD("coroutine", n);
}
#else
__attribute__((noinline)) static void coroutine(int n)
{
	if (MODERN_BEGIN_ENABLED())
		MODERN_BEGIN(n);
	MODERN_DOZEN(n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
	if (MODERN_WORD_ENABLED())
		MODERN_WORD("coroutine", n);
}
#endif

int main()
{
	auto lambda = [](int n) __attribute__((noinline)) {
		if (MODERN_BEGIN_ENABLED())
			MODERN_BEGIN(n);
	};

	function_template(1L);
	std::puts("enabled");
	fire_enable();
	function_template(2.0);
	class_template<char>().member(3L);
	unnamed(4);
	unnamed_template(5UL);
	coroutine(6);
	lambda(7);
	dozen_template(8L);
	outer::reader r(9);
	r.add(10);
	r(11);
	if (r < r && r)
		std::puts("never");
}
