# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""For tests/peer/*.test: a server, runs against it, and what must hold after
each: no process left, and a server that serves.

Conditions are waited for, with a deadline that is generous: nothing here is
about speed but where it says so."""

import atexit
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BUILD = os.path.abspath(sys.argv[1])
VERBATIM = os.path.join(BUILD, "verbatim")
WORK = tempfile.mkdtemp(prefix="verbatim-peer-")
LIMIT = 240  # seconds, of one run
started = []
bad = 0

# A few cases of each kind: what a whole run would take is said by --all.
SOME = ["first", "message/boundary-sizes", "message/large", "ud/ping", "rnr/late-receive",
        "write/places", "read/places", "shared/event-mode", "disconnect/peer-reset"]


def check(what, holds, seen=""):
    global bad
    if not holds:
        bad = 1
        print("failed: %s\n%s" % (what, seen), flush=True)
    return holds


def cleanup():
    for p in started:
        if p.poll() is None:
            p.kill()
            p.wait()
    shutil.rmtree(WORK, ignore_errors=True)


atexit.register(cleanup)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))


def pause(seconds):
    select.select([], [], [], seconds)


def wait_for(condition, seconds=30):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        pause(0.02)
    return True


def key(name="key", text="a key that is long enough, of the test"):
    path = os.path.join(WORK, name)
    with open(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w") as f:
        f.write(text + "\n")
    return path


class Server:
    """verbatim serve, on a port of its own choice."""

    def __init__(self, *args, listen="127.0.0.1:0", before=(), env=None):
        self.log = os.path.join(WORK, "server-%d.log" % len(started))
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [*before, VERBATIM, "serve", "-d", "soft0", "--listen", listen, *args],
                stdout=subprocess.PIPE, stderr=log, text=True, env=dict(os.environ, **(env or {})))
        started.append(self.process)
        line = self.process.stdout.readline()
        if " on " not in line:
            print("failed: the server says '%s'\n%s" % (line, self.text()))
            sys.exit(1)
        self.address = line.split(" on ")[1].split(",")[0].strip()
        self.port = int(self.address.rsplit(":", 1)[1])

    def text(self):
        with open(self.log) as log:
            return log.read()

    def children(self):
        path = "/proc/%d/task/%d/children" % (self.process.pid, self.process.pid)
        with open(path) as f:
            return [int(pid) for pid in f.read().split()]

    def refused(self, what, *words):
        """One line of the log has come that says so."""
        have = getattr(self, "seen", 0)
        wait_for(lambda: len(self.text()) > have and self.text().endswith("\n"))
        wait_for(lambda: not self.children())
        new = self.text()[have:]
        self.seen = len(self.text())
        check("%s: one line of the log says so" % what,
              len(new.splitlines()) == 1 and all(w in new for w in words), new)
        return new

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            check("the server ends when it is told to", False, self.text())
            self.process.kill()
        check("the server's exit status", self.process.returncode == 0, self.text())


class Run:
    """verbatim run, or another command, begun and waited for."""

    def __init__(self, *args, before=(), env=None, out=None, command="run"):
        self.out = out or os.path.join(WORK, "run-%d" % len(started))
        self.began = time.monotonic()
        to = [] if command == "bench" else ["--out", self.out]
        self.process = subprocess.Popen(
            [*before, VERBATIM, command, "-d", "soft0", *to, "--patience", "4", *args],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=dict(os.environ, **(env or {})))
        started.append(self.process)

    def wait(self, limit=LIMIT):
        try:
            self.text, _ = self.process.communicate(timeout=limit)
            self.hung = False
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.text, _ = self.process.communicate()
            self.hung = True
        self.seconds = time.monotonic() - self.began
        self.status = self.process.returncode
        return self

    def events(self, kind):
        with open(os.path.join(self.out, "events.jsonl")) as f:
            return [e for e in map(json.loads, f) if e["event"] == kind]

    def passed(self, what):
        self.wait()
        return check(what, self.status == 0 and not self.hung, self.text)


def tree(pid):
    """Who descends from @pid, itself included."""
    found, new = [], [pid]
    while new:
        pid = new.pop()
        found.append(pid)
        try:
            for task in os.listdir("/proc/%d/task" % pid):
                with open("/proc/%d/task/%s/children" % (pid, task)) as f:
                    new += [int(p) for p in f.read().split()]
        except OSError:
            pass
    return found


def alive(pids):
    left = []
    for pid in pids:
        try:
            with open("/proc/%d/stat" % pid) as f:
                if f.read().rsplit(")", 1)[1].split()[0] != "Z":
                    left.append(pid)
        except OSError:
            pass
    return left


def skip(why):
    print("skipped: " + why)
    sys.exit(77)


def done():
    sys.exit(1 if bad else 0)
