// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* verbatim COMMAND [OPTIONS] [OPERANDS]: find the command, parse, go. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/strbuf.h"
#include "suite/cli/command.h"
#include "suite/cli/options.h"
#include "suite/runner/nearest.h"
#include "suite/runner/registry.h"

static void main_help(FILE *out)
{
	fputs("verbatim verifies RDMA verbs devices: what one end posts must "
	      "arrive at the other\nend verbatim, and complete once, in order, "
	      "with the right status, on both.\n\n"
	      "Usage: verbatim COMMAND [OPTIONS] [OPERANDS]\n\n",
	      out);
	for (size_t i = 0; i < command_count; i++)
		fprintf(out, "  %-10s %s\n", commands[i].name,
			commands[i].summary);
	fputs("  help       this text, or that of a command\n\n"
	      "Begin with:  verbatim run          (without hardware: on soft0)\n"
	      "More:        verbatim COMMAND -h\n",
	      out);
}

static void main_command_help(const struct command *c)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "Usage: verbatim %s [OPTIONS]%s%s\n\n%s\n%s\n",
		    c->name, c->operands[0] ? " " : "", c->operands, c->summary,
		    c->text);
	options_help(c->bit, &text);
	fputs(strbuf_text(&text), stdout);
	strbuf_free(&text);
}

static const struct command *main_find(const char *name)
{
	for (size_t i = 0; i < command_count; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

static int main_unknown(const char *name)
{
	const char *words[32] = { "help" };
	struct strbuf near = STRBUF_INIT;
	size_t count = 1;

	for (size_t i = 0; i < command_count; i++)
		words[count++] = commands[i].name;
	if (nearest_list(name, words, count, 2, &near))
		log_error("command '%s': there is none; nearest: %s", name,
			  strbuf_text(&near));
	else
		log_error("command '%s': there is none; 'verbatim help' lists "
			  "them",
			  name);
	strbuf_free(&near);
	return EXIT_USAGE;
}

static int main_usage(struct strbuf *error)
{
	log_error("%s", strbuf_text(error));
	strbuf_free(error);
	return EXIT_USAGE;
}

static int main_operands(const struct command *c, const struct command_call *k)
{
	if (k->count >= c->operands_min && k->count <= c->operands_max)
		return 0;
	if (k->count > c->operands_max && c->operands_max == 0)
		log_error("'%s': 'verbatim %s' takes no operands",
			  k->operands[0], c->name);
	else
		log_error("verbatim %s: it takes %s, not %d operand%s", c->name,
			  c->operands, k->count, k->count == 1 ? "" : "s");
	return EXIT_USAGE;
}

/* argv[0] is the command's name; @argv gets permuted. */
static int main_parse(const struct command *c, struct command_call *call,
		      int argc, char **argv)
{
	struct strbuf error = STRBUF_INIT;
	int first;

	options_default(&call->options);
	if (options_from_environment(&call->options, c->bit, &error) ||
	    options_from_arguments(&call->options, c->bit, argc, argv, &first,
				   &error))
		return main_usage(&error);
	if (call->options.help) {
		main_command_help(c);
		return EXIT_FINE;
	}
	if (options_check(&call->options, &error))
		return main_usage(&error);
	call->count = argc - first;
	call->operands = argv + first;
	if (main_operands(c, call))
		return EXIT_USAGE;
	return c->run(call);
}

static int main_run(const struct command *c, int argc, char **argv)
{
	struct command_call call = { .argv = argv };
	char **copy = calloc((size_t)argc, sizeof(*copy));
	int status;

	if (!copy)
		abort();
	/* The order as given is kept for starting the program again. */
	memcpy(copy, argv + 1, ((size_t)argc - 1) * sizeof(*copy));
	status = main_parse(c, &call, argc - 1, copy);
	free(copy);
	return status;
}

static int main_help_command(int argc, char **argv)
{
	const struct command *c;

	if (argc < 3) {
		main_help(stdout);
		return EXIT_FINE;
	}
	c = main_find(argv[2]);
	if (!c)
		return main_unknown(argv[2]);
	main_command_help(c);
	return EXIT_FINE;
}

/* A file of ours that got the number of a closed stdout would be written to
 * with it: such numbers are taken, by what can only fail. */
static void main_hold_standard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
			_exit(EXIT_FAILED);
}

/* What was asked for has not got out: that is no success. */
static int main_flush(int status)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	/* Why an earlier write failed is forgotten: one more tells. */
	if (!errno)
		(void)!write(STDOUT_FILENO, "\n", 1);
	if (status != EXIT_FINE)
		return status;
	log_error("stdout: %s", strerror(errno ? errno : EIO));
	return EXIT_FAILED;
}

static int main_dispatch(int argc, char **argv)
{
	const struct command *c;
	char *fault;

	fault = registry_fault();
	if (fault) {
		log_error("%s", fault);
		return EXIT_FAILED;
	}
	if (argc < 2) {
		main_help(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
	    strcmp(argv[1], "-h") == 0)
		return main_help_command(argc, argv);
	if (strcmp(argv[1], "--version") == 0) {
		puts("verbatim " VB_VERSION);
		return EXIT_FINE;
	}
	c = main_find(argv[1]);
	return c ? main_run(c, argc, argv) : main_unknown(argv[1]);
}

int main(int argc, char **argv)
{
	main_hold_standard();
	log_setup("verbatim", LOG_WARN);
	return main_flush(main_dispatch(argc, argv));
}
