// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the device and its port say, through every way to ask. */
#include "front_fixture.h"

#include <arpa/inet.h>

#include "device/front/facts.h"
#include "device/front/limits.h"
#include "device/front/verbs.h"
#include "softrdma/softdv.h"

int ibv_query_gid_type(struct ibv_context *context, uint8_t port,
		       unsigned int index, enum soft_gid_type_sysfs *type);
int ibv_read_sysfs_file(const char *dir, const char *file, char *text,
			size_t room);

static void it_is_listed_once_with_its_name(void **state)
{
	int count = -1;
	struct ibv_device **list = ibv_get_device_list(&count);
	int found = 0;

	assert_non_null(list);
	for (int i = 0; i < count; i++)
		found += !strcmp(ibv_get_device_name(list[i]), "soft0");
	assert_int_equal(found, 1);
	assert_null(list[count]);
	assert_int_equal(list[count - 1]->node_type, IBV_NODE_CA);
	assert_int_equal(list[count - 1]->transport_type, IBV_TRANSPORT_IB);
	assert_int_equal(ibv_get_device_index(list[count - 1]), -1);
	ibv_free_device_list(list);
	ibv_free_device_list(NULL);
	assert_no_object(ibv_open_device(NULL), EINVAL);
}

static void device_attributes_are_the_limits(void **state)
{
	struct ibv_device_attr_ex ex;
	struct ibv_device_attr attr;

	assert_int_equal(ibv_query_device(*state, &attr), 0);
	assert_int_equal(attr.max_qp, LIMIT_max_qp);
	assert_int_equal(attr.max_cqe, LIMIT_max_cqe);
	assert_int_equal(attr.max_pd, LIMIT_max_pd);
	assert_int_equal(attr.max_srq, LIMIT_max_srq);
	assert_int_equal(attr.max_srq_wr, LIMIT_max_srq_wr);
	assert_int_equal(attr.max_mw, LIMIT_max_mw);
	assert_int_equal(attr.max_ah, LIMIT_max_ah);
	assert_int_equal(attr.max_mcast_grp, 0);
	assert_int_equal(attr.atomic_cap, IBV_ATOMIC_HCA);
	assert_int_equal(attr.device_cap_flags & IBV_DEVICE_SRQ_RESIZE, 0);
	assert_int_equal(attr.phys_port_cnt, 1);
	assert_true(
		attr.node_guid ==
		ibv_get_device_guid(((struct ibv_context *)*state)->device));
	assert_int_equal(ibv_query_device_ex(*state, NULL, &ex), 0);
	/* Field by field: there are holes between them. */
	assert_string_equal(ex.orig_attr.fw_ver, attr.fw_ver);
	assert_true(ex.orig_attr.node_guid == attr.node_guid);
	assert_int_equal(ex.orig_attr.max_qp, attr.max_qp);
	assert_int_equal(ex.orig_attr.max_sge, attr.max_sge);
	assert_int_equal(ex.orig_attr.phys_port_cnt, attr.phys_port_cnt);
	assert_int_equal(ex.phys_port_cnt_ex, 1);
}

/* A caller with a smaller or a larger structure than ours. */
static void sizes_of_structures_are_respected(void **state)
{
	struct verbs_context *verbs = verbs_get_ctx(*state);
	struct {
		struct ibv_device_attr_ex attr;
		uint8_t beyond[64];
	} device;
	struct {
		struct ibv_port_attr attr;
		uint8_t beyond[64];
	} port;
	static const uint8_t zeroes[64];

	memset(&device, 0xa5, sizeof(device));
	assert_int_equal(verbs->query_device_ex(*state, NULL, &device.attr,
						sizeof(device.attr.orig_attr)),
			 0);
	assert_int_equal(((uint8_t *)&device.attr.comp_mask)[0], 0xa5);
	assert_int_equal(verbs->query_device_ex(*state, NULL, &device.attr,
						sizeof(device)),
			 0);
	assert_memory_equal(device.beyond, zeroes, sizeof(zeroes));
	memset(&port, 0xa5, sizeof(port));
	assert_int_equal(verbs->query_port(*state, 1, &port.attr, 4), 0);
	assert_int_equal(port.attr.state, IBV_PORT_ACTIVE);
	assert_int_equal(((uint8_t *)&port.attr)[4], 0xa5);
	assert_int_equal(verbs->query_port(*state, 1, &port.attr, sizeof(port)),
			 0);
	assert_memory_equal(port.beyond, zeroes, sizeof(zeroes));
}

static void times_of_completions_can_be_understood(void **state)
{
	struct ibv_values_ex values = { .comp_mask =
						IBV_VALUES_MASK_RAW_CLOCK };
	struct ibv_device_attr_ex ex;
	struct timespec before, after;

	assert_int_equal(ibv_query_device_ex(*state, NULL, &ex), 0);
	assert_true(ex.completion_timestamp_mask == UINT64_MAX);
	assert_int_equal(ex.hca_core_clock, 1000000);
	clock_gettime(CLOCK_MONOTONIC, &before);
	assert_int_equal(ibv_query_rt_values_ex(*state, &values), 0);
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert_int_equal(values.comp_mask, IBV_VALUES_MASK_RAW_CLOCK);
	assert_true(values.raw_clock.tv_sec >= before.tv_sec);
	assert_true(values.raw_clock.tv_sec <= after.tv_sec);
	values.comp_mask = 2;
	assert_refused(ibv_query_rt_values_ex(*state, &values), EINVAL);
}

static void the_port_is_active_roce(void **state)
{
	struct verbs_context *verbs = verbs_get_ctx(*state);
	struct ibv_port_attr attr, legacy;

	assert_int_equal(verbs->query_port(*state, 1, &attr, sizeof(attr)), 0);
	assert_int_equal(attr.state, IBV_PORT_ACTIVE);
	assert_int_equal(attr.phys_state, 5);
	assert_int_equal(attr.link_layer, IBV_LINK_LAYER_ETHERNET);
	assert_int_equal(attr.active_mtu, IBV_MTU_4096);
	assert_int_equal(attr.gid_tbl_len, LIMIT_gid_entries);
	assert_int_equal(attr.pkey_tbl_len, 1);
	assert_int_equal(attr.lid, 0);
	memset(&legacy, 0, sizeof(legacy));
	assert_int_equal(
		ibv_query_port(*state, 1,
			       (struct _compat_ibv_port_attr *)&legacy),
		0);
	assert_int_equal(legacy.state, attr.state);
	assert_int_equal(legacy.active_mtu, attr.active_mtu);
	assert_int_equal(legacy.gid_tbl_len, attr.gid_tbl_len);
	assert_int_equal(legacy.link_layer, attr.link_layer);
	assert_int_equal(legacy.flags, attr.flags);
	assert_int_equal(legacy.port_cap_flags2, 0);
	assert_refused(verbs->query_port(*state, 0, &attr, sizeof(attr)),
		       EINVAL);
	assert_refused(verbs->query_port(*state, 2, &attr, sizeof(attr)),
		       EINVAL);
}

static void gid_0_is_an_ipv4_address_and_the_others_are_empty(void **state)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	static const union ibv_gid zero;
	struct ibv_gid_entry entry, table[8];
	enum soft_gid_type_sysfs type;
	union ibv_gid gid;

	assert_int_equal(ibv_query_gid(*state, 1, 0, &gid), 0);
	assert_memory_equal(gid.raw, mapped, sizeof(mapped));
	assert_int_equal(ibv_query_gid_ex(*state, 1, 0, &entry, 0), 0);
	assert_memory_equal(entry.gid.raw, gid.raw, 16);
	assert_int_equal(entry.gid_type, IBV_GID_TYPE_ROCE_V2);
	assert_int_equal(ibv_query_gid_type(*state, 1, 0, &type), 0);
	assert_int_equal(type, SOFT_GID_SYSFS_ROCE_V2);
	assert_int_equal(ibv_query_gid_table(*state, table, 8, 0), 1);
	assert_memory_equal(&table[0], &entry, sizeof(entry));
	for (int i = 1; i < LIMIT_gid_entries; i++) {
		assert_int_equal(ibv_query_gid(*state, 1, i, &gid), 0);
		assert_memory_equal(&gid, &zero, sizeof(gid));
		assert_refused(ibv_query_gid_ex(*state, 1, (uint32_t)i, &entry,
						0),
			       ENODATA);
	}
}

static void indexes_outside_the_tables_are_refused(void **state)
{
	struct ibv_gid_entry entry;
	union ibv_gid gid;
	__be16 pkey = 0;

	errno = 0;
	assert_int_equal(ibv_query_gid(*state, 1, LIMIT_gid_entries, &gid), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(ibv_query_gid(*state, 1, -1, &gid), -1);
	assert_int_equal(ibv_query_gid(*state, 2, 0, &gid), -1);
	assert_refused(ibv_query_gid_ex(*state, 1, LIMIT_gid_entries, &entry,
					0),
		       EINVAL);
	assert_refused(ibv_query_gid_ex(*state, 1, 0, &entry, 1), EOPNOTSUPP);
	assert_int_equal(ibv_query_pkey(*state, 1, 0, &pkey), 0);
	assert_int_equal(pkey, htons(0xffff));
	assert_int_equal(ibv_query_pkey(*state, 1, 1, &pkey), -1);
	assert_int_equal(ibv_query_pkey(*state, 1, -1, &pkey), -1);
	assert_int_equal(ibv_get_pkey_index(*state, 1, htons(0xffff)), 0);
	assert_int_equal(ibv_get_pkey_index(*state, 1, htons(0x7fff)), -1);
}

static void sysfs_texts_are_served_for_our_paths_only(void **state)
{
	char text[64];

	assert_int_equal(ibv_read_sysfs_file(SOFT_SYSFS, "node_type", text,
					     sizeof(text)),
			 5);
	assert_string_equal(text, "1: CA");
	assert_int_equal(ibv_read_sysfs_file(SOFT_SYSFS "/ports/1",
					     "gid_attrs/types/0", text,
					     sizeof(text)),
			 7);
	assert_string_equal(text, "RoCE v2");
	assert_int_equal(ibv_read_sysfs_file(SOFT_SYSFS, "node_guid", text, 5),
			 4);
	assert_string_equal(text, "0200");
	assert_int_equal(ibv_read_sysfs_file(SOFT_SYSFS, "no_such", text,
					     sizeof(text)),
			 -1);
	assert_int_equal(ibv_read_sysfs_file("/proc/self", "no_such", text,
					     sizeof(text)),
			 -1);
	assert_true(ibv_read_sysfs_file("/proc/self", "comm", text,
					sizeof(text)) > 0);
}

static void counters_are_read_by_name(void **state)
{
	uint64_t value = UINT64_MAX;
	unsigned int count = 0;
	const char *name;

	assert_int_equal(softdv_is_soft(*state), 1);
	assert_int_equal(softdv_is_soft(NULL), 0);
	while (!softdv_counter_name(count, &name)) {
		assert_int_equal(softdv_counter_read(*state, name, &value), 0);
		count++;
	}
	assert_int_equal(errno, ENOENT);
	assert_true(count > 10);
	assert_int_equal(softdv_counter_read(*state, "rcvd_rnr_err", &value),
			 0);
	assert_true(value == 0);
	assert_refused(softdv_counter_read(*state, "no_such", &value), ENOENT);
	assert_refused(softdv_counter_read(NULL, "rcvd_rnr_err", &value),
		       EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_listed_once_with_its_name),
		cmocka_unit_test(device_attributes_are_the_limits),
		cmocka_unit_test(sizes_of_structures_are_respected),
		cmocka_unit_test(times_of_completions_can_be_understood),
		cmocka_unit_test(the_port_is_active_roce),
		cmocka_unit_test(
			gid_0_is_an_ipv4_address_and_the_others_are_empty),
		cmocka_unit_test(indexes_outside_the_tables_are_refused),
		cmocka_unit_test(sysfs_texts_are_served_for_our_paths_only),
		cmocka_unit_test(counters_are_read_by_name),
	};

	return cmocka_run_group_tests(tests, front_setup, front_teardown);
}
