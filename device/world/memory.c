// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "device/world/memory.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>

#include "base/compiler.h"
#include "device/mutant/mutant.h"

/*
 * Where to go on after a fault of this thread's own copy; NULL: not copying.
 * In the threads' static part, which is there from the start: the handler must
 * not be the first to ask for it, and it costs no call.
 */
static _Thread_local __attribute__((tls_model("initial-exec")))
sigjmp_buf *volatile memory_way_out;
static struct sigaction memory_before_segv, memory_before_bus;

static void memory_chain(const struct sigaction *before, int signo,
			 siginfo_t *info, void *context)
{
	if (before->sa_flags & SA_SIGINFO) {
		before->sa_sigaction(signo, info, context);
	} else if (before->sa_handler == SIG_DFL ||
		   before->sa_handler == SIG_IGN) {
		/* Back to the instruction, this time without us; a fault
		 * cannot be ignored, the kernel ends the process for it. */
		signal(signo, SIG_DFL);
	} else {
		before->sa_handler(signo);
	}
}

static void memory_fault(int signo, siginfo_t *info, void *context)
{
	if (memory_way_out)
		siglongjmp(*memory_way_out, 1);
	memory_chain(signo == SIGSEGV ? &memory_before_segv
				      : &memory_before_bus,
		     signo, info, context);
}

static void memory_guard_once(void)
{
	struct sigaction ours = { .sa_sigaction = memory_fault,
				  .sa_flags = SA_SIGINFO | SA_NODEFER };

	sigaction(SIGSEGV, &ours, &memory_before_segv);
	sigaction(SIGBUS, &ours, &memory_before_bus);
}

void memory_guard_install(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, memory_guard_once);
}

/*
 * The bytes belong to the application, which may touch them when it likes, and
 * may have unmapped them: sanitizers have no say in this copy.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEMORY_RAW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MEMORY_RAW 1
#endif
#endif

static inline void memory_copy_raw(void *to, const void *from, size_t len)
{
#if defined(MEMORY_RAW) && defined(__x86_64__)
	__asm__ volatile("rep movsb"
			 : "+D"(to), "+S"(from), "+c"(len)
			 :
			 : "memory");
#else
	memcpy(to, from, len);
#endif
}

/* True when it did copy. */
static inline bool memory_copy_and_sum(void *to, const void *from, size_t len,
				       struct icrc_sum *sum)
{
#if defined(MEMORY_RAW)
	return false;
#else
	return sum && icrc_copy(to, from, len, sum);
#endif
}

bool memory_copy_summed(void *to, const void *from, size_t len,
			struct icrc_sum *sum)
{
	sigjmp_buf way_out;

	if (sigsetjmp(way_out, 0)) {
		memory_way_out = NULL;
		return false;
	}
	memory_way_out = &way_out;
	if (!memory_copy_and_sum(to, from, len, sum))
		memory_copy_raw(to, from, len);
	memory_way_out = NULL;
	return true;
}

bool memory_copy(void *to, const void *from, size_t len)
{
	return memory_copy_summed(to, from, len, NULL);
}

bool memory_fetch_add(uint64_t *at, uint64_t add, uint64_t *before)
{
	sigjmp_buf way_out;

	if (sigsetjmp(way_out, 0)) {
		memory_way_out = NULL;
		return false;
	}
	memory_way_out = &way_out;
	*before = __atomic_fetch_add(at, add, __ATOMIC_SEQ_CST);
	memory_way_out = NULL;
	return true;
}

bool memory_compare_swap(uint64_t *at, uint64_t compare, uint64_t swap,
			 uint64_t *before)
{
	sigjmp_buf way_out;

	if (sigsetjmp(way_out, 0)) {
		memory_way_out = NULL;
		return false;
	}
	memory_way_out = &way_out;
	*before = compare;
	__atomic_compare_exchange_n(at, before, swap, false, __ATOMIC_SEQ_CST,
				    __ATOMIC_SEQ_CST);
	memory_way_out = NULL;
	return true;
}

/* D80: whichever domain the key is of. */
static MUTANT_COLD const void *memory_any_domain(const struct sd_mr_table *keys,
						 const void *pd, uint32_t lkey)
{
	const struct sd_mr *mr = mr_find_lkey(keys, lkey);

	return mr && mr->pd != pd && mutant_note(MUTANT_D80) ? mr->pd : pd;
}

enum ibv_wc_status memory_move(const struct sd_mr_table *keys, const void *pd,
			       const struct ibv_sge *sge, int num_sge,
			       uint64_t offset, void *buffer, size_t len,
			       int access_needed, struct icrc_sum *sum)
{
	uint8_t *bytes = buffer;

	for (int i = 0; i < num_sge && len > 0; i++) {
		uint64_t part = sge[i].length;
		uint8_t *host;
		bool copied;

		if (offset >= part) {
			offset -= part;
			continue;
		}
		part -= offset;
		if (part > len)
			part = len;
		if (MUTANT_ON(D80) && i > 0)
			pd = memory_any_domain(keys, pd, sge[i].lkey);
		if (mr_resolve_local(keys, pd, sge[i].lkey,
				     sge[i].addr + offset, part, access_needed,
				     &host))
			return IBV_WC_LOC_PROT_ERR;
		/* The sum of a part is none of the whole. */
		if (bytes != buffer || part != len)
			sum = NULL;
		copied = access_needed
				 ? memory_copy(host, bytes, part)
				 : memory_copy_summed(bytes, host, part, sum);
		if (!copied)
			return IBV_WC_LOC_PROT_ERR;
		bytes += part;
		len -= part;
		offset = 0;
	}
	return len ? IBV_WC_LOC_LEN_ERR : IBV_WC_SUCCESS;
}
