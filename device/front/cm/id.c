// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Connection ids: made, found, freed. */
#include <errno.h>
#include <stdlib.h>

#include "base/idtable.h"
#include "device/front/cm/manager.h"
#include "device/link/cm_link.h"

/* Small generations: programs print these numbers. */
enum { ID_MAX = 65536, ID_BITS = 31, ID_TIMEOUT = 14 };

static struct idtable_slot id_slots[ID_MAX];
static struct idtable id_table;
/* Those that there are, of all files: few, where the table is long. */
static LIST_HEAD(, cm_id) id_all = LIST_HEAD_INITIALIZER(id_all);

static struct idtable *ids(void)
{
	if (!id_table.slots)
		idtable_init(&id_table, id_slots, ID_MAX, ID_BITS);
	return &id_table;
}

int cm_id_new(struct cm_file *file, struct cm_id **out)
{
	struct cm_id *id = calloc(1, sizeof(*id));

	if (!id)
		return -ENOMEM;
	if (idtable_add(ids(), id, &id->number)) {
		free(id);
		return -ENOMEM;
	}
	id->file = file;
	id->fd = -1;
	id->path.timeout = ID_TIMEOUT;
	LIST_INSERT_HEAD(&file->ids, id, link);
	LIST_INSERT_HEAD(&id_all, id, all_link);
	*out = id;
	return 0;
}

int cm_id_find(struct cm_file *file, uint32_t number, struct cm_id **out)
{
	struct cm_id *id = cm_id_numbered(number);

	/* Of what the program has not been told, it knows nothing. */
	if (!id || id->listener)
		return -ENOENT;
	if (id->file != file)
		return -EINVAL;
	*out = id;
	return 0;
}

struct cm_id *cm_id_numbered(uint32_t number)
{
	return idtable_find(ids(), number);
}

void cm_id_hang_up(struct cm_id *id)
{
	cm_link_close(id->fd);
	id->fd = -1;
}

static void id_free_children(struct cm_id *listener)
{
	struct cm_id *child, *next;

	for (child = LIST_FIRST(&listener->file->ids); child; child = next) {
		next = LIST_NEXT(child, link);
		if (child->listener == listener)
			cm_id_free(child);
	}
}

void cm_id_free(struct cm_id *id)
{
	cm_event_purge(id);
	if (id->state == CM_STATE_LISTENING)
		id_free_children(id);
	cm_id_hang_up(id);
	LIST_REMOVE(id, link);
	LIST_REMOVE(id, all_link);
	idtable_remove(ids(), id->number);
	free(id->unheard);
	free(id);
}

void cm_id_move(struct cm_id *id, struct cm_file *file)
{
	struct cm_file *from = id->file;
	struct cm_id *child, *next;

	for (child = LIST_FIRST(&from->ids); child; child = next) {
		next = LIST_NEXT(child, link);
		if (child != id && child->listener != id)
			continue;
		LIST_REMOVE(child, link);
		child->file = file;
		LIST_INSERT_HEAD(&file->ids, child, link);
	}
}

void cm_id_forget_all(void)
{
	struct cm_id *id;

	LIST_FOREACH (id, &id_all, all_link) {
		cm_id_hang_up(id);
		id->state = CM_STATE_OVER;
		id->has_device = false;
		id->nascent = false;
		id->deadline_ns = 0;
		id->parting_until_ns = 0;
		free(id->unheard);
		id->unheard = NULL;
	}
}

uint64_t cm_id_deadlines(uint64_t now_ns, void (*due)(struct cm_id *id))
{
	uint64_t first_ns = 0;
	struct cm_id *id;

	LIST_FOREACH (id, &id_all, all_link) {
		if (id->deadline_ns && id->deadline_ns <= now_ns) {
			id->deadline_ns = 0;
			due(id);
		}
		if (id->deadline_ns &&
		    (!first_ns || id->deadline_ns < first_ns))
			first_ns = id->deadline_ns;
	}
	return first_ns;
}
