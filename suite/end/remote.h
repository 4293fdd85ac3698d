/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An end elsewhere: the commands of commands.def over a channel.
 *
 *	case   ends -> end_remote_ops --- channel --- end_serve -> local_*()
 *
 * A command goes out as the CBOR array [name, arguments] and comes back as
 * [0 or a negative errno, answer]; commands are answered in their order.
 */
#ifndef SUITE_END_REMOTE_H
#define SUITE_END_REMOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "suite/control/channel.h"
#include "suite/control/schema.h"
#include "suite/end/commands.h"

struct end_command {
	const char *name;
	const struct schema *argument, *answer;
	/* In this process. */
	int (*run)(struct end_host *host, const void *in, void *out);
};

extern const struct end_command end_commands[];
extern const size_t end_command_count;

/* NULL: there is none of that name. */
const struct end_command *end_command_find(const char *name, size_t len);
/* Two programs with the same digest understand each other's commands. */
uint64_t end_commands_digest(void);
/* The one that is not answered at once: traffic_note.h. */
const struct end_command *end_command_run_traffic(void);
extern const struct schema *const end_live_schema;

/* --- The side that has the device ----------------------------------------- */

struct end_serving {
	const char *device; /* what `open` opens, whatever is asked */
	uint8_t port;
	const char *gid_index;
};

/*
 * Run the commands that come through @c on @host until the other side has
 * closed it: 0.  Negative: it sent what is no command, or the channel failed;
 * @error says what.
 */
int end_serve(struct end_host *host, struct channel *c,
	      const struct end_serving *serving, struct strbuf *error) MUST_USE;
/* Take the command in @bytes apart, as end_serve() does; *@in is to be freed,
 * also when it fails. */
int end_command_decode(const void *bytes, size_t len,
		       const struct end_command **command, void **in,
		       struct schema_room *room, struct strbuf *error) MUST_USE;

/* The end @end of @program, to its end; what is said meanwhile goes through
 * @c.  0 and *@out, also when the program failed; negative and @error: the
 * channel did, or brought what is no note. */
int end_serve_traffic(struct channel *c, uint32_t end,
		      const struct traffic_program *program,
		      struct traffic_result *out,
		      struct strbuf *error) MUST_USE;

/* --- The side that has the case ------------------------------------------- */

extern const struct end_ops end_remote_ops;

struct end_remote_calls {
	/* Asked in every wait: false: give up.  It may not return. */
	bool (*go_on)(void *arg);
	/* The channel does not work any more.  Does not return. */
	void (*broken)(void *arg, const char *why);
	/* A trusted command has failed: its answer, or @err.  Does not
	 * return. */
	void (*late)(void *arg, void *user, const char *command, int err,
		     const void *answer);
	void *arg;
};

/* Takes @c over. */
struct end_host *end_remote_make(struct channel *c,
				 const struct end_remote_calls *calls) MUST_USE;
void end_remote_free(struct end_host *host);

/*
 * Polling without waiting for an answer.  Begin: the peer looks at these CQs
 * from now on, until something comes.  Poll: has it answered?  1 and *@out,
 * 0: not yet.  Any other command ends the watch: its answer, older than that
 * of the command, is kept for the next poll.
 */
void end_remote_watch_begin(struct end_host *host, const struct end_watch *in);
bool end_remote_watching(struct end_host *host);
int end_remote_watch_poll(struct end_host *host,
			  struct end_watched *out) MUST_USE;

/*
 * The next post or verification of this thread must succeed, so it is not
 * waited for: if it does not, late() is told with @user.  What is done at the
 * other end of the case (whose operations are end_near_ops) is done after it.
 */
void end_remote_trust(void *user);
extern const struct end_ops end_near_ops;

#endif
