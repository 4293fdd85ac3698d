// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Feeds every file of a corpus folder to a fuzz target, for builds without
 * libFuzzer: what a search has once found stays a test.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *folder, const char *name)
{
	static uint8_t bytes[1 << 20];
	char path[4096];
	size_t len;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "rb");
	if (!f) {
		perror(path);
		return -1;
	}
	len = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	LLVMFuzzerTestOneInput(bytes, len);
	return 0;
}

int main(int argc, char **argv)
{
	struct dirent *entry;
	unsigned files = 0;
	DIR *dir;

	if (argc != 2) {
		fprintf(stderr, "usage: %s CORPUS-FOLDER\n", argv[0]);
		return 2;
	}
	dir = opendir(argv[1]);
	if (!dir) {
		perror(argv[1]);
		return 1;
	}
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		if (replay_file(argv[1], entry->d_name))
			return 1;
		files++;
	}
	closedir(dir);
	printf("%u inputs\n", files);
	/* An empty corpus proves nothing. */
	return files ? 0 : 1;
}
