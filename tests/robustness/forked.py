"""Tries inputs in a forked process, which may crash or hang; its parent continues with the next input."""

import json
import os
import re
import resource
import signal

from campaign import Finding

CPU_SECONDS = 20  # for one input
WALL_SECONDS = 300  # for one that waits
MEMORY = 6 << 30  # address space that the process may map beside what its parent has mapped


def try_all(numbers, try_one, describe, cpu_seconds=CPU_SECONDS):
    """The findings of `try_one(number)`, which returns None or (kind, what), and those that ended the process.
    `describe(number)` is what reproduces an input."""
    findings, numbers = [], list(numbers)
    while numbers:
        reports, status, complaint = _in_child(numbers, try_one, cpu_seconds)
        last = None
        for report in reports:
            if report.startswith("["):
                number, kind, what = json.loads(report)
                findings.append(Finding(number, kind, what, describe(number)))
            else:
                last = int(report)
        if status == 0:
            return findings
        ended = os.waitstatus_to_exitcode(status)
        kind = "hung" if -ended in (signal.SIGXCPU, signal.SIGKILL, signal.SIGALRM) else "crashed"
        said = re.search(r".*Assertion.*|LLVM ERROR.*|.*terminate called.*", complaint)
        what = said.group()[-200:] if said else f"signal {-ended}" if ended < 0 else f"exit status {ended}"
        findings.append(Finding(last, kind, what, describe(last) + complaint[-4000:]))
        numbers = numbers[numbers.index(last) + 1 :]
    return findings


def _in_child(numbers, try_one, cpu_seconds):
    """(lines that the child reported, its status, what it wrote to stderr)."""
    reader, writer = os.pipe()
    errors = os.memfd_create("stderr")
    pid = os.fork()
    if pid == 0:
        os.dup2(errors, 2)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.close(reader)
        try:
            _report_all(numbers, try_one, writer, cpu_seconds)
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as lines:
        reports = [line.strip() for line in lines]
    _, status = os.waitpid(pid, 0)
    with os.fdopen(errors, errors="replace") as file:
        file.seek(0)
        return reports, status, file.read()


def _report_all(numbers, try_one, pipe, cpu_seconds):
    """Writes each number before it is tried, and what was found."""
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    memory = _mapped() + MEMORY
    if most != resource.RLIM_INFINITY:
        memory = min(memory, most)
    resource.setrlimit(resource.RLIMIT_AS, (memory, most))
    for number in numbers:
        os.write(pipe, f"{number}\n".encode())
        used = resource.getrusage(resource.RUSAGE_SELF)
        limit = int(used.ru_utime + used.ru_stime) + cpu_seconds
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
        signal.alarm(WALL_SECONDS)
        if finding := try_one(number):
            os.write(pipe, (json.dumps([number, *finding]) + "\n").encode())


def _mapped():
    """Bytes of address space that this process has mapped: libraries of PyTorch alone are several GiB."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()
