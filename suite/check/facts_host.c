// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the host tells: versions, limits, the kernel's files. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "suite/check/facts.h"

/* The first line of a file, without its end; -errno when there is none. */
static int host_read(const char *path, char *out, size_t size)
{
	FILE *file = fopen(path, "re");
	int err = 0;

	if (!file)
		return -errno;
	if (!fgets(out, (int)size, file))
		err = -ENODATA;
	else
		out[strcspn(out, "\n")] = '\0';
	fclose(file);
	return err;
}

/* "libibverbs.so.1.14.44.0" is of rdma-core 44.0. */
static int host_visit(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct check_facts *f = arg;
	char path[PATH_MAX], *version;
	unsigned major, minor;

	if (!strstr(info->dlpi_name, "/libibverbs.so") ||
	    !realpath(info->dlpi_name, path))
		return 0;
	version = strstr(path, ".so.");
	if (version &&
	    sscanf(version, ".so.%*u.%*u.%u.%u", &major, &minor) == 2)
		snprintf(f->rdma_core, sizeof(f->rdma_core), "%u.%u", major,
			 minor);
	return 1;
}

static bool host_may_lock(void)
{
	enum { CAP_IPC_LOCK_BIT = 14 };
	FILE *file = fopen("/proc/self/status", "re");
	uint64_t effective = 0;
	char line[256];

	if (!file)
		return geteuid() == 0;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "CapEff: %" SCNx64, &effective) == 1)
			break;
	fclose(file);
	return effective >> CAP_IPC_LOCK_BIT & 1;
}

static void host_huge_pages(struct check_facts *f)
{
	FILE *file = fopen("/proc/meminfo", "re");
	uint64_t value;
	char line[256];

	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "HugePages_Total: %" SCNu64, &value) == 1)
			f->huge_pages = value;
		else if (sscanf(line, "HugePages_Free: %" SCNu64, &value) == 1)
			f->huge_pages_free = value;
		else if (sscanf(line, "Hugepagesize: %" SCNu64, &value) == 1)
			f->huge_page_bytes = value << 10;
	}
	fclose(file);
}

/* What x86, and what others call the model. */
static void host_cpu(struct check_facts *f)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[256];
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	f->cpus = online > 0 ? (unsigned)online : 0;
	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "model name : %95[^\n]", f->cpu) == 1 ||
		    sscanf(line, "Model : %95[^\n]", f->cpu) == 1 ||
		    sscanf(line, "cpu : %95[^\n]", f->cpu) == 1)
			break;
	}
	if (file)
		fclose(file);
}

void check_gather_host(struct check_facts *f)
{
	struct rlimit limit;
	struct utsname name;

	if (!uname(&name))
		snprintf(f->kernel, sizeof(f->kernel), "%s", name.release);
	dl_iterate_phdr(host_visit, f);
	if (!getrlimit(RLIMIT_MEMLOCK, &limit))
		f->memlock = limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX
							     : limit.rlim_cur;
	f->memlock_free = host_may_lock();
	host_huge_pages(f);
	host_cpu(f);
}

static void host_counter(struct check_facts *f, const char *folder,
			 const char *name)
{
	struct check_counter *c = &f->counters[f->counter_count];
	char path[PATH_MAX], text[32];

	if (f->counter_count == CHECK_COUNTERS_MAX ||
	    strlen(name) >= sizeof(c->name) || !check_counter_is_error(name))
		return;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (host_read(path, text, sizeof(text)))
		return;
	c->value = strtoull(text, NULL, 10);
	if (!c->value)
		return;
	snprintf(c->name, sizeof(c->name), "%s", name);
	f->counter_count++;
}

static void host_counters(struct check_facts *f, const char *kind)
{
	char folder[256];
	struct dirent *entry;
	DIR *dir;

	snprintf(folder, sizeof(folder), "/sys/class/infiniband/%s/ports/%u/%s",
		 f->device.name, f->port, kind);
	dir = opendir(folder);
	if (!dir)
		return;
	f->counters_known = true;
	while ((entry = readdir(dir)))
		host_counter(f, folder, entry->d_name);
	closedir(dir);
}

static void host_interface(struct check_facts *f)
{
	char path[128], text[32];
	int chosen = check_gid_chosen(f);

	if (chosen < 0 || !f->gids[chosen].interface[0])
		return;
	snprintf(f->interface, sizeof(f->interface), "%s",
		 f->gids[chosen].interface);
	snprintf(path, sizeof(path), "/sys/class/net/%s/mtu", f->interface);
	if (!host_read(path, text, sizeof(text)))
		f->interface_mtu = (uint32_t)strtoul(text, NULL, 10);
	snprintf(path, sizeof(path), "/sys/class/net/%s/operstate",
		 f->interface);
	if (host_read(path, f->interface_state, sizeof(f->interface_state)))
		f->interface_state[0] = '\0';
}

static void host_driver(struct check_facts *f)
{
	char path[256], target[PATH_MAX];
	ssize_t len;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/device/driver",
		 f->device.name);
	len = readlink(path, target, sizeof(target) - 1);
	if (len > 0) {
		target[len] = '\0';
		snprintf(f->driver, sizeof(f->driver), "%.*s",
			 (int)sizeof(f->driver) - 1, basename(target));
	} else if (strcmp(f->device.kind, "soft") == 0) {
		snprintf(f->driver, sizeof(f->driver), "none, in this process");
	} else {
		/* Without hardware there is no driver's link. */
		snprintf(f->driver, sizeof(f->driver), "%s", f->device.kind);
	}
}

void check_gather_files(struct check_facts *f)
{
	host_driver(f);
	host_interface(f);
	host_counters(f, "counters");
	host_counters(f, "hw_counters");
}
