// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Listing devices and choosing port, GID and MTU; in a process of its own. */
#include "suite/runner/target.h"

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "suite/runner/process.h"
#include "suite/runner/target_ask.h"

/* For an answer of a device; times --patience. */
enum { TARGET_LIMIT_MS = 10000 };

/*
 * Run @ask(@arg, @shared, @error) in a child, with @bytes of memory that both
 * see.  Returns what it returned.
 */
struct target_call {
	int (*ask)(const void *arg, void *shared, char *error, size_t size);
	const void *arg;
	size_t bytes;
	double patience;
};

struct target_answer {
	int result;
	char error[512];
	_Alignas(16) char shared[];
};

static void target_child(const struct target_call *call,
			 struct target_answer *answer, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	answer->result = call->ask(call->arg, answer->shared, answer->error,
				   sizeof(answer->error));
	_exit(0);
}

static int target_await(const struct target_call *call, pid_t pid,
			struct target_answer *answer)
{
	uint64_t limit_ns = (uint64_t)(TARGET_LIMIT_MS * call->patience *
				       (double)NS_PER_MS);
	int status = 0;
	int err = process_wait(pid, clock_now_ns() + limit_ns, &status);

	if (err == -ETIMEDOUT) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		snprintf(answer->error, sizeof(answer->error),
			 "the device does not answer: no end of its queries "
			 "within %llu ms",
			 (unsigned long long)(limit_ns / NS_PER_MS));
	} else if (!err && WIFSIGNALED(status)) {
		err = -EIO;
		snprintf(answer->error, sizeof(answer->error),
			 "asking the device ended with SIG%s: its provider is "
			 "at fault",
			 sigabbrev_np(WTERMSIG(status)));
	} else if (!err) {
		err = answer->result;
	}
	return err;
}

static int target_call(const struct target_call *call, void *out, char **error)
{
	size_t bytes = sizeof(struct target_answer) + call->bytes;
	struct target_answer *answer = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
					    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct strbuf text = STRBUF_INIT;
	pid_t parent = getpid(), pid;
	int err;

	if (answer == MAP_FAILED) {
		*error = strdup("no memory for the answer of a device");
		return -ENOMEM;
	}
	answer->result = -EIO;
	fflush(NULL);
	pid = fork();
	if (!pid)
		target_child(call, answer, parent);
	err = pid < 0 ? -errno : target_await(call, pid, answer);
	if (err) {
		strbuf_add(&text, answer->error);
		if (!text.len)
			strbuf_addf(&text, "asking the device: %s",
				    strerror(-err));
		*error = strbuf_detach(&text);
	} else {
		memcpy(out, answer->shared, call->bytes);
	}
	munmap(answer, bytes);
	return err;
}

int target_list(struct target_list *out, char **error)
{
	const struct target_call call = {
		.ask = target_ask_list,
		.bytes = sizeof(*out),
		.patience = 1,
	};

	return target_call(&call, out, error);
}

int target_probe(const struct vb_options *options, struct target *out,
		 char **error)
{
	const struct target_call call = {
		.ask = target_ask_probe,
		.arg = options,
		.bytes = sizeof(*out),
		.patience = options->patience,
	};

	return target_call(&call, out, error);
}

const char *target_lack(const struct target *t, const struct vb_case *record)
{
	if (record->needs & VB_NEED_NOTHING)
		return NULL;
	for (unsigned bit = 0; bit < ARRAY_SIZE(t->lack_reason); bit++)
		if (record->needs & t->lacks & (1u << bit))
			return t->lack_reason[bit];
	return NULL;
}

const char *target_gid_type_name(uint32_t type)
{
	switch (type) {
	case IBV_GID_TYPE_IB:
		return "IB";
	case IBV_GID_TYPE_ROCE_V1:
		return "RoCEv1";
	case IBV_GID_TYPE_ROCE_V2:
		return "RoCEv2";
	}
	return "unknown";
}

uint32_t target_mtu_bytes(enum ibv_mtu mtu)
{
	return mtu >= IBV_MTU_256 && mtu <= IBV_MTU_4096 ? 128u << mtu : 0;
}

/* Vendor ids of drivers whose devices may bear any name. */
static const struct {
	uint32_t vendor_id;
	const char *kind;
} target_vendors[] = {
	{ 0xffffff, "rxe" }, { 0x626d74, "siw" },   { 0x02c9, "mlx5" },
	{ 0x15b3, "mlx5" },  { 0x14e4, "bnxt_re" }, { 0x8086, "irdma" },
	{ 0x1d0f, "efa" },   { 0x19e5, "hns" },
};

void target_kind(const char *name, const struct ibv_device_attr *attr,
		 char *out, size_t size)
{
	size_t letters = strcspn(name, "0123456789");

	if (strncmp(name, "soft", 4) == 0) {
		snprintf(out, size, "soft");
		return;
	}
	if (strncmp(name, "mlx4", 4) == 0 || strncmp(name, "mlx5", 4) == 0) {
		snprintf(out, size, "%.4s", name);
		return;
	}
	for (size_t i = 0; attr && i < ARRAY_SIZE(target_vendors); i++) {
		if (target_vendors[i].vendor_id != attr->vendor_id)
			continue;
		snprintf(out, size, "%s", target_vendors[i].kind);
		return;
	}
	snprintf(out, size, "%.*s", (int)letters, name);
}
