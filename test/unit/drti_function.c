/* SPDX-License-Identifier: MIT */
/*
 * drti_function.c - names of functions, from what g++ and clang++ say of them and from what a
 * demangler makes of their symbols.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "function.h"

static const struct row {
	const char *text, *name;
} rows[] = {
	/* C, and what is a name already */
	{"main", "main"},
	{"", ""},
	{"ns::A::f", "ns::A::f"},
	{"-[Reader(More) read:into:]", "-[Reader(More) read:into:]"},
	{"<T as core::Trait>::f", "<T as core::Trait>::f"},
	{"core::ops::{{closure}}", "core::ops::{{closure}}"},
	{"_ZN2ns1fEv", "_ZN2ns1fEv"},
	/* functions and members */
	{"int main()", "main"},
	{"void plain()", "plain"},
	{"long int ns::f(int, char**)", "ns::f"},
	{"static constexpr unsigned int ns::A::f(const ns::A&)", "ns::A::f"},
	{"virtual ns::A &ns::A::f(int) const", "ns::A::f"},
	{"ns::A::A(int)", "ns::A::A"},
	{"ns::A::~A()", "ns::A::~A"},
	{"std::string strings(std::vector<int>)", "strings"},
	{"std::string ns::f[abi:cxx11](int)", "ns::f"},
	{"std::map<int, std::vector<char> > ns::f()", "ns::f"},
	/* types of results that are around the name */
	{"void (* ns::A::f(int))(char)", "ns::A::f"},
	{"void (*ns::A::f(int))(char)", "ns::A::f"},
	{"int (&f(int))[4]", "f"},
	{"decltype(auto) f(int)", "f"},
	{"decltype (x + y) ns::f(T, U) [with T = int; U = char]", "ns::f"},
	{"decltype(g(1)) f(int)", "f"},
	/* templates */
	{"T ns::A::f(T) [with T = int]", "ns::A::f"},
	{"T ns::A::f(T) [T = int]", "ns::A::f"},
	{"void ns::A<T>::f(T) [with T = std::vector<int>*]", "ns::A::f"},
	{"void ns::A<std::vector<int> *>::f(T) [T = std::vector<int> *]", "ns::A::f"},
	{"void ns::A<T>::In::f() [with T = long int]", "ns::A::In::f"},
	{"ns::A<int>::f<char>(char)", "ns::A::f"},
	{"void f() [with int N = (1 > 0)]", "f"},
	{"f<(char)40, (3 > 2)>(int)", "f"},
	{"f<&(ns::A::operator->())>()", "f"},
	/* operators */
	{"int ns::A::operator()(int)", "ns::A::operator()"},
	{"ns::A::operator()", "ns::A::operator()"},
	{"bool ns::A::operator==(const ns::A&) const", "ns::A::operator=="},
	{"bool ns::A::operator<(const ns::A &) const", "ns::A::operator<"},
	{"bool operator< <int>(ns::A<int> const&)", "operator<"},
	{"ns::A& ns::A::operator<<(int)", "ns::A::operator<<"},
	{"ns::A::operator<< <int>(int)", "ns::A::operator<<"},
	{"auto ns::A::operator<=>(const ns::A&) const", "ns::A::operator<=>"},
	{"int *ns::A::operator->()", "ns::A::operator->"},
	{"int& ns::A::operator[](int)", "ns::A::operator[]"},
	{"void ns::A::operator,(int)", "ns::A::operator,"},
	{"static void* ns::A::operator new(size_t)", "ns::A::operator new"},
	{"void ns::A::operator delete[](void *)", "ns::A::operator delete[]"},
	{"ns::A::operator bool() const", "ns::A::operator bool"},
	{"bool ns::A::operator bool() const", "ns::A::operator bool"},
	{"ns::A::operator std::vector<int>()", "ns::A::operator std::vector<int>"},
	{"long double operator\"\"_km(long double)", "operator\"\"_km"},
	{"int operators(int)", "operators"},
	{"void my_operator()", "my_operator"},
	/* what has no name */
	{"void {anonymous}::f()", "f"},
	{"void (anonymous namespace)::f()", "f"},
	{"void (anonymous namespace)::A::f()", "A::f"},
	{"ns::(anonymous namespace)::f(int)", "ns::f"},
	{"ns::{anonymous}::A::A(int)", "ns::A::A"},
	{"ns::A::f(int) const::<lambda(int)>", "ns::A::f::lambda"},
	{"auto ns::A::f(int)::(anonymous class)::operator()(int) const", "ns::A::f::lambda"},
	{"auto f()::(lambda at a.cc:3:4)::operator()(auto) const [x:auto = int]", "f::lambda"},
	{"ns::A::f(int) const::{lambda(int)#1}::operator()(int) const", "ns::A::f::lambda"},
	{"main()::<lambda(auto:11)> [with auto:11 = const char*]", "main::lambda"},
	{"auto main()::{lambda(auto:1)#1}::operator()<int>(int) const", "main::lambda"},
	{"<lambda()>", "lambda"},
	{"ns::A::f(int) const::$_0::operator()(int) const", "ns::A::f::lambda"},
	{"main::$_1::operator()<int>(int) const", "main::lambda"},
	{"f()::{lambda()#1}::operator()() const::{lambda(int)#2}::operator()(int) const",
	 "f::lambda::lambda"},
	{"void f()::<unnamed struct>::m()", "f::m"},
	{"void au(int)::Local::m()", "au::Local::m"},
	{"A::f(int) &&::Local::m()", "A::f::Local::m"},
	/* parts of functions, and text that is cut or makes no sense */
	{"f(int) [clone .part.0]", "f"},
	{"std::vector<int, std::alloc(", "std::vector"},
	{"std::vector<int(", "std::vector"},
	{"f(int", "f"},
	{"(", ""},
	{"(((", ""},
	{"operator(", "operator"},
	{"operator", "operator"},
	{">)(", ""},
	{"a(b)::", "a::"},
};

static void names(void **state)
{
	char name[FUNCTION_SIZE], again[FUNCTION_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		function_name(rows[i].text, name, sizeof(name));
		assert_string_equal(name, rows[i].name);
		function_name(name, again, sizeof(again));
		assert_string_equal(again, name);
	}
}

/* A name takes no more than its space, whatever the text. The bytes behind the space stay. */
static void cut(void **state)
{
	char name[16];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (size_t size = 1; size < sizeof(name); size++) {
			memset(name, '#', sizeof(name));
			function_name(rows[i].text, name, size);
			assert_true(memchr(name, 0, size));
			assert_true(name[size] == '#');
			if (!strchr(rows[i].text, '*') && !strchr(rows[i].text, ' '))
				assert_memory_equal(name, rows[i].name, strlen(name));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
