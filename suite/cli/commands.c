// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of commands, and what each -h says. */
#include "suite/cli/command.h"

#include "suite/cli/options.h"

enum { MANY = 1 << 20 };

const struct command commands[] = {
	{
		.name = "devices",
		.bit = VB_CMD_DEVICES,
		.operands = "",
		.summary = "the devices that there are, one line each",
		.text = "The software device soft0 is always there; it is "
			"started when it is chosen.\n\n"
			"  verbatim devices            one line each\n"
			"  verbatim devices -v         with all limits\n"
			"  verbatim devices --json     for programs\n"
			"  verbatim devices -d rxe0    only that one\n",
		.run = command_devices,
	},
	{
		.name = "check",
		.bit = VB_CMD_CHECK,
		.operands = "",
		.summary = "preflight: is this device fit to be run on",
		.text = "Link, rate, MTU, GID and P_Key tables, limits of the "
			"host, error counters: each\nis ok, warn or bad, with "
			"why it matters and what to do.\n\n"
			"  verbatim check              the first real device, "
			"or soft0\n"
			"  verbatim check -d rxe0 -v   with the reason of each\n"
			"  verbatim check --json       for programs\n\n"
			"Exit status: 0 nothing is bad; 1 something is; 2 "
			"wrong usage; 3 no device or\npermission.\n",
		.run = command_check,
	},
	{
		.name = "list",
		.bit = VB_CMD_LIST,
		.operands = "[SELECTOR...]",
		.summary = "the cases, or with --rules which rule is checked",
		.text = "A SELECTOR is the id of a case, a topic, a pattern, a "
			"dimension (normal, fault,\nsoak) or all.\n\n"
			"  verbatim list               every case, one line\n"
			"  verbatim list -v rnr        a topic, with rules\n"
			"  verbatim list --rules       coverage of the rules\n",
		.run = command_list,
		.operands_max = MANY,
	},
	{
		.name = "explain",
		.bit = VB_CMD_EXPLAIN,
		.operands = "CASE|RULE|STATUS|FINDING",
		.summary =
			"what a case asserts, a rule says, a status or finding means",
		.text = "  verbatim explain rnr/late-receive\n"
			"  verbatim explain RNR-03\n"
			"  verbatim explain RNR_RETRY_EXC_ERR   or its number, "
			"13\n"
			"  verbatim explain out-of-order\n",
		.run = command_explain,
		.operands_min = 1,
		.operands_max = 1,
	},
	{
		.name = "run",
		.bit = VB_CMD_RUN,
		.operands = "[SELECTOR...]",
		.summary = "run cases and tell the verdict of each",
		.text = "Without a SELECTOR all cases run but the soak; "
			"SELECTOR as in 'verbatim list -h'.\n\n"
			"  verbatim run                      on the default "
			"device\n"
			"  verbatim run -d soft0 rnr         a topic, on the "
			"software device\n"
			"  verbatim run 'message/*' --size 0-64K --inflight "
			"64\n"
			"  verbatim run --seed 7 --format tap > results.tap\n"
			"  verbatim run -d rxe0 --patience 20   on a slow "
			"machine\n\n"
			"Exit status: 0 every case passed, was skipped or "
			"deviates as listed; 1 a case\nfailed or was broken; 2 "
			"wrong usage; 3 no device or permission.\n",
		.run = command_run,
		.operands_max = MANY,
	},
	{
		.name = "replay",
		.bit = VB_CMD_REPLAY,
		.operands = "RUN CASE",
		.summary = "one case of an earlier run again, same seed",
		.text = "RUN is the folder of a run.  Device, seed and options "
			"are those of that run;\noptions given here go "
			"before.\n\n"
			"  verbatim replay verbatim-runs/latest "
			"rnr/late-receive\n",
		.run = command_replay,
		.operands_min = 2,
		.operands_max = 2,
	},
	{
		.name = "exec",
		.bit = VB_CMD_EXEC,
		.operands = "[--] PROGRAM [ARGUMENT...]",
		.summary = "run any verbs program on the software device",
		.text = "The program's exit status and signals are its own.  "
			"127: it was not found.\n\n"
			"  verbatim exec -- ibv_devinfo\n"
			"  verbatim exec -- ib_send_bw -d soft0 -x 0\n",
		.run = command_exec,
		.operands_min = 1,
		.operands_max = MANY,
	},
};

const size_t command_count = ARRAY_SIZE(commands);
