#!/usr/bin/env python3
"""`kith sync` with nothing to do against `git fetch` of the same ref, and of one change against
`git add, commit, fetch, merge, push`; over a path and over http."""

import sys

sys.dont_write_bytecode = True
import lib


def team(bench, size, url):
    """A team store and a plain clone, each with a remote of its own, both in step with it."""
    memory = bench.root / "memory"
    bench.run(bench.kith, "--dir", str(memory), "init", "--team-url", url("kith.git"), "--public")
    names = lib.make_notes(memory / "team", size)
    bench.run(bench.kith, "--dir", str(memory), "sync")
    notes = bench.root / "notes"
    lib.make_notes(notes, size)
    plain = bench.plain_repository(notes, "plain")
    git = [bench.git, "-C", str(plain)]
    bench.run(*git, "remote", "add", "origin", url("plain.git"))
    bench.run(*git, "push", "-q", "origin", "main")
    bench.run(*git, "fetch", "-q", "origin")
    return memory, plain, names


def measure(size, over):
    with lib.Bench() as bench:
        for name in ("kith.git", "plain.git"):
            bench.bare(name)
        base = str(bench.root / "served") if over == "path" else bench.http()
        memory, plain, names = team(bench, size, lambda name: f"{base}/{name}")
        git = [bench.git, "-C", str(plain)]
        sync = [[bench.kith, "--dir", str(memory), "sync"]]
        idle = bench.compare((lib.nothing, sync), (lib.nothing, [git + ["fetch", "-q", "origin", "main"]]))
        bar = "≤ 0.6×" if over == "path" else "≤ 1.1×"
        print(idle.row(f"sync, nothing to do, {over}, {size:,} notes (against `git fetch`)", bar), flush=True)
        chain = [
            git + ["add", "-A"],
            git + ["commit", "-q", "-m", "x"],
            git + ["fetch", "-q", "origin"],
            git + ["merge", "-q", "origin/main"],
            git + ["push", "-q", "origin", "main"],
        ]
        change = bench.compare(
            (lib.touch_one(memory / "team", names), sync), (lib.touch_one(plain, names), chain)
        )
        print(change.row(f"sync, one change, {over}, {size:,} notes", "≤ 0.8×"), flush=True)


def main():
    print(lib.header("git"))
    for over in ("path", "http"):
        for size in lib.SIZES:
            measure(size, over)


if __name__ == "__main__":
    main()
