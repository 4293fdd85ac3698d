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

static void ring_write(struct ring_pair *ring, uint32_t len, uint8_t content)
{
	struct link_packet p = { .len = len };
	bool broken;

	p.bytes = shm_writer_begin(&ring->w, len, &broken);
	assert_non_null(p.bytes);
	memset(p.bytes, content, len);
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
		ring_write(&ring, 16, 0x5a);
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
		ring_write(&ring, WIRE_PACKET_MAX, 0x5a);
	assert_false(broken);
	atomic_store(&ring_header(&ring)->tail, ring.w.shown + SHM_LINE);
	assert_null(shm_writer_begin(&ring.w, WIRE_PACKET_MAX, &broken));
	assert_true(broken);
	free(ring.map);
}

static bool ring_noted(const struct ring_pair *ring,
		       const struct link_packet *p)
{
	return p->bytes >= (const uint8_t *)ring->r.note &&
	       p->bytes < (const uint8_t *)(&ring->r.note + 1);
}

static void ring_read(struct ring_pair *ring, uint32_t len, uint8_t content,
		      struct link_packet *p)
{
	bool damaged;

	assert_int_equal(shm_reader_next(&ring->r, p, &damaged), 1);
	assert_int_equal(p->len, len);
	for (uint32_t i = 0; i < len - WIRE_ICRC_BYTES; i++)
		assert_int_equal(p->bytes[i], content);
}

/* What is short and shown alone comes with the head; what is longer, or not
 * alone, from the ring; and what was handed out stays until it is given back. */
static void a_short_record_is_noted(void **state)
{
	struct ring_pair ring;
	struct link_packet p, second;

	ring_open(&ring);
	for (uint32_t len = 16; len <= 52; len += 4) {
		ring_write(&ring, len, (uint8_t)len);
		ring_read(&ring, len, (uint8_t)len, &p);
		assert_int_equal(ring_noted(&ring, &p), len <= 44);
		shm_reader_give(&ring.r);
	}
	ring_write(&ring, 20, 1);
	ring_read(&ring, 20, 1, &p);
	assert_true(ring_noted(&ring, &p));
	ring_write(&ring, 24, 2);
	ring_read(&ring, 24, 2, &second);
	assert_false(ring_noted(&ring, &second));
	assert_int_equal(p.bytes[0], 1);
	shm_reader_give(&ring.r);
	ring_write(&ring, 28, 3);
	ring_write(&ring, 32, 4);
	ring_read(&ring, 28, 3, &p);
	assert_false(ring_noted(&ring, &p));
	shm_reader_give(&ring.r);
	ring_read(&ring, 32, 4, &p);
	assert_true(ring_noted(&ring, &p));
	free(ring.map);
}

/* The writer has begun the next note: this one is torn, and the ring counts. */
static void a_torn_note_is_none(void **state)
{
	struct ring_pair ring;
	struct link_packet p;

	ring_open(&ring);
	ring_write(&ring, 20, 1);
	atomic_fetch_add(&ring_header(&ring)->note[1],
			 (uint64_t)SHM_LINE << 32);
	atomic_store(&ring_header(&ring)->note[3], 0);
	ring_read(&ring, 20, 1, &p);
	assert_false(ring_noted(&ring, &p));
	/* One that is not for a note takes the stamp away. */
	ring_write(&ring, 400, 2);
	assert_int_equal(atomic_load(&ring_header(&ring)->note[1]) >> 32, 1);
	free(ring.map);
}

/* Whatever stands in the ring, what is handed out lies within it, and the
 * reader comes to an end. */
static void random_records_never_lead_outside(void **state)
{
	struct ring_pair ring;
	unsigned refused = 0, noted = 0;

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
		/* And in the note, which is believed for one line. */
		if (round % 4 == 0)
			span = SHM_LINE;
		for (unsigned i = 0; i < SHM_NOTE_WORDS; i++)
			atomic_store(&ring_header(&ring)->note[i],
				     i == 0 ? prng_below(&prng, 80) |
						      prng_below(&prng, 5) << 32
					    : (start + span) << 32);
		atomic_store(&ring_header(&ring)->head, start + span);
		while ((got = shm_reader_next(&ring.r, &p, &damaged)) > 0) {
			assert_true(p.len >= 16 && p.len <= WIRE_PACKET_MAX);
			if (ring_noted(&ring, &p)) {
				noted++;
				assert_true(p.bytes + p.len <=
					    (uint8_t *)(&ring.r.note + 1));
				continue;
			}
			assert_true(p.bytes >= ring.map + SHM_HEADER_BYTES);
			assert_true(p.bytes + p.len <=
				    ring.map + SHM_MAP_BYTES);
		}
		refused += got < 0;
	}
	assert_true(refused > 0 && noted > 0);
	free(ring.map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_head_that_cannot_be_is_refused),
		cmocka_unit_test(a_tail_that_cannot_be_is_refused),
		cmocka_unit_test(a_short_record_is_noted),
		cmocka_unit_test(a_torn_note_is_none),
		cmocka_unit_test(random_records_never_lead_outside),
	};

	shm_pair_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
