# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What the tests of the runner share: starting verbatim-meta in a folder that
is thrown away, looking at what it leaves behind, and counting faults."""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

BUILD = os.path.abspath(sys.argv[1])
META = os.path.join(BUILD, "verbatim-meta")
SEED = int(os.environ.get("SEED", "0")) or random.randrange(1, 10**9)
SANITIZED = re.search("libasan|rt.asan", subprocess.run(
    ["ldd", META], capture_output=True, text=True, check=False).stdout)
faults = []


def check(what, got, expected):
    if got != expected:
        faults.append(f"{what}: {got!r}, expected {expected!r}")


def check_match(what, got, pattern):
    if not re.fullmatch(pattern, got or "", re.S):
        faults.append(f"{what}: {got!r} does not match {pattern!r}")


def run(*args, status=None, env=None):
    """Run the meta program in a folder of its own."""
    p = subprocess.run([META, *args], capture_output=True, text=True,
                       errors="replace", timeout=60,
                       env=dict(os.environ, **(env or {})))
    if status is not None:
        check(f"exit status of {args} ({p.stderr.strip()})", p.returncode,
              status)
    return p


def read_events(folder):
    with open(os.path.join(folder, "events.jsonl"), encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def ends(folder):
    return {e["id"]: e for e in read_events(folder)
            if e["event"] == "case_end"}


def wait_for(what, condition, seconds=20):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            faults.append(f"{what}: not within {seconds} s")
            return False
        time.sleep(0.005)
    return True


def main(*tests):
    """Run each in turn; the exit status."""
    folder = tempfile.mkdtemp(prefix="verbatim-meta-")
    os.chdir(folder)
    for name, value in list(os.environ.items()):
        if name.startswith("VERBATIM_"):
            del os.environ[name]
    for function in tests:
        before = len(faults)
        try:
            function()
        except Exception as e:  # one test's accident is not the others'
            faults.append(f"{type(e).__name__}: {e}")
        state = "ok" if len(faults) == before else "FAILED"
        print(f"{state:7} {function.__name__[5:]}")
        for fault in faults[before:]:
            print(f"        {fault}")
    print(f"seed {SEED}")
    if faults:
        print(f"files in {folder}")
        return 1
    os.chdir("/")
    shutil.rmtree(folder)
    return 0
