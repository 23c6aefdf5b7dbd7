"""What the benches share: note sets, a cleared home, interleaved timing, medians and rows.

Two candidates are timed turn by turn in one run, so that the machine's mood hits both alike.
Children are started by posix_spawn, waited for by wait4: no shell lies between.
"""

import os
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS = int(os.environ.get("BENCH_RUNS", "30"))
WARMUP = 3
SIZES = [int(n) for n in os.environ.get("BENCH_SIZES", "200 2000 20000").split()]
NOTE_BYTES = 2000
INDEX_LINES = 150
WORDS = """build deploy branch review test note team index merge remote commit push pull cache
server client token header release fix rule line file path user setting default error retry
deadline queue worker lock table column query report metric alert page form button label
migration schema backup restore flag rollout canary region quota limit budget owner""".split()


def kith_binary():
    """The release binary, built when KITH does not name another."""
    if "KITH" in os.environ:
        return os.path.abspath(os.environ["KITH"])
    root = Path(__file__).resolve().parent.parent
    subprocess.run(["cargo", "build", "--release", "-q"], cwd=root, check=True)
    return str(root / "target/release/kith")


def note(rng, name):
    """A topic of about NOTE_BYTES with a header, sections and links."""
    out = [f"---\nname: {name}\ndescription: {sentence(rng)}\nmetadata:\n"
           f"  node_type: memory\n  type: {rng.choice(['project', 'feedback', 'reference'])}\n---\n"]
    size = len(out[0])
    while size < NOTE_BYTES:
        block = f"\n## {' '.join(rng.sample(WORDS, 3))}\n\n"
        block += " ".join(sentence(rng) for _ in range(4)) + "\n"
        block += "".join(f"- {sentence(rng)}\n" for _ in range(3))
        out.append(block)
        size += len(block)
    return "".join(out)


def sentence(rng):
    words = rng.choices(WORDS, k=rng.randint(6, 14))
    return " ".join(words).capitalize() + "."


def make_notes(directory, count, seed=1):
    """`count` files: an index and notes in a few folders."""
    rng = random.Random(seed)
    directory = Path(directory)
    names = []
    for i in range(count - 1):
        folder = f"area{i % 20:02}/" if i % 3 == 0 else ""
        names.append(f"{folder}note-{i:05}.md")
    for name in names:
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(note(rng, Path(name).stem))
    lines = [f"- [{Path(n).stem}]({n}) — {sentence(rng)[:60]}\n" for n in names[:INDEX_LINES]]
    (directory / "MEMORY.md").write_text("".join(lines))
    return names


class Bench:
    """A temporary home with a cleared environment; everything goes when it is closed."""

    def __init__(self):
        self.root = Path(tempfile.mkdtemp(prefix="kith-bench-"))
        home = self.root / "home"
        home.mkdir()
        (home / ".gitconfig").write_text(
            "[user]\n\tname = Bench\n\temail = bench@example.com\n"
            "[init]\n\tdefaultBranch = main\n[safe]\n\tdirectory = *\n")
        self.env = {"HOME": str(home), "PATH": os.environ["PATH"], "LC_ALL": "C",
                    "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}
        self.kith = kith_binary()
        self.git = shutil.which("git")
        self.children = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for child in self.children:
            child.terminate()
            child.wait()
        shutil.rmtree(self.root, ignore_errors=True)

    def run(self, *argv):
        """Runs once, for set-up; fails loudly."""
        done = subprocess.run(argv, env=self.env, capture_output=True, text=True, cwd=self.root)
        if done.returncode != 0:
            sys.exit(f"{' '.join(argv)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def once(self, commands):
        """Seconds and peak KiB of commands that run one after the other."""
        quiet = [(os.POSIX_SPAWN_OPEN, fd, "/dev/null", os.O_RDWR, 0) for fd in (0, 1, 2)]
        peak = 0
        begin = time.perf_counter()
        for argv in commands:
            pid = os.posix_spawn(argv[0], argv, self.env, file_actions=quiet)
            _, status, usage = os.wait4(pid, 0)
            peak = max(peak, usage.ru_maxrss)
            if status != 0:
                self.run(*argv)
                sys.exit(f"{' '.join(argv)}: status {status}, and 0 when run again")
        return time.perf_counter() - begin, peak

    def compare(self, ours, theirs):
        """Times two candidates, each (prepare, commands), turn by turn."""
        sides = [[], []]
        peak = 0
        for turn in range(WARMUP + RUNS):
            for side, (prepare, commands) in enumerate((ours, theirs)):
                prepare()
                seconds, used = self.once(commands)
                if turn >= WARMUP:
                    sides[side].append(seconds)
                    peak = max(peak, used) if side == 0 else peak
        return Result(statistics.median(sides[0]), statistics.median(sides[1]), peak, self.floor())

    def floor(self):
        """What starting and ending the program costs at least."""
        times = [self.once([[self.kith, "--version"]])[0] for _ in range(WARMUP + RUNS)]
        return statistics.median(times[WARMUP:])

    def plain_repository(self, notes, name):
        """A plain git repository with a copy of the notes, committed and packed."""
        to = self.root / name
        shutil.copytree(notes, to, ignore=shutil.ignore_patterns(".git", "team"))
        for argv in (["init", "-q"], ["config", "gc.auto", "0"], ["add", "-A"], ["commit", "-q", "-m", "notes"], ["gc", "-q"]):
            self.run(self.git, "-C", str(to), *argv)
        return to

    def bare(self, name):
        """A bare repository below `served/`."""
        to = self.root / "served" / name
        self.run(self.git, "init", "-q", "--bare", "-b", "main", str(to))
        self.run(self.git, "-C", str(to), "config", "http.receivepack", "true")
        return to

    def http(self):
        """Starts lighttpd before git's http-backend; the base URL of `served/`."""
        lighttpd = shutil.which("lighttpd", path=os.environ["PATH"] + ":/usr/sbin")
        if not lighttpd:
            sys.exit("lighttpd is not installed")
        backend = Path(self.run(self.git, "--exec-path").strip()) / "git-http-backend"
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        config = self.root / "lighttpd.conf"
        config.write_text(f'''server.modules = ( "mod_alias", "mod_cgi", "mod_setenv" )
server.document-root = "{self.root}"
server.bind = "127.0.0.1"
server.port = {port}
alias.url = ( "/git" => "{backend}" )
$HTTP["url"] =~ "^/git/" {{
  cgi.assign = ( "" => "" )
  setenv.set-environment = ( "GIT_PROJECT_ROOT" => "{self.root}/served",
    "GIT_HTTP_EXPORT_ALL" => "1", "HOME" => "{self.env["HOME"]}" )
}}
''')
        self.children.append(subprocess.Popen([lighttpd, "-D", "-f", str(config)],
                                              stderr=subprocess.DEVNULL))
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return f"http://127.0.0.1:{port}/git"
            time.sleep(0.02)
        sys.exit("lighttpd did not start")


class Result:
    """Medians of both sides in seconds, our peak in KiB, the floor in seconds."""

    def __init__(self, ours, theirs, peak, floor):
        self.ours, self.theirs, self.peak, self.floor = ours, theirs, peak, floor

    def row(self, what, bar=""):
        ratio = self.ours / self.theirs
        return (f"| {what} | {self.ours * 1e3:.1f} ms | {self.theirs * 1e3:.1f} ms | {ratio:.2f}× "
                f"| {bar} | {self.floor * 1e3:.1f} ms | {self.peak / 1024:.0f} MiB |")


def header(theirs):
    return (f"| what | kith | {theirs} | ratio | bar | floor (`kith --version`) | kith's peak |\n"
            "|---|---:|---:|---:|---:|---:|---:|")


def touch_one(directory, names):
    """A function that changes another note at each call."""
    rng = random.Random(2)
    count = iter(range(10**9))

    def change():
        path = Path(directory) / rng.choice(names)
        path.write_text(path.read_text() + f"\nChanged the {next(count)}th time: {sentence(rng)}\n")

    return change


def nothing():
    """A prepare step for candidates that change nothing."""
