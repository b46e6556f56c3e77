// SPDX-License-Identifier: MIT
// modern.cc - macros of `dtrace -h` where C++ has declarations of its own kind: templates, unnamed namespaces, lambda
// expressions, coroutines. It says the same with recorded and with call sites.
#include <cstdio>
#ifdef __cpp_impl_coroutine
#include <coroutine>
#endif
#include "modern.h"
#include "fire.h"

template <class T> __attribute__((noinline)) static void function_template(T n)
{
	if (MODERN_BEGIN_ENABLED())
		MODERN_BEGIN(static_cast<int>(n));
	MODERN_WORD("template", 1);
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
}

template <class T> __attribute__((noinline)) void unnamed_template(T n)
{
	if (MODERN_BEGIN_ENABLED())
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

static task coroutine(int n)
{
	if (MODERN_BEGIN_ENABLED())
		MODERN_BEGIN(n);
	co_await std::suspend_never{};
	if (MODERN_WORD_ENABLED())
		MODERN_WORD("coroutine", n);
}
#else
static void coroutine(int n)
{
	if (MODERN_BEGIN_ENABLED())
		MODERN_BEGIN(n);
	if (MODERN_WORD_ENABLED())
		MODERN_WORD("coroutine", n);
}
#endif

int main()
{
	auto lambda = [](int n) {
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
}
