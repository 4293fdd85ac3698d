// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The preflight's judgement: every finding at each of its levels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "suite/check/judge.h"

static union ibv_gid gid_ipv4(uint8_t last)
{
	return (union ibv_gid){ .raw = { [10] = 0xff, 0xff, 10, 0, 0, last } };
}

static union ibv_gid gid_link_local(void)
{
	return (union ibv_gid){ .raw = { 0xfe, 0x80, [15] = 1 } };
}

static void fill_gids(struct check_facts *f)
{
	f->gid_auto = true;
	f->gid_count = 4;
	f->gids[0] = (struct check_gid){ 0, gid_link_local(),
					 IBV_GID_TYPE_ROCE_V1, "eth0" };
	f->gids[1] = (struct check_gid){ 1, gid_link_local(),
					 IBV_GID_TYPE_ROCE_V2, "eth0" };
	f->gids[2] = (struct check_gid){ 4, gid_ipv4(1), IBV_GID_TYPE_ROCE_V1,
					 "eth0" };
	f->gids[3] = (struct check_gid){ 5, gid_ipv4(1), IBV_GID_TYPE_ROCE_V2,
					 "eth0" };
}

/* A RoCE device at which there is nothing to be found. */
static void fill(struct check_facts *f)
{
	memset(f, 0, sizeof(*f));
	strcpy(f->kernel, "6.1.0");
	strcpy(f->rdma_core, "44.0");
	f->memlock = UINT64_MAX;
	strcpy(f->device.name, "dev0");
	strcpy(f->device.kind, "mlx5");
	strcpy(f->device.attr.fw_ver, "1.2.3");
	f->node = IBV_NODE_CA;
	f->transport = IBV_TRANSPORT_IB;
	strcpy(f->driver, "mlx5_core");
	strcpy(f->provider, "libmlx5.so");
	f->vectors = 8;
	f->port = 1;
	f->attr = (struct ibv_port_attr){
		.state = IBV_PORT_ACTIVE,
		.max_mtu = IBV_MTU_4096,
		.active_mtu = IBV_MTU_4096,
		.gid_tbl_len = 16,
		.pkey_tbl_len = 128,
		.active_width = 2,
		.active_speed = 32,
		.phys_state = 5,
		.link_layer = IBV_LINK_LAYER_ETHERNET,
	};
	strcpy(f->interface, "eth0");
	strcpy(f->interface_state, "up");
	f->interface_mtu = 9000;
	f->pkey_count = 1;
	f->pkeys[0] = (struct check_pkey){ 0, 0xffff };
	f->counters_known = true;
	f->ping_tried = true;
	fill_gids(f);
}

static void fill_infiniband(struct check_facts *f)
{
	f->attr.link_layer = IBV_LINK_LAYER_INFINIBAND;
	f->attr.lid = 7;
	f->attr.sm_lid = 1;
	f->interface[0] = '\0';
	f->interface_mtu = 0;
	f->gid_count = 1;
	f->gids[0] =
		(struct check_gid){ 0, gid_link_local(), IBV_GID_TYPE_IB, "" };
}

/* --- One change each ---------------------------------------------------- */

#define CHANGE(name, ...)                                \
	static void change_##name(struct check_facts *f) \
	{                                                \
		__VA_ARGS__;                             \
	}

CHANGE(none, (void)f)
CHANGE(infiniband, fill_infiniband(f))
CHANGE(kernel, f->kernel[0] = '\0')
CHANGE(rdma_core, f->rdma_core[0] = '\0')
CHANGE(provider, f->provider[0] = '\0')
CHANGE(iwarp, f->transport = IBV_TRANSPORT_IWARP)
CHANGE(usnic, f->transport = IBV_TRANSPORT_USNIC)
CHANGE(no_rc, f->lacks = VB_NEED_RC; strcpy(f->lack_reason[0], "no RC at all"))
CHANGE(firmware, f->device.attr.fw_ver[0] = '\0')
CHANGE(firmware_soft, f->device.attr.fw_ver[0] = '\0'; f->software = true)
CHANGE(features, f->lacks = VB_NEED_SRQ | VB_NEED_MW)
CHANGE(port_down, f->attr.state = IBV_PORT_DOWN)
CHANGE(port_armed, fill_infiniband(f); f->attr.state = IBV_PORT_ARMED)
CHANGE(port_init, fill_infiniband(f); f->attr.state = IBV_PORT_INIT)
CHANGE(phys_disabled, f->attr.phys_state = 3)
CHANGE(phys_polling, f->attr.phys_state = 2)
CHANGE(phys_training, f->attr.phys_state = 4)
CHANGE(phys_recovery, f->attr.phys_state = 6)
CHANGE(phys_odd, f->attr.phys_state = 77)
CHANGE(phys_untold, f->attr.phys_state = 0)
CHANGE(interface_down, strcpy(f->interface_state, "down"))
CHANGE(interface_none, f->interface[0] = '\0')
CHANGE(rate_slow, f->attr.active_width = 1; f->attr.active_speed = 1)
CHANGE(rate_odd, f->attr.active_speed = 3)
CHANGE(rate_odd_soft, f->attr.active_speed = 3; f->software = true)
CHANGE(rate_soft, f->attr.active_speed = 1; f->software = true)
CHANGE(lid_none, fill_infiniband(f); f->attr.lid = 0)
CHANGE(mtu_ordinary, f->attr.active_mtu = IBV_MTU_1024; f->interface_mtu = 1500)
CHANGE(mtu_small, f->attr.active_mtu = IBV_MTU_512; f->interface_mtu = 700)
CHANGE(mtu_behind, f->attr.active_mtu = IBV_MTU_1024)
CHANGE(mtu_asked, f->attr.active_mtu = IBV_MTU_1024; f->interface_mtu = 1500;
       f->mtu = 2048)
CHANGE(mtu_zero, f->attr.active_mtu = 0)
CHANGE(mtu_above, f->attr.max_mtu = IBV_MTU_1024)
CHANGE(gid_none, f->gid_count = 0)
CHANGE(gid_none_ib, fill_infiniband(f); f->gid_count = 0)
CHANGE(gid_v1_only, f->gid_count = 1)
CHANGE(gid_link_local, f->gid_count = 2)
CHANGE(gid_asked, f->gid_auto = false; f->gid_index = 4)
CHANGE(gid_asked_v2, f->gid_auto = false; f->gid_index = 5)
CHANGE(gid_asked_empty, f->gid_auto = false; f->gid_index = 3)
CHANGE(pkey_none, f->pkey_count = 0)
CHANGE(pkey_later, f->pkeys[0].index = 2)
CHANGE(pkey_limited, f->pkeys[0].value = 0x7fff)
CHANGE(pkey_own, f->pkeys[0].value = 0x8123)
CHANGE(memlock_tiny, f->memlock = 64 << 10)
CHANGE(memlock_little, f->memlock = 8 << 20)
CHANGE(memlock_much, f->memlock = 1 << 30)
CHANGE(memlock_root, f->memlock = 64 << 10; f->memlock_free = true)
CHANGE(memlock_soft, f->memlock = 8 << 20; f->software = true)
CHANGE(memlock_tiny_soft, f->memlock = 64 << 10; f->software = true)
CHANGE(huge, f->huge_pages = 4; f->huge_pages_free = 3;
       f->huge_page_bytes = 2 << 20)
CHANGE(vectors, f->vectors = 0)
CHANGE(ping_no_ud, f->lacks = VB_NEED_UD; f->ping_tried = false)
CHANGE(ping_untried, f->ping_tried = false)
CHANGE(ping_lost, strcpy(f->ping_failed, "back: not received within 500 ms"))
CHANGE(counters_unknown, f->counters_known = false)
CHANGE(counters, f->counter_count = 2;
       f->counters[0] = ((struct check_counter){ "link_downed", 3 });
       f->counters[1] = ((struct check_counter){ "symbol_error", 9 }))

static void change_counters_many(struct check_facts *f)
{
	f->counter_count = CHECK_COUNTERS_MAX;
	for (unsigned i = 0; i < CHECK_COUNTERS_MAX; i++) {
		memset(f->counters[i].name, 'c',
		       sizeof(f->counters[i].name) - 1);
		f->counters[i].value = UINT64_MAX;
	}
}

#define ROW(name, id, level, value)                    \
	{                                              \
		change_##name, #name, id, level, value \
	}

static const struct row {
	void (*change)(struct check_facts *f);
	const char *name;
	enum check_id id;
	enum check_level level;
	const char *value; /* a part of it */
} rows[] = {
	ROW(none, CHECK_kernel, CHECK_OK, "6.1.0"),
	ROW(kernel, CHECK_kernel, CHECK_WARN, "unknown"),
	ROW(none, CHECK_rdma_core, CHECK_OK, "44.0"),
	ROW(rdma_core, CHECK_rdma_core, CHECK_WARN, "unknown"),
	ROW(none, CHECK_driver, CHECK_OK, "mlx5_core, provider libmlx5.so"),
	ROW(provider, CHECK_driver, CHECK_WARN, "mlx5_core, provider unknown"),
	ROW(none, CHECK_transport, CHECK_OK, "InfiniBand"),
	ROW(iwarp, CHECK_transport, CHECK_WARN, "librdmacm only"),
	ROW(usnic, CHECK_transport, CHECK_WARN, "usNIC"),
	ROW(no_rc, CHECK_transport, CHECK_BAD, "no RC at all"),
	ROW(none, CHECK_firmware, CHECK_OK, "1.2.3"),
	ROW(firmware, CHECK_firmware, CHECK_WARN, "not told"),
	ROW(firmware_soft, CHECK_firmware, CHECK_OK, "software"),
	ROW(none, CHECK_features, CHECK_OK, "RC, UC, UD, RDMA"),
	ROW(features, CHECK_features, CHECK_OK, "without SRQ, memory windows"),
	ROW(none, CHECK_port_state, CHECK_OK, "active"),
	ROW(port_down, CHECK_port_state, CHECK_BAD, "down"),
	ROW(port_armed, CHECK_port_state, CHECK_BAD, "subnet manager"),
	ROW(port_init, CHECK_port_state, CHECK_BAD, "subnet manager"),
	ROW(none, CHECK_phys_state, CHECK_OK, "LinkUp"),
	ROW(phys_untold, CHECK_phys_state, CHECK_OK, "not told"),
	ROW(phys_disabled, CHECK_phys_state, CHECK_BAD, "Disabled"),
	ROW(phys_polling, CHECK_phys_state, CHECK_BAD, "Polling"),
	ROW(phys_training, CHECK_phys_state, CHECK_BAD, "Training"),
	ROW(phys_recovery, CHECK_phys_state, CHECK_BAD, "LinkErrorRecovery"),
	ROW(phys_odd, CHECK_phys_state, CHECK_BAD, "unknown (77)"),
	ROW(none, CHECK_interface, CHECK_OK, "eth0, MTU 9000"),
	ROW(interface_none, CHECK_interface, CHECK_OK, "none named"),
	ROW(infiniband, CHECK_interface, CHECK_OK, "none needed"),
	ROW(interface_down, CHECK_interface, CHECK_BAD, "eth0 is down"),
	ROW(none, CHECK_rate, CHECK_OK, "4x, 100.0 Gb/s"),
	ROW(rate_slow, CHECK_rate, CHECK_WARN, "1x, 2.5 Gb/s"),
	ROW(rate_odd, CHECK_rate, CHECK_WARN, "unknown"),
	ROW(rate_odd_soft, CHECK_rate, CHECK_OK, "unknown"),
	ROW(rate_soft, CHECK_rate, CHECK_OK, "nominal"),
	ROW(none, CHECK_lid, CHECK_OK, "not used on Ethernet"),
	ROW(infiniband, CHECK_lid, CHECK_OK, "7, subnet manager at 1"),
	ROW(lid_none, CHECK_lid, CHECK_BAD, "not assigned"),
	ROW(none, CHECK_mtu, CHECK_OK, "4096, the largest"),
	ROW(mtu_ordinary, CHECK_mtu, CHECK_OK, "active 1024, largest 4096"),
	ROW(mtu_small, CHECK_mtu, CHECK_WARN, "active 512"),
	ROW(mtu_behind, CHECK_mtu, CHECK_WARN, "though eth0 has 9000"),
	ROW(mtu_asked, CHECK_mtu, CHECK_BAD, "--mtu 2048"),
	ROW(mtu_zero, CHECK_mtu, CHECK_BAD, "active code 0"),
	ROW(mtu_above, CHECK_mtu, CHECK_BAD, "largest code 3"),
	ROW(none, CHECK_gid, CHECK_OK,
	    "index 5: ::ffff:10.0.0.1, RoCEv2; the first RoCEv2 entry with "
	    "IPv4"),
	ROW(infiniband, CHECK_gid, CHECK_OK, "index 0: fe80::1, IB"),
	ROW(gid_none, CHECK_gid, CHECK_BAD, "none of 16"),
	ROW(gid_none_ib, CHECK_gid, CHECK_OK, "none needed"),
	ROW(gid_v1_only, CHECK_gid, CHECK_WARN, "none is RoCEv2"),
	ROW(gid_link_local, CHECK_gid, CHECK_WARN, "this link only"),
	ROW(gid_asked, CHECK_gid, CHECK_WARN, "RoCEv1; as asked for"),
	ROW(gid_asked_v2, CHECK_gid, CHECK_OK, "RoCEv2; as asked for"),
	ROW(gid_asked_empty, CHECK_gid, CHECK_BAD, "--gid-index 3"),
	ROW(none, CHECK_pkey, CHECK_OK, "0xffff, the default partition"),
	ROW(pkey_own, CHECK_pkey, CHECK_OK, "0x8123, 1 in use"),
	ROW(pkey_none, CHECK_pkey, CHECK_BAD, "none of 128"),
	ROW(pkey_later, CHECK_pkey, CHECK_WARN, "the first in use is 2"),
	ROW(pkey_limited, CHECK_pkey, CHECK_WARN, "limited"),
	ROW(iwarp, CHECK_pkey, CHECK_OK, "not used"),
	ROW(none, CHECK_ping, CHECK_OK, "that does not prove RC"),
	ROW(ping_no_ud, CHECK_ping, CHECK_OK, "not tried: the device has no"),
	ROW(ping_untried, CHECK_ping, CHECK_WARN, "the port is not ACTIVE"),
	ROW(ping_lost, CHECK_ping, CHECK_BAD, "back: not received"),
	ROW(none, CHECK_memlock, CHECK_OK, "unlimited"),
	ROW(memlock_tiny, CHECK_memlock, CHECK_BAD, "64 KiB"),
	ROW(memlock_little, CHECK_memlock, CHECK_WARN, "8192 KiB"),
	ROW(memlock_much, CHECK_memlock, CHECK_OK, "1048576 KiB"),
	ROW(memlock_root, CHECK_memlock, CHECK_OK, "CAP_IPC_LOCK"),
	ROW(memlock_soft, CHECK_memlock, CHECK_OK, "software"),
	ROW(memlock_tiny_soft, CHECK_memlock, CHECK_BAD, "64 KiB"),
	ROW(none, CHECK_huge_pages, CHECK_OK, "none reserved"),
	ROW(huge, CHECK_huge_pages, CHECK_OK, "3 of 4 free, 2048 KiB each"),
	ROW(none, CHECK_vectors, CHECK_OK, "8"),
	ROW(vectors, CHECK_vectors, CHECK_BAD, "none"),
	ROW(none, CHECK_counters, CHECK_OK, "all zero"),
	ROW(counters_unknown, CHECK_counters, CHECK_OK, "no files"),
	ROW(counters, CHECK_counters, CHECK_WARN,
	    "link_downed 3, symbol_error 9"),
	ROW(counters_many, CHECK_counters, CHECK_WARN, "and 62 more"),
};

static void test_rows(void **state)
{
	static struct check_facts facts;
	struct check_finding out[CHECK_FINDINGS];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		const struct check_finding *c = &out[row->id];

		fill(&facts);
		row->change(&facts);
		check_judge(&facts, out);
		if (c->level != row->level || !strstr(c->value, row->value))
			fail_msg("%s: %s is %s, '%s'; wanted %s, '%s'",
				 row->name, c->name, check_level_name(c->level),
				 c->value, check_level_name(row->level),
				 row->value);
		/* Whoever is told of trouble is told why and what to do. */
		assert_true(c->why[0]);
		if (c->level != CHECK_OK)
			assert_true(c->step[0]);
	}
}

/* A device without fault has nothing but ok, and each change above concerns
 * one matter: the worst level is that of the row at least. */
static void test_worst(void **state)
{
	static struct check_facts facts;
	struct check_finding out[CHECK_FINDINGS];

	fill(&facts);
	check_judge(&facts, out);
	assert_int_equal(check_worst(out), CHECK_OK);
	for (unsigned i = 0; i < CHECK_FINDINGS; i++)
		assert_int_equal(out[i].level, CHECK_OK);
	fill_infiniband(&facts);
	check_judge(&facts, out);
	assert_int_equal(check_worst(out), CHECK_OK);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		fill(&facts);
		rows[i].change(&facts);
		check_judge(&facts, out);
		assert_true(check_worst(out) >= rows[i].level);
	}
}

/* No finding is without a row at each level that it can have. */
static void test_every_finding(void **state)
{
	bool ok[CHECK_FINDINGS] = { false };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		ok[rows[i].id] |= rows[i].level == CHECK_OK;
	for (unsigned i = 0; i < CHECK_FINDINGS; i++)
		assert_true(ok[i]);
}

static void test_counters(void **state)
{
	assert_true(check_counter_is_error("symbol_error"));
	assert_true(check_counter_is_error("retry_exceeded_err"));
	assert_false(check_counter_is_error("port_xmit_data"));
	assert_false(check_counter_is_error("sent_pkts"));
	assert_false(check_counter_is_error(""));
}

static void test_host(void **state)
{
	static struct check_facts facts;

	check_gather_host(&facts);
	assert_true(facts.kernel[0]);
	assert_true(strchr(facts.rdma_core, '.'));
	assert_true(facts.memlock > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_worst),
		cmocka_unit_test(test_every_finding),
		cmocka_unit_test(test_counters),
		cmocka_unit_test(test_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
