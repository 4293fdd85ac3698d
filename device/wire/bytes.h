/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Big-endian numbers at any address. */
#ifndef DEVICE_WIRE_BYTES_H
#define DEVICE_WIRE_BYTES_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t bytes_get_be16(const uint8_t *at)
{
	uint16_t v;

	memcpy(&v, at, sizeof(v));
	return be16toh(v);
}

static inline uint32_t bytes_get_be24(const uint8_t *at)
{
	return (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2];
}

static inline uint32_t bytes_get_be32(const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return be32toh(v);
}

static inline uint64_t bytes_get_be64(const uint8_t *at)
{
	uint64_t v;

	memcpy(&v, at, sizeof(v));
	return be64toh(v);
}

static inline void bytes_put_be16(uint8_t *at, uint16_t v)
{
	v = htobe16(v);
	memcpy(at, &v, sizeof(v));
}

static inline void bytes_put_be24(uint8_t *at, uint32_t v)
{
	at[0] = (uint8_t)(v >> 16);
	at[1] = (uint8_t)(v >> 8);
	at[2] = (uint8_t)v;
}

static inline void bytes_put_be32(uint8_t *at, uint32_t v)
{
	v = htobe32(v);
	memcpy(at, &v, sizeof(v));
}

static inline void bytes_put_be64(uint8_t *at, uint64_t v)
{
	v = htobe64(v);
	memcpy(at, &v, sizeof(v));
}

#endif
