#!/usr/bin/env python3
"""`kith commit` of one changed, unnamed note against `git add -A` and `git commit` on a copy."""

import sys

sys.dont_write_bytecode = True
import lib

BARS = {200: "≤ 0.35×", 2000: "≤ 0.35×, 64 MiB", 20000: "≤ 0.6×"}


def main():
    print(lib.header("`git add -A && git commit`"))
    for size in lib.SIZES:
        with lib.Bench() as bench:
            notes = bench.root / "notes"
            names = lib.make_notes(notes, size)
            plain = bench.plain_repository(notes, "plain")
            bench.run(bench.kith, "--dir", str(notes), "init")
            bench.run(bench.kith, "--dir", str(notes), "commit")
            git = [bench.git, "-C", str(plain)]
            result = bench.compare(
                (lib.touch_one(notes, names), [[bench.kith, "--dir", str(notes), "commit"]]),
                (lib.touch_one(plain, names), [git + ["add", "-A"], git + ["commit", "-q", "-m", "x"]]),
            )
            print(result.row(f"commit, {size:,} notes", BARS.get(size, "")), flush=True)


if __name__ == "__main__":
    main()
