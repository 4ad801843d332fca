"""Mutated IR through hocket-opt and hocket-emit: an error or a result, never a crash and never a hang."""

import pathlib
import random
import re
import resource
import signal
import subprocess
import tempfile

import ir_mutations
from campaign import Finding, Part
from shrink import shrink

ROOT = pathlib.Path(__file__).parents[3]
TOOLS = ROOT / "build/dev/csrc/tools"
CPU_SECONDS = 20  # for a batch, which takes 0.1 s
WALL_SECONDS = 300  # for one that waits
MEMORY = 4 << 30
BATCH = 25
SPLIT = "// -----\n"
UNREADABLE = "MLIR cannot read"  # said of one mutant, this refuses the whole batch
FATAL = "LLVM ERROR: "  # what LLVM says before it ends the process


def corpus():
    found = []
    for path in sorted((ROOT / "tests/lit").rglob("*.mlir")):
        text = path.read_text()
        for target in ir_mutations.TARGETS if '"TARGET"' in text else [""]:
            found += ir_mutations.modules(text.replace("TARGET", target))
    return found


CORPUS = corpus()

TILE, LANE, HOST = "--hocket-tile-pipeline", "--hocket-lane-pipeline", "--hocket-convert-lane-to-host"


def passes_of_tests():
    """Returns the commands of the lit tests, as lists of options."""
    lines = [
        re.sub(r"\|.*", "", line)
        for path in (ROOT / "tests/lit").rglob("*.mlir")
        for line in path.read_text().splitlines()
        if "RUN:" in line and "hocket-opt" in line
    ]
    return sorted({tuple(re.findall(r"--(?:hocket|canonicalize|cse)[\w=-]*", line)) for line in lines} - {()})


PASSES = passes_of_tests()


def pipeline(rng):
    """A command without its file."""
    kind = rng.random()
    if kind < 0.35:
        return [str(TOOLS / "hocket-opt"), *rng.choice(PASSES)]
    if kind < 0.55:
        return [str(TOOLS / "hocket-opt"), TILE, LANE]
    if kind < 0.75:
        return [str(TOOLS / "hocket-opt"), TILE, LANE, HOST]
    if kind < 0.9:
        return [str(TOOLS / "hocket-opt"), TILE, LANE, f"--hocket-gpu-pipeline-{rng.choice(ir_mutations.TARGETS)}"]
    return [str(TOOLS / "hocket-emit"), "-"]


def run(command, text, seconds=CPU_SECONDS):
    """(exit status, what it wrote to stderr); a negative status is a signal."""
    with tempfile.TemporaryFile("w+") as source, tempfile.TemporaryFile("w+", errors="replace") as errors:
        source.write(text)
        source.seek(0)
        process = subprocess.Popen(
            command, stdin=source, stdout=subprocess.DEVNULL, stderr=errors, env={"LLVM_DISABLE_SYMBOLIZATION": "1"}
        )
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.prlimit(process.pid, resource.RLIMIT_AS, (MEMORY, MEMORY))
        try:
            process.wait(WALL_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        errors.seek(0)
        return process.returncode, errors.read()


def mutant(seed):
    return ir_mutations.mutate(random.Random(seed), CORPUS)


def signature(errors):
    """Returns a signature of a crash: the assertion, the message, or the innermost frames of hocket."""
    for pattern in (r"\S+:\d+: .*Assertion .* failed", r"LLVM ERROR: .*", r"UNREACHABLE .*", r"terminate called .*"):
        if found := re.search(pattern, errors):
            return found.group()[-200:]
    frames = [int(address, 16) for address in re.findall(r"^ *\d+ +hocket-\w+ +0x(\w+)", errors, flags=re.M)]
    return " ".join(hex(frame - frames[0]) for frame in frames[3:6])


def judge(seed, command, text):
    """Returns the failure of one mutant, if there is one."""
    status, errors = run(command, text)
    given = " ".join(command) + "\n" + text
    if status == -signal.SIGXCPU or status == -signal.SIGKILL:
        return [Finding(seed, "hung", " ".join(command[1:]), given)]
    if status not in (0, 1) or FATAL in errors:
        return [Finding(seed, "crashed", f"status {status}: {signature(errors)}", given + "\n" + errors)]
    if status == 1 and "error" not in errors:
        return [Finding(seed, "wrong", "refused without an error: " + errors[:100], given)]
    return []


def command_of(seed):
    """The command of all mutants of a batch, which begins at a multiple of its size."""
    return pipeline(random.Random(seed // BATCH))


def shrunk(finding):
    """The finding with as few lines as crash in the same way."""
    if finding.kind != "crashed":
        return finding

    def judged(lines):
        return judge(finding.seed, command_of(finding.seed), "\n".join(lines) + "\n")

    def fails(lines):
        return any(other[:3] == finding[:3] for other in judged(lines))

    lines = mutant(finding.seed).splitlines()
    return judged(shrink(lines, fails))[0] if fails(lines) else finding


def run_batch(seeds):
    """All mutants of a batch in one process; only where something is wrong, each in its own."""
    command = command_of(seeds[0])
    mutants = {seed: mutant(seed) for seed in seeds}
    if command[0].endswith("hocket-emit"):
        return [finding for seed in seeds for finding in judge(seed, command, mutants[seed])]
    status, errors = run([*command, "--split-input-file"], SPLIT.join(mutants.values()))
    if status in (0, 1) and FATAL not in errors and UNREADABLE not in errors:
        return []
    return [finding for seed, text in mutants.items() for finding in judge(seed, command, text)]


PART = Part("mutated-ir", long=100_000, quick=300, batch=BATCH, run=run_batch, smaller=shrunk)
