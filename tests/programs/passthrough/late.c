// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A program without libibverbs, as one whose plugin brings it later: what it
 * finds is ours, and behind us the library loaded by name. */
#include <dlfcn.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
	struct ibv_device **(*get_list)(int *);
	const char *(*get_name)(struct ibv_device *);
	struct ibv_device **list;
	int count = 0;

	*(void **)&get_list = dlsym(RTLD_DEFAULT, "ibv_get_device_list");
	*(void **)&get_name = dlsym(RTLD_DEFAULT, "ibv_get_device_name");
	if (!get_list || !get_name)
		return 2;
	list = get_list(&count);
	if (!list || count != 2 || strcmp(get_name(list[0]), "fake0") ||
	    strcmp(get_name(list[1]), "soft0")) {
		printf("late: %d devices, expected fake0, soft0\n", count);
		return 1;
	}
	return 0;
}
