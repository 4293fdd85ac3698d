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
		.operands = "[CASE|RULE|STATUS|FINDING]",
		.summary =
			"what a case asserts, a rule says, a status or finding means",
		.text = "  verbatim explain rnr/late-receive\n"
			"  verbatim explain RNR-03\n"
			"  verbatim explain RNR_RETRY_EXC_ERR   or its number, "
			"13\n"
			"  verbatim explain out-of-order\n"
			"  verbatim explain --scene "
			"RUN/scene/rnr/late-receive.jsonl\n",
		.run = command_explain,
		.operands_min = 0,
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
			"machine\n"
			"  verbatim run --peer ssh:HOST      end b is on "
			"another host\n\n"
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
		.name = "serve",
		.bit = VB_CMD_SERVE,
		.operands = "",
		.summary = "be the peer of runs over two hosts",
		.text = "One run at a time, any number of them one after "
			"another.  It writes to stderr\nwho comes and who was "
			"refused, and ends by SIGTERM or SIGINT.\n\n"
			"  verbatim serve                      for this host "
			"alone\n"
			"  verbatim serve --listen 0.0.0.0:7471 --key-file "
			"key   for others\n"
			"  verbatim run --peer HOST:7471 --key-file key\n"
			"  verbatim run --peer ssh:HOST        no server is "
			"needed there\n",
		.run = command_serve,
	},
	{
		.name = "bench",
		.bit = VB_CMD_BENCH,
		.operands = "[payload]",
		.summary = "how fast is it: throughput, rate, latency, CPU",
		.text = "For each size: throughput with every byte verified, "
			"the round trip of one message\nat a time, and at "
			"fixed rates from the time at which each should have "
			"been sent.\n\n"
			"  verbatim bench -d soft0\n"
			"  verbatim bench --size 64,64K --save before   to "
			"compare with later\n"
			"  verbatim bench --cq-mode event --rates 0     no "
			"fixed rates\n"
			"  verbatim bench --peer HOST:7471 --key-file key  "
			"between two hosts\n"
			"  verbatim bench payload       what making and "
			"checking the bytes costs\n\n"
			"Exit status: 0 measured; 1 an end failed, or found "
			"something wrong; 2 wrong\nusage; 3 no device or "
			"permission.\n",
		.run = command_bench,
		.operands_max = 1,
	},
	{
		.name = "compare",
		.bit = VB_CMD_COMPARE,
		.operands = "A B | --trend N NAME",
		.summary = "is one bench better or worse than another",
		.text = "A and B are files or names kept by 'verbatim bench "
			"--save'.  Figure by figure, by\nthe ranks of the "
			"repeats; tails (p99 and beyond) have a threshold of "
			"their own.\n\n"
			"  verbatim compare before after\n"
			"  verbatim compare before after --threshold 5 "
			"--json\n"
			"  verbatim compare --trend 10 nightly   the last ten "
			"runs\n\n"
			"Exit status: 0 same, better or unclear; 1 worse; 2 "
			"wrong usage, other settings or\nno such file's form; "
			"3 no such file.\n",
		.run = command_compare,
		.operands_min = 1,
		.operands_max = 2,
	},
	{
		.name = "soak",
		.bit = VB_CMD_SOAK,
		.operands = "",
		.summary = "long traffic, every byte verified, drift watched",
		.text = "Each second both ends are looked at; what only grows "
			"or falls, and standstill,\nare failures.  Ctrl-C ends "
			"it with a full result.\n\n"
			"  verbatim soak --duration 1h --qps 64 --inflight 32 "
			"--size random\n"
			"  verbatim soak --op mix --reconnect-every 10s "
			"--rereg-every 1m\n"
			"  verbatim soak --duration 12h --metrics 9464   "
			"watched by Prometheus\n"
			"  verbatim soak --duration 1h --peer ssh:HOST   end b "
			"is on another host\n\n"
			"Exit status: 0 no finding and no drift; 1 some; 2 "
			"wrong usage; 3 no device,\npeer or permission.\n",
		.run = command_soak,
	},
	{
		.name = "sweep",
		.bit = VB_CMD_SWEEP,
		.operands = "",
		.summary = "curves over RQ depth, messages in flight, size",
		.text = "Every combination of the lists is run for a moment; "
			"the knee is told in words.\n\n"
			"  verbatim sweep                        RQ depth x in "
			"flight\n"
			"  verbatim sweep --size 64,4K --qps-list 1,16 "
			"--batches 1,16\n\n"
			"It leaves sweep.csv and sweep.json in the run's "
			"folder.\n",
		.run = command_sweep,
	},
	{
		.name = "mesh",
		.bit = VB_CMD_MESH,
		.operands = "",
		.summary = "every pair of many hosts, under mpirun or srun",
		.text = "Each two ranks run verified traffic, then one message "
			"at a time; a matrix tells the\nverdict, throughput "
			"and round trip of each.  A rank that fails, hangs or "
			"dies is\nnamed, and the others go on.\n\n"
			"  mpirun -np 4 --host h1,h2,h3,h4 verbatim mesh -d "
			"mlx5_0\n"
			"  srun -N 16 verbatim mesh --size 64K --svg mesh.svg\n"
			"  mpirun -np 4 verbatim mesh -d soft0 --json\n\n"
			"Exit status: 0 every pair passed; 1 a pair failed or "
			"was broken; 2 wrong usage; 3\nno device, permission, "
			"MPI or answer of a rank.\n",
		.run = command_mesh,
	},
	{
		.name = "mutants",
		.bit = VB_CMD_MUTANTS,
		.operands = "[SELECTOR...]",
		.summary = "which seeded defects do the cases find",
		.text = "Each mutant of the software device is hunted by the "
			"cases that its row names, then\nby those of its rule, "
			"then by the rest.  SELECTOR: its id or name, a rule, a "
			"group\nof rules (RNR), or a pattern.\n\n"
			"  verbatim mutants --list           what there is\n"
			"  verbatim mutants --fast M07 'R*'  the named cases "
			"alone\n"
			"  verbatim mutants --control 100    with the rate of "
			"false alarms\n"
			"  verbatim mutants --checks RNR     which checks "
			"does none of them trip\n"
			"  verbatim mutants --resume DIR     what an earlier "
			"run has left undone\n\n"
			"Exit status: 0 all killed for the stated reason, and "
			"no false alarm; 1 not so; 2\nwrong usage; 3 no "
			"software device or no room.\n",
		.run = command_mutants,
		.operands_max = MANY,
	},
	{
		.name = "report",
		.bit = VB_CMD_REPORT,
		.operands = "RUN...",
		.summary = "one HTML file of runs, soaks, sweeps and benches",
		.text = "A RUN is the folder that run, soak or sweep left, or a bench: "
			"its file or the name\nwith which it was kept.  Several of a "
			"kind are compared.  The file needs no network\nand nothing "
			"beside it.\n\n"
			"  verbatim report verbatim-runs/latest\n"
			"  verbatim report monday/ tuesday/ -o week.html\n"
			"  verbatim report before after     two benches\n\n"
			"Exit status: 0 written; 2 wrong usage, or a RUN "
			"that is malformed; 3 no such RUN,\nor the file "
			"cannot be written.\n",
		.run = command_report,
		.operands_min = 1,
		.operands_max = 64,
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
	{
		.name = "completion",
		.bit = VB_CMD_COMPLETION,
		.operands = "bash|zsh",
		.summary = "what a shell needs to complete command lines",
		.text = "Installed, shells find it by themselves; else:\n\n"
			"  eval \"$(verbatim completion bash)\"\n",
		.run = command_completion,
		.operands_min = 1,
		.operands_max = 1,
	},
};

const size_t command_count = ARRAY_SIZE(commands);
