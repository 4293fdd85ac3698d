/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * After a library of vector code.  isa-l's AVX-512 functions return with the
 * upper halves of the vector registers in use; until they are cleared every
 * SSE instruction of the thread, memcpy() and all, waits for them.  Measured:
 * 200 ns on each packet's ICRC, and a UDP link at half its speed.
 */
#ifndef BASE_VECTOR_H
#define BASE_VECTOR_H

#if defined(__x86_64__)
__attribute__((target("avx"))) static inline void vector_clear_upper(void)
{
	__builtin_ia32_vzeroupper();
}
#endif

/* Call this behind a call into such a library. */
static inline void vector_leave(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx"))
		vector_clear_upper();
#endif
}

#endif
