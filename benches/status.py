#!/usr/bin/env python3
"""`kith status`, held files included, against `git status --porcelain` on a copy."""

import sys

sys.dont_write_bytecode = True
import lib

HELD = 5
BARS = {200: "≤ 1.0×"}


def main():
    print(lib.header("`git status --porcelain`"))
    for size in lib.SIZES:
        with lib.Bench() as bench:
            notes = bench.root / "notes"
            lib.make_notes(notes, size - HELD)
            plain = bench.plain_repository(notes, "plain")
            bench.run(bench.kith, "--dir", str(notes), "init")
            bench.run(bench.kith, "--dir", str(notes), "commit")
            for i in range(HELD):
                # The shape of a forge's token, put together here and valid nowhere.
                token = "gh" + "p_" + "Zq7Lw2Xc9Vb4Nm6Kj1Hg8Fd3Sa5Po0" + "4BbLsV"
                for directory in (notes, plain):
                    (directory / f"held-{i}.md").write_text(f"# Access\n\nUse {token} there.\n")
            status = bench.run(bench.kith, "--dir", str(notes), "status", "--json")
            if status.count('"reason"') < HELD:
                sys.exit(f"the {HELD} notes with a secret are not held: {status}")
            result = bench.compare(
                (lib.nothing, [[bench.kith, "--dir", str(notes), "status"]]),
                (lib.nothing, [[bench.git, "-C", str(plain), "status", "--porcelain"]]),
            )
            print(result.row(f"status, {size:,} notes, {HELD} held", BARS.get(size, "")), flush=True)


if __name__ == "__main__":
    main()
