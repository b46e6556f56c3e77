// SPDX-License-Identifier: MIT
// shapes11.cc - what C++11 and later add to shapes98.cc.
#include <stdio.h>
#include <memory>
#include <sys/sdt.h>

static volatile int zero;

enum class small : unsigned char { LOW, HIGH = 200 };
enum class wide : long long { NEGATIVE = -5 };

template <class... T> static void all(T... values)
{
	auto one = [](auto value) {
		DTRACE_PROBE1(shapes, each, value);
		return 0;
	};
	int order[] = { one(values)... };

	(void)order;
}

struct counter {
	int n = 3;

	auto next()
	{
		return [this](int by) {
			n += by;
			DTRACE_PROBE1(shapes, lambda, n);
			return n;
		};
	}
};

int main()
{
	small s = zero ? small::LOW : small::HIGH;
	auto w = zero ? wide() : wide::NEGATIVE;
	auto owner = std::make_unique<int>(8 + zero);
	constexpr unsigned short constant = 65535;
	char16_t unit = u'x';

	DTRACE_PROBE4(shapes, scoped, s, w, nullptr, owner != nullptr);
	DTRACE_PROBE3(shapes, values, *owner, constant, unit);
	all(1 + zero, -2L, 'c', 0.5f);
	printf("%d\n", counter().next()(4));
	return 0;
}
