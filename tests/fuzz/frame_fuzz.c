// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Whatever a peer sends: the frame parser, the two readers behind it, and that
 * what they accept is encoded again to the same values.
 */
#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "suite/control/exchange.h"
#include "suite/control/frames.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void frame_fuzz_again(const struct exchange_params *p)
{
	json_t *object = exchange_hello_make(p);
	struct strbuf error = STRBUF_INIT;
	struct exchange_params back;

	assert(exchange_hello_read(object, &back, &error) == 0);
	assert(back.qpn == p->qpn && back.psn == p->psn && back.lid == p->lid);
	assert(memcmp(back.gid, p->gid, sizeof(back.gid)) == 0);
	assert(back.mtu == p->mtu && back.address == p->address);
	assert(back.rkey == p->rkey && back.pkey_index == p->pkey_index);
	strbuf_free(&error);
	json_decref(object);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t at = 0, used;

	while (at < size) {
		struct strbuf error = STRBUF_INIT;
		struct exchange_params p;
		json_t *object;
		int err;

		err = frame_parse(data + at, size - at, &used, &object, &error);
		assert(err == 0 || err == -EAGAIN || err == -EBADMSG);
		/* Every refusal says why. */
		assert((err == -EBADMSG) == (error.len > 0));
		if (err) {
			strbuf_free(&error);
			break;
		}
		assert(used > FRAME_HEAD && used <= size - at);
		assert(frame_type(object));
		if (exchange_hello_read(object, &p, &error) == 0)
			frame_fuzz_again(&p);
		else
			assert(error.len > 0);
		if (exchange_barrier_read(object, "rts", &error))
			assert(error.len > 0);
		strbuf_free(&error);
		json_decref(object);
		at += used;
	}
	return 0;
}
