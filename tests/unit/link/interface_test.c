// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What an interface lets through, and which one an address belongs to. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "device/link/link.h"

static struct link_address address_of(const char bytes[4])
{
	struct link_address a = { .gid = { [10] = 0xff, [11] = 0xff } };

	memcpy(a.gid + 12, bytes, 4);
	return a;
}

static void packets_fit_with_their_headers(void **state)
{
	/* IPv4 20, UDP 8, BTH 12, RETH 16, immediate 4, ICRC 4. */
	assert_int_equal(link_interface_fits(1500, false), 1024);
	assert_int_equal(link_interface_fits(9000, false), 4096);
	assert_int_equal(link_interface_fits(65536, false), 4096);
	assert_int_equal(link_interface_fits(4096 + 64, false), 4096);
	assert_int_equal(link_interface_fits(4096 + 63, false), 2048);
	assert_int_equal(link_interface_fits(256 + 64, false), 256);
	assert_int_equal(link_interface_fits(256 + 63, false), 0);
	assert_int_equal(link_interface_fits(0, false), 0);
	/* IPv6 has 20 more. */
	assert_int_equal(link_interface_fits(4096 + 84, true), 4096);
	assert_int_equal(link_interface_fits(4096 + 83, true), 2048);
}

static void all_of_127_is_one_interface(void **state)
{
	struct link_address a = address_of("\x7f\x0a\x0b\x0c");
	struct link_interface i = { .mtu = 0 };

	assert_int_equal(link_interface_find(&a, &i), 0);
	assert_string_equal(i.name, "lo");
	assert_true(i.mtu >= 1500);
}

static void strange_addresses_are_nobodys(void **state)
{
	struct link_address a = address_of("\xc0\x00\x02\xfe");
	struct link_interface i = { .mtu = 7 };

	assert_int_equal(link_interface_find(&a, &i), -ENODEV);
	assert_int_equal(i.mtu, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packets_fit_with_their_headers),
		cmocka_unit_test(all_of_127_is_one_interface),
		cmocka_unit_test(strange_addresses_are_nobodys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
