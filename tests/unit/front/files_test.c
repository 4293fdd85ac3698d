// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The files of the device, for programs that look at them by themselves. */
#include "front_fixture.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/front/facts.h"

#define DEVICE "/dev/infiniband/" SOFT_UVERBS
#define TYPES  SOFT_SYSFS "/ports/1/gid_attrs/types/0"

static void the_character_device_can_be_reached(void **state)
{
	struct stat st;
	struct stat64 st64;

	assert_int_equal(access(DEVICE, F_OK), 0);
	assert_int_equal(access(DEVICE, R_OK | W_OK), 0);
	errno = 0;
	assert_int_equal(access(DEVICE, X_OK), -1);
	assert_int_equal(errno, EACCES);
	assert_int_equal(stat(DEVICE, &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_int_equal(stat64(DEVICE, &st64), 0);
	assert_true(S_ISCHR(st64.st_mode));
}

static void a_text_of_sysfs_can_be_read(void **state)
{
	char text[32];
	int fd = open(TYPES, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(read(fd, text, sizeof(text)), 8);
	assert_memory_equal(text, "RoCE v2\n", 8);
	assert_int_equal(read(fd, text, sizeof(text)), 0);
	close(fd);
	fd = open64(TYPES, O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD), 0);
	close(fd);
	errno = 0;
	assert_int_equal(open(TYPES, O_RDWR), -1);
	assert_int_equal(errno, EACCES);
	errno = 0;
	assert_int_equal(open(SOFT_SYSFS "/no_such", O_RDONLY), -1);
	assert_int_equal(errno, ENOENT);
}

static void all_other_files_are_the_systems(void **state)
{
	char name[] = "/tmp/files_test.XXXXXX";
	char text[8] = "";
	struct stat st;
	int fd = mkstemp(name);

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(unlink(name), 0);
	fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0640);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "bytes", 5), 5);
	close(fd);
	assert_int_equal(stat(name, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(st.st_mode & 0700, 0600);
	assert_int_equal(st.st_size, 5);
	assert_int_equal(access(name, R_OK), 0);
	fd = open64(name, O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(read(fd, text, sizeof(text)), 5);
	close(fd);
	assert_int_equal(unlink(name), 0);
	errno = 0;
	assert_int_equal(access(name, F_OK), -1);
	assert_int_equal(errno, ENOENT);
	errno = 0;
	assert_int_equal(stat(name, &st), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(open("/dev/infiniband/no_such", O_RDWR), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_character_device_can_be_reached),
		cmocka_unit_test(a_text_of_sysfs_can_be_read),
		cmocka_unit_test(all_other_files_are_the_systems),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
