/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A ring of packets in memory that two processes share, one of which writes.
 *
 *	header            ring (SHM_RING_BYTES)
 *	head tail sleeps  [record][record][skip.......]
 *
 *	record: | struct shm_record | packet | to a multiple of 64 |
 *
 * A short record that is shown alone is shown beside the head, too: who looks
 * there has all of it, and need not wait for another cache line.
 *
 * Records do not wrap: a skip fills what is left at the end.  Head and tail
 * count bytes for ever.  Each side keeps its own index in private memory and
 * believes only the other's, as far as it makes sense.
 */
#ifndef DEVICE_LINK_SHM_RING_H
#define DEVICE_LINK_SHM_RING_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "device/link/link.h"

enum {
	SHM_LINE = 64,
	SHM_HEADER_BYTES = 4096,
	/* Some windows of a queue pair, and within a core's own cache. */
	SHM_RING_BYTES = 1 << 20,
	SHM_MAP_BYTES = SHM_HEADER_BYTES + SHM_RING_BYTES,
	/* What is written is shown at the latest when it comes to so much:
	 * the reader shall work at the same time. */
	SHM_SHOW_BYTES = 16 * 1024,
	/* What the head leaves of its cache line. */
	SHM_NOTE_WORDS = SHM_LINE / 8 - 1,
};

/* Each in a cache line of its own: they have different writers. */
struct shm_header {
	alignas(SHM_LINE) _Atomic uint64_t head;
	/* The one record before head, if it has head's stamp. */
	_Atomic uint64_t note[SHM_NOTE_WORDS];
	alignas(SHM_LINE) _Atomic uint64_t tail;
	/* The reader does, and wants to be woken; whoever clears it does. */
	alignas(SHM_LINE) _Atomic uint32_t sleeps;
};

struct shm_writer {
	struct shm_header *header;
	uint8_t *ring;
	uint64_t head;	/* behind the last record written */
	uint64_t shown; /* as the reader knows it */
	uint64_t tail;	/* as we know it, perhaps old */
	bool noted;	/* the note has a stamp */
};

struct shm_reader {
	struct shm_header *header;
	uint8_t *ring;
	uint64_t tail;	/* before the next record to read */
	uint64_t given; /* as the writer knows it */
	uint64_t head;	/* as we know it, perhaps old */
	/* The note's copy, from which a packet is handed out until it is given
	 * back. */
	uint64_t note[SHM_LINE / 8];
};

/* @map: SHM_MAP_BYTES of zeroes, or as another process left them. */
void shm_writer_init(struct shm_writer *w, void *map);
void shm_reader_init(struct shm_reader *r, void *map);

/* Room for a packet, or NULL: there is none now; *@broken: the reader's index
 * makes no sense. */
uint8_t *shm_writer_begin(struct shm_writer *w, size_t len_max, bool *broken);
/* The packet is complete; true: enough has come together to be shown. */
bool shm_writer_end(struct shm_writer *w, const struct link_packet *p);
/* Show all; true: the reader sleeps, and it is for us to wake it. */
bool shm_writer_show(struct shm_writer *w);

/*
 * The next packet, where it lies: 1 and all of *@p but its addresses; 0: none;
 * -EPROTO: what lies there is none of ours.  *@damaged: a fault has damaged it.
 */
int shm_reader_next(struct shm_reader *r, struct link_packet *p,
		    bool *damaged) MUST_USE;
/* Is there something?  One look at memory. */
bool shm_reader_ready(const struct shm_reader *r);
/* What was read may be overwritten. */
void shm_reader_give(struct shm_reader *r);

#endif
