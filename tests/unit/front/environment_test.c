// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Each variable: its default, good values, and bad ones that must stop us. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "device/front/environment.h"
#include "device/front/environment_names.h"
#include "device/front/limits.h"

static const char *const names[] = { "SOFT_LOG",	"SOFT_ADDR",
				     "SOFT_MTU",	"SOFT_PCAP",
				     "SOFT_SEED",	"SOFT_LINK",
				     "SOFT_FAULTS",	"SOFT_MUTANTS",
				     "SOFT_MUTANTS_LOG" };

static int clear(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		unsetenv(names[i]);
	return 0;
}

static struct sd_settings read_with(const char *name, const char *value)
{
	struct sd_settings s;

	setenv(name, value, 1);
	assert_int_equal(environment_read(&s), 0);
	unsetenv(name);
	return s;
}

static void defaults_are_as_documented(void **state)
{
	/* An empty variable is as good as none. */
	struct sd_settings s = read_with("SOFT_MTU", "");

	assert_false(s.has_address);
	/* The largest that fits. */
	assert_int_equal(s.mtu_bytes, 0);
	assert_null(s.pcap_path);
	assert_int_equal(s.seed, 1);
	assert_int_equal(s.links, SD_LINKS_AUTO);
	assert_null(s.faults);
	assert_null(s.mutants);
	assert_null(s.mutants_log);
}

static void good_values_are_taken(void **state)
{
	struct sd_settings s = read_with("SOFT_ADDR", "127.9.8.7");

	assert_true(s.has_address);
	assert_memory_equal(s.address, "\x7f\x09\x08\x07", 4);
	assert_int_equal(read_with("SOFT_MTU", "256").mtu_bytes, 256);
	assert_int_equal(read_with("SOFT_MTU", "2048").mtu_bytes, 2048);
	assert_int_equal(read_with("SOFT_SEED", "0x10").seed, 16);
	assert_true(read_with("SOFT_SEED", "18446744073709551615").seed ==
		    UINT64_MAX);
	assert_int_equal(read_with("SOFT_LINK", "direct").links,
			 SD_LINKS_DIRECT);
	assert_int_equal(read_with("SOFT_LINK", "udp").links, SD_LINKS_UDP);
	assert_int_equal(read_with("SOFT_LINK", "shm").links, SD_LINKS_SHM);
	assert_string_equal(read_with("SOFT_FAULTS", "drop:nth=3").faults,
			    "drop:nth=3");
	assert_string_equal(read_with("SOFT_MUTANTS", "M07,M18:3").mutants,
			    "M07,M18:3");
	assert_string_equal(read_with("SOFT_MUTANTS_LOG", "x.log").mutants_log,
			    "x.log");
	setenv("SOFT_PCAP", "x.pcapng", 1);
	assert_int_equal(environment_read(&s), 0);
	assert_string_equal(s.pcap_path, "x.pcapng");
}

static FILE *caught;
static int saved_stderr;

static void stderr_catch(void)
{
	caught = tmpfile();
	assert_non_null(caught);
	saved_stderr = dup(STDERR_FILENO);
	dup2(fileno(caught), STDERR_FILENO);
}

static void stderr_give(char *text, size_t room)
{
	size_t len;

	dup2(saved_stderr, STDERR_FILENO);
	close(saved_stderr);
	rewind(caught);
	len = fread(text, 1, room - 1, caught);
	text[len] = '\0';
	fclose(caught);
}

/* stderr of environment_read() with one bad value. */
static void read_complaint(const char *name, const char *value, char *text,
			   size_t room)
{
	struct sd_settings untouched = { .seed = 77 };

	stderr_catch();
	setenv(name, value, 1);
	assert_int_equal(environment_read(&untouched), -EINVAL);
	unsetenv(name);
	stderr_give(text, room);
	assert_int_equal(untouched.seed, 77);
}

static void bad_values_are_named(void **state)
{
	static const struct {
		const char *name, *value, *hint;
	} bad[] = {
		{ "SOFT_LOG", "loud", "debug" },
		{ "SOFT_ADDR", "127.0.0", "IPv4" },
		{ "SOFT_ADDR", "::1", "IPv4" },
		{ "SOFT_ADDR", "224.0.0.1", "IPv4" },
		{ "SOFT_ADDR", "255.255.255.255", "IPv4" },
		{ "SOFT_ADDR", "0.0.0.0", "IPv4" },
		{ "SOFT_MTU", "9000", "4096" },
		{ "SOFT_MTU", "1024 ", "4096" },
		{ "SOFT_SEED", "-1", "64 bits" },
		{ "SOFT_SEED", "12x", "64 bits" },
		{ "SOFT_SEED", "18446744073709551616", "64 bits" },
		{ "SOFT_LINK", "tcp", "shm" },
		{ "SOFT_FAULTS", "lose", "duplicate" },
		{ "SOFT_MUTANTS", "M077", "M07" },
		{ "SOFT_MUTANTS", "M18:x", "64 bits" },
		{ "SOFT_MAX_QP", "0", "from 1 to 16384" },
		{ "SOFT_MAX_QP", "16385", "from 1 to 16384" },
		{ "SOFT_MAX_QP_WR", " 1", "from 1 to 16384" },
		{ "SOFT_MAX_MSG_BYTES", "4294967296", "2147483648" },
	};
	char text[512];

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		read_complaint(bad[i].name, bad[i].value, text, sizeof(text));
		assert_non_null(strstr(text, bad[i].name));
		assert_non_null(strstr(text, bad[i].value));
		assert_non_null(strstr(text, bad[i].hint));
		/* One line. */
		assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
	}
}

static void a_complaint_is_heard_even_when_silence_was_asked_for(void **state)
{
	char text[512];

	setenv("SOFT_LOG", "none", 1);
	read_complaint("SOFT_MTU", "1", text, sizeof(text));
	assert_non_null(strstr(text, "SOFT_MTU"));
}

static void limits_are_lowered_and_come_back(void **state)
{
	read_with("SOFT_MAX_SGE", "2");
	assert_int_equal(limit_max_sge(), 2);
	read_with("SOFT_MAX_SGE", "0x10");
	assert_int_equal(limit_max_sge(), LIMIT_max_sge);
	read_with("SOFT_MAX_SGE", "7");
	read_with("SOFT_MAX_SGE", "");
	assert_int_equal(limit_max_sge(), LIMIT_max_sge);
}

static void nearest_names_are_found(void **state)
{
	assert_string_equal(environment_nearest("SOFT_FAULT"), "SOFT_FAULTS");
	assert_string_equal(environment_nearest("SOFT_LINKS"), "SOFT_LINK");
	assert_string_equal(environment_nearest("SOFT_MAXQP"), "SOFT_MAX_QP");
	assert_string_equal(environment_nearest("SOFT_SEDE"), "SOFT_SEED");
	assert_null(environment_nearest("SOFT_SOMETHING_ELSE"));
	assert_null(environment_nearest(
		"SOFT_123456789012345678901234567890123456789012345678901234"
		"56789012345678901234567890"));
}

/* Once in a process: this must be the first test that reads. */
static void unknown_variables_are_told_once(void **state)
{
	struct sd_settings s;
	char text[1024];

	setenv("SOFT_LOG", "none", 1);
	setenv("SOFT_FAULT", "drop", 1);
	setenv("SOFT_SOMETHING_ELSE", "1", 1);
	setenv("SOFTWARE", "1", 1);
	stderr_catch();
	assert_int_equal(environment_read(&s), 0);
	assert_int_equal(environment_read(&s), 0);
	stderr_give(text, sizeof(text));
	unsetenv("SOFT_FAULT");
	unsetenv("SOFT_SOMETHING_ELSE");
	unsetenv("SOFTWARE");
	assert_non_null(strstr(text, "SOFT_FAULT: no such variable"));
	assert_non_null(strstr(text, "there is SOFT_FAULTS\n"));
	assert_non_null(strstr(text, "SOFT_SOMETHING_ELSE: no such variable"));
	assert_null(strstr(text, "SOFTWARE"));
	assert_null(strstr(strstr(text, "SOFT_FAULT:") + 1, "SOFT_FAULT:"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(unknown_variables_are_told_once, clear),
		cmocka_unit_test_setup(limits_are_lowered_and_come_back, clear),
		cmocka_unit_test(nearest_names_are_found),
		cmocka_unit_test_setup(defaults_are_as_documented, clear),
		cmocka_unit_test_setup(good_values_are_taken, clear),
		cmocka_unit_test_setup(bad_values_are_named, clear),
		cmocka_unit_test_setup(
			a_complaint_is_heard_even_when_silence_was_asked_for,
			clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
