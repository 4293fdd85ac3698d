// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A message is a polynomial, and its CRC a remainder.  What is far from the end
 * is folded forward: a vector, multiplied by x to the power of the distance
 * modulo the polynomial, is added to one nearer to the end, and the remainder
 * stays what it was.
 *
 * In a register the lowest bit is the highest power, as on the wire.  So the
 * product of two halves of 64 bits stands one power too low, and the lower half
 * is worth x^64 more; the multipliers make up for both.
 */
#include "device/wire/icrc_copy.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <isa-l/crc.h>

#define ICRC_UNIT __attribute__((target("avx512f,pclmul,vpclmulqdq")))

enum {
	ICRC_VECTOR = 64,
	ICRC_STRIDE = 4 * ICRC_VECTOR,
	ICRC_LANES = ICRC_VECTOR / 16,
	ICRC_MTUS = 5, /* 256, 512, ... 4096 */
};

/* To fold by n bits: x^(n + 63) for the lower half, x^(n - 1) for the upper. */
#define ICRC_FOLD_128  0x65673b4600000000, 0x9ba54c6f00000000
#define ICRC_FOLD_256  0x9570d49500000000, 0x01b5fd1d00000000
#define ICRC_FOLD_384  0x69ccfc0d00000000, 0x2a28386200000000
#define ICRC_FOLD_512  0x653d982200000000, 0xcad38e8f00000000
#define ICRC_FOLD_2048 0x7cc8e1e700000000, 0x03f9f86300000000
#define ICRC_ALL(...)                                              \
	{                                                          \
		__VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__ \
	}

static const uint64_t icrc_stride[2 * ICRC_LANES] = ICRC_ALL(ICRC_FOLD_2048);
static const uint64_t icrc_vector[2 * ICRC_LANES] = ICRC_ALL(ICRC_FOLD_512);
/* The last lane stays. */
static const uint64_t icrc_lanes[2 * ICRC_LANES] = { ICRC_FOLD_384,
						     ICRC_FOLD_256,
						     ICRC_FOLD_128, 0, 0 };
/* x^(8 * MTU - 33): what a CRC is multiplied by when so many bytes follow, and
 * the product is itself fed as 8 bytes. */
static const uint32_t icrc_mtu[ICRC_MTUS] = { 0xe95c1271, 0x0c30f51d,
					      0xbbf2f6d6, 0x7b4aa8b7,
					      0x68c0a2c5 };

/* @far, folded by the distance that @by is for, and @near. */
ICRC_UNIT static inline __m512i icrc_fold(__m512i far, __m512i by, __m512i near)
{
	enum { XOR_OF_THREE = 0x96 };

	return _mm512_ternarylogic_epi64(
		_mm512_clmulepi64_epi128(far, by, 0x00),
		_mm512_clmulepi64_epi128(far, by, 0x11), near, XOR_OF_THREE);
}

/* Copy a vector, and have it. */
ICRC_UNIT static inline __m512i icrc_carry(uint8_t *to, const uint8_t *from,
					   unsigned nth)
{
	__m512i v = _mm512_loadu_si512(from + nth * ICRC_VECTOR);

	_mm512_storeu_si512(to + nth * ICRC_VECTOR, v);
	return v;
}

ICRC_UNIT static __m512i icrc_copy_strides(uint8_t *to, const uint8_t *from,
					   size_t strides)
{
	const __m512i stride = _mm512_loadu_si512(icrc_stride);
	const __m512i vector = _mm512_loadu_si512(icrc_vector);
	__m512i a = icrc_carry(to, from, 0);
	__m512i b = icrc_carry(to, from, 1);
	__m512i c = icrc_carry(to, from, 2);
	__m512i d = icrc_carry(to, from, 3);

	while (--strides) {
		to += ICRC_STRIDE;
		from += ICRC_STRIDE;
		a = icrc_fold(a, stride, icrc_carry(to, from, 0));
		b = icrc_fold(b, stride, icrc_carry(to, from, 1));
		c = icrc_fold(c, stride, icrc_carry(to, from, 2));
		d = icrc_fold(d, stride, icrc_carry(to, from, 3));
	}
	b = icrc_fold(a, vector, b);
	c = icrc_fold(b, vector, c);
	return icrc_fold(c, vector, d);
}

ICRC_UNIT static void icrc_copy_mtu(void *to, const void *from, size_t len,
				    struct icrc_sum *sum)
{
	const __m512i lanes = _mm512_loadu_si512(icrc_lanes);
	__m512i last = icrc_copy_strides(to, from, len / ICRC_STRIDE);
	__m512i rest = icrc_fold(last, lanes, _mm512_setzero_si512());
	__m128i v = _mm512_extracti32x4_epi32(last, ICRC_LANES - 1);

	v = _mm_xor_si128(v, _mm512_extracti32x4_epi32(rest, 0));
	v = _mm_xor_si128(v, _mm512_extracti32x4_epi32(rest, 1));
	v = _mm_xor_si128(v, _mm512_extracti32x4_epi32(rest, 2));
	_mm_storeu_si128((__m128i *)sum->folded, v);
	sum->len = (uint32_t)len;
}

__attribute__((target("sse2,pclmul"))) static uint64_t icrc_times(uint32_t crc,
								  uint32_t by)
{
	__m128i product = _mm_clmulepi64_si128(_mm_cvtsi32_si128((int)crc),
					       _mm_cvtsi32_si128((int)by), 0);

	return (uint64_t)_mm_cvtsi128_si64(product);
}

static bool icrc_copy_here(void)
{
	static int here = -1;
	int is = __atomic_load_n(&here, __ATOMIC_RELAXED);

	if (is < 0) {
		is = __builtin_cpu_supports("avx512f") &&
		     __builtin_cpu_supports("vpclmulqdq");
		__atomic_store_n(&here, is, __ATOMIC_RELAXED);
	}
	return is;
}

static bool icrc_is_mtu(size_t len)
{
	return len >= ICRC_STRIDE && len <= ICRC_STRIDE << (ICRC_MTUS - 1) &&
	       (len & (len - 1)) == 0;
}

bool icrc_copy(void *to, const void *from, size_t len, struct icrc_sum *sum)
{
	if (!icrc_is_mtu(len) || !icrc_copy_here())
		return false;
	icrc_copy_mtu(to, from, len, sum);
	return true;
}

uint32_t icrc_append(uint32_t crc, const struct icrc_sum *sum)
{
	unsigned mtu = (unsigned)__builtin_ctz(sum->len / ICRC_STRIDE);
	uint64_t message[2] = { sum->folded[0], sum->folded[1] };

	message[1] ^= icrc_times(~crc, icrc_mtu[mtu]);
	return crc32_gzip_refl(~UINT32_C(0), (const uint8_t *)message,
			       sizeof(message));
}

#else

bool icrc_copy(void *to, const void *from, size_t len, struct icrc_sum *sum)
{
	return false;
}

uint32_t icrc_append(uint32_t crc, const struct icrc_sum *sum)
{
	return crc;
}

#endif
