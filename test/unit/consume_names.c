/* SPDX-License-Identifier: MIT */
/*
 * consume_names.c - names of hosts and services by %I and %P, from a resolver that the test
 * pretends.
 */
#include <arpa/inet.h>
#include <netdb.h>
#include <string.h>
#include <time.h>
#include "consume_fake.h"

int __real_clock_gettime(clockid_t clock, struct timespec *now);

/* The resolver. */
static struct {
	const char *name; /* of each host */
	int error;	  /* its answer if it has no name */
	int seconds;	  /* that an answer takes */
	int questions;	  /* about hosts */
	int services;	  /* questions about services */
	time_t passed;	  /* seconds, while it was asked */
} resolver;

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	int result = __real_clock_gettime(clock, now);

	now->tv_sec += resolver.passed;
	return result;
}

int __wrap_getnameinfo(const struct sockaddr *address, socklen_t size, char *host, socklen_t len,
		       char *service, socklen_t servicelen, int flags)
{
	(void)address;
	(void)size;
	(void)service;
	(void)servicelen;
	assert_int_equal(flags, NI_NAMEREQD);
	resolver.questions++;
	resolver.passed += resolver.seconds;
	if (resolver.name)
		snprintf(host, len, "%s", resolver.name);
	return resolver.name ? 0 : resolver.error;
}

/* Port 7007 alone has a service. */
struct servent *__wrap_getservbyport(int port, const char *protocol)
{
	static char name[16];
	static struct servent service = {.s_name = name};

	(void)protocol;
	resolver.services++;
	strcpy(name, "seven\033svc");
	return port == htons(7007) ? &service : NULL;
}

static void print_one(FILE *fp, void *arg)
{
	const struct dt_arg *value = arg;
	dt_conv_t conv = {.text = "", .width = 12, .prec = -1};
	struct dt_format format = {.convs = &conv, .nconvs = 1};

	strcpy(conv.conv, value->type ? "P" : "I");
	dt_format_print(dtp, fp, &format, value, 1, NULL, 0);
}

/* Return what %12I prints. */
static const char *host(const char *address)
{
	dtrace_recdesc_t rec = {.dtrd_action = DTRACEACT_DIFEXPR, .dtrd_size = strlen(address) + 1};
	struct dt_arg arg = {.rec = &rec, .data = address, .normal = 1};

	return captured(print_one, &arg);
}

/* Return what %12P prints. */
static const char *port(const dt_type_t *type, int64_t value)
{
	dtrace_recdesc_t rec = {.dtrd_action = DTRACEACT_DIFEXPR, .dtrd_size = type->size};
	struct dt_arg arg = {.rec = &rec, .data = &value, .type = type, .normal = 1};

	return captured(print_one, &arg);
}

/* The resolver answers with name, or with error if it is NULL, after a time. */
static void answer_with(const char *name, int error, int seconds)
{
	resolver.name = name;
	resolver.error = error;
	resolver.seconds = seconds;
}

static int setup(void **state)
{
	memset(&resolver, 0, sizeof(resolver));
	return fake_setup(state);
}

static void each_host_is_looked_up_once(void **state)
{
	(void)state;
	answer_with("seven.test", 0, 0);
	for (int i = 0; i < 3; i++)
		assert_string_equal(host("192.0.2.7"), "  seven.test");
	assert_int_equal(resolver.questions, 1);
	answer_with(NULL, EAI_NONAME, 0);
	for (int i = 0; i < 3; i++)
		assert_string_equal(host("2001:db8::8"), " 2001:db8::8");
	assert_int_equal(resolver.questions, 2);
	assert_string_equal(host("192.0.2.7"), "  seven.test");
	assert_string_equal(host("no address"), "  no address");
	assert_int_equal(resolver.questions, 2);
}

/* The names of 256 hosts are kept. */
static void the_oldest_name_is_replaced(void **state)
{
	char address[16];

	(void)state;
	answer_with("host.test", 0, 0);
	for (int i = 0; i <= 256; i++) {
		snprintf(address, sizeof(address), "10.0.%d.%d", i / 256, i % 256);
		assert_string_equal(host(address), "   host.test");
	}
	assert_int_equal(resolver.questions, 257);
	host("10.0.0.1");
	host("10.0.1.0");
	assert_int_equal(resolver.questions, 257);
	host("10.0.0.0");
	assert_int_equal(resolver.questions, 258);
	host("10.0.0.1");
	assert_int_equal(resolver.questions, 259);
}

static void no_host_is_looked_up_after_a_slow_answer(void **state)
{
	(void)state;
	answer_with("seven.test", 0, 0);
	host("192.0.2.7");
	answer_with(NULL, EAI_NONAME, 2);
	assert_string_equal(host("192.0.2.8"), "   192.0.2.8");
	answer_with("seven.test", 0, 0);
	assert_string_equal(host("192.0.2.9"), "   192.0.2.9");
	assert_string_equal(host("192.0.2.7"), "   192.0.2.7");
	assert_int_equal(resolver.questions, 2);
}

static void no_host_is_looked_up_without_a_resolver(void **state)
{
	(void)state;
	answer_with(NULL, EAI_AGAIN, 0);
	assert_string_equal(host("192.0.2.8"), "   192.0.2.8");
	assert_string_equal(host("192.0.2.9"), "   192.0.2.9");
	assert_int_equal(resolver.questions, 1);
}

static void names_have_no_control_characters(void **state)
{
	(void)state;
	answer_with("a\nb\033[31m.test", 0, 0);
	for (int i = 0; i < 2; i++)
		assert_string_equal(host("192.0.2.7"), "a?b?[31m.test");
	assert_string_equal(port(&type_int, 7007), "   seven?svc");
}

static void each_port_is_looked_up_once(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++)
		assert_string_equal(port(&type_ushort, 7007), "   seven?svc");
	assert_int_equal(resolver.services, 1);
	for (int i = 0; i < 3; i++)
		assert_string_equal(port(&type_ushort, UINT16_MAX), "       65535");
	assert_int_equal(resolver.services, 2);
}

static void numbers_that_are_no_ports_are_kept(void **state)
{
	(void)state;
	assert_string_equal(port(&type_ushort, 7007), "   seven?svc");
	assert_string_equal(port(&type_ushort, 50000), "       50000");
	assert_string_equal(port(&type_int, 70000), "       70000");
	assert_string_equal(port(&type_int, 65536 + 7007), "       72543");
	assert_string_equal(port(&type_int, -1), "          -1");
	assert_string_equal(port(&type_llong, 7007 - 65536), "      -58529");
	assert_string_equal(port(&type_ullong, -1), "18446744073709551615");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_host_is_looked_up_once, setup, fake_teardown),
		cmocka_unit_test_setup_teardown(the_oldest_name_is_replaced, setup, fake_teardown),
		cmocka_unit_test_setup_teardown(no_host_is_looked_up_after_a_slow_answer, setup,
						fake_teardown),
		cmocka_unit_test_setup_teardown(no_host_is_looked_up_without_a_resolver, setup,
						fake_teardown),
		cmocka_unit_test_setup_teardown(names_have_no_control_characters, setup,
						fake_teardown),
		cmocka_unit_test_setup_teardown(each_port_is_looked_up_once, setup, fake_teardown),
		cmocka_unit_test_setup_teardown(numbers_that_are_no_ports_are_kept, setup,
						fake_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
