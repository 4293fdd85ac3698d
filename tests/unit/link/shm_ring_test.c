// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The ring of packets in shared memory, when the other side has written what
 * cannot be: nothing is believed, and nothing outside is touched. */
#include <stdlib.h>

#include "device/link/shm_ring.h"

#include "shm_pair.h"

struct ring_pair {
	uint8_t *map;
	struct shm_writer w;
	struct shm_reader r;
};

static void ring_open(struct ring_pair *ring)
{
	ring->map = aligned_alloc(SHM_HEADER_BYTES, SHM_MAP_BYTES);
	assert_non_null(ring->map);
	memset(ring->map, 0, SHM_MAP_BYTES);
	shm_writer_init(&ring->w, ring->map);
	shm_reader_init(&ring->r, ring->map);
}

static void ring_write(struct ring_pair *ring, uint32_t len)
{
	struct link_packet p = { .len = len };
	bool broken;

	p.bytes = shm_writer_begin(&ring->w, len, &broken);
	assert_non_null(p.bytes);
	memset(p.bytes, 0x5a, len);
	shm_writer_end(&ring->w, &p);
	shm_writer_show(&ring->w);
}

static struct shm_header *ring_header(struct ring_pair *ring)
{
	return (struct shm_header *)ring->map;
}

static void a_head_that_cannot_be_is_refused(void **state)
{
	static const uint64_t bad[] = {
		SHM_RING_BYTES + SHM_LINE, 1, SHM_LINE - 1, UINT64_MAX,
		(uint64_t)0 - SHM_LINE,
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct ring_pair ring;
		struct link_packet p;
		bool damaged;

		ring_open(&ring);
		ring_write(&ring, 16);
		atomic_store(&ring_header(&ring)->head, bad[i]);
		assert_int_equal(shm_reader_next(&ring.r, &p, &damaged),
				 -EPROTO);
		free(ring.map);
	}
}

static void a_tail_that_cannot_be_is_refused(void **state)
{
	struct ring_pair ring;
	bool broken = false;

	ring_open(&ring);
	while (shm_writer_begin(&ring.w, WIRE_PACKET_MAX, &broken))
		ring_write(&ring, WIRE_PACKET_MAX);
	assert_false(broken);
	atomic_store(&ring_header(&ring)->tail, ring.w.shown + SHM_LINE);
	assert_null(shm_writer_begin(&ring.w, WIRE_PACKET_MAX, &broken));
	assert_true(broken);
	free(ring.map);
}

/* Whatever stands in the ring, what is handed out lies within it, and the
 * reader comes to an end. */
static void random_records_never_lead_outside(void **state)
{
	struct ring_pair ring;
	unsigned refused = 0;

	ring_open(&ring);
	for (unsigned round = 0; round < 3000; round++) {
		uint64_t start =
			prng_below(&prng, SHM_RING_BYTES / SHM_LINE) * SHM_LINE;
		uint64_t span =
			(1 + prng_below(&prng, SHM_RING_BYTES / SHM_LINE)) *
			SHM_LINE;
		struct link_packet p;
		bool damaged;
		int got;

		shm_reader_init(&ring.r, ring.map);
		ring.r.tail = ring.r.given = ring.r.head = start;
		for (unsigned i = 0; i < 64; i++) {
			uint64_t at = (start + i * SHM_LINE) % SHM_RING_BYTES;
			uint8_t *record = ring.map + SHM_HEADER_BYTES + at;
			uint32_t len = (uint32_t)prng_below(&prng, 5000);

			memcpy(record, &len, sizeof(len));
			record[4] = (uint8_t)prng_below(&prng, 5);
		}
		atomic_store(&ring_header(&ring)->head, start + span);
		while ((got = shm_reader_next(&ring.r, &p, &damaged)) > 0) {
			assert_true(p.len >= 16 && p.len <= WIRE_PACKET_MAX);
			assert_true(p.bytes >= ring.map + SHM_HEADER_BYTES);
			assert_true(p.bytes + p.len <=
				    ring.map + SHM_MAP_BYTES);
		}
		refused += got < 0;
	}
	assert_true(refused > 0);
	free(ring.map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_head_that_cannot_be_is_refused),
		cmocka_unit_test(a_tail_that_cannot_be_is_refused),
		cmocka_unit_test(random_records_never_lead_outside),
	};

	shm_pair_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
