"""Every error that hocket raises on purpose.

HocketError
├── CompileError        a mistake in a kernel: the text names file, line and column and says what to do
├── LaunchError         a mistake in a launch: wrong arguments, wrong grid, a GPU that refuses
│   └── OutOfResources  the kernel needs more than the device has
├── EmulatorError       a kernel did, on the emulator, what a GPU must not be asked to do
│   ├── OutOfBoundsError        an access outside the arrays that were passed
│   ├── MisalignedAccessError   an access at an address that is not a multiple of its width
│   ├── ReadOnlyArrayError      a write to an array that is not writable
│   ├── DivisionByZeroError     an integer was divided by zero
│   ├── InvalidIndexError       an index of an address overflowed 32 bits
│   ├── UndefinedValueError     a value that nothing has defined was used
│   ├── RaceError               accesses to the same memory that nothing orders
│   ├── DeadlockError           warps wait for each other and none can go on
│   ├── MbarrierError           an mbarrier was used wrongly
│   └── DeviceAssertError       a `device_assert` or `assert` failed
└── InternalError       a bug in hocket, with a reproducer written to disk

A traceback of these errors ends with the line that launched or compiled the kernel; HOCKET_FULL_TRACEBACK=1 shows
the frames of hocket below it as well. InternalError always has them.

CompileWarning (a UserWarning) reports what a kernel asked for and the compiler could not do.
"""


def _cell_name(filename: str) -> str:
    """`Cell In[3]` for the file name that IPython gives to a cell; "" for others."""
    import sys

    get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", None)
    shell = get_ipython() if get_ipython else None
    name = getattr(getattr(shell, "compile", None), "format_code_name", None)
    return " ".join((name(filename) if name else None) or ())


def shown_path(filename: str) -> str:
    """As messages show a file: the cell of a notebook by its number, others relative to the current folder if they lie
    there."""
    import os

    return _cell_name(filename) or filename.removeprefix(os.path.join(os.getcwd(), ""))


class HocketError(Exception):
    """Base of all errors below."""

    # Tracebacks and `except` clauses should show the name under which users import the class.
    __module__ = "hocket.errors"


class CompileError(HocketError):
    """A mistake in a kernel, found while compiling it.

    The text is what a reader needs: place, source line with a caret, call chain, hint. The parts are attributes too.

    Attributes:
        filename, lineno, column: where, both numbers counted from 1; None where unknown.
        message: what is wrong, in one line.
        hint: what to do, or "".
    """

    def __init__(
        self,
        text: str,
        filename: str | None = None,
        lineno: int | None = None,
        column: int | None = None,
        message: str | None = None,
        hint: str = "",
    ):
        super().__init__(text)
        self.filename = filename
        self.lineno = lineno
        self.column = column
        self.message = message if message is not None else text
        self.hint = hint


class CompileWarning(UserWarning):
    """Something that a kernel asked for, at the line named, could not be done: the text says why. Results are the same.

    Raised while compiling, so not again for a kernel that comes from a cache.
    """

    __module__ = "hocket.errors"


class LaunchError(HocketError):
    """A kernel cannot be launched with these arguments, this grid or on this device."""


class OutOfResources(LaunchError):
    """A kernel needs more registers, threads or shared memory than a block may have on the device."""


class EmulatorError(HocketError):
    """A kernel misbehaved on the emulator. The text names kernel line, block, warp, lane, address and array.

    Attributes, None where they do not apply:
        filename, lineno: the kernel line.
        message: what went wrong, in one line.
        block, warp, lane: who did it: (x, y, z), warp of the block, lane of the warp.
        array, address, index: name of the argument, address of the access, element of the array.
    """

    filename: str | None = None
    lineno: int | None = None
    message: str | None = None
    block: tuple[int, int, int] | None = None
    warp: int | None = None
    lane: int | None = None
    array: str | None = None
    address: int | None = None
    index: int | None = None


class OutOfBoundsError(EmulatorError):
    """A read or write outside the arrays that were passed to the kernel."""


class MisalignedAccessError(EmulatorError):
    """An access whose address is not a multiple of its width."""


class ReadOnlyArrayError(EmulatorError):
    """A write to an array that is not writable, such as one with `flags.writeable = False`."""


class DivisionByZeroError(EmulatorError):
    """An integer was divided by zero."""


class InvalidIndexError(EmulatorError):
    """The address of an access was computed from an index that overflowed 32 bits, or, where `hocket.emulator.schedule`
    was told to look for undefined values, a buffer was accessed at a negative offset."""


class UndefinedValueError(EmulatorError):
    """A value was stored, decided a branch or was the address of an access, and nothing had defined it.

    It was read from shared memory that nothing had written, or by a masked-off load without `other`. Reported where
    `hocket.emulator.schedule` was told to look for it, as `hocket check` does.
    """


class DeadlockError(EmulatorError):
    """No warp can go on: some wait at a barrier that the others will never reach, at an mbarrier whose phase will never
    be complete, or in a loop for a value that nobody will write."""


class MbarrierError(EmulatorError):
    """An mbarrier was used before `init` or after `invalidate`, initialised twice or overwritten, or got more arrivals
    or bytes than its phase waits for."""


class RaceError(EmulatorError):
    """Two accesses to the same memory, at least one of them a write, that nothing orders: a GPU may do either first.

    `warp` and `lane` are those of the access that came second here.
    """


class DeviceAssertError(EmulatorError):
    """A `device_assert` or an `assert` in a kernel failed, or the kernel indexed a slot that its ring does not have."""


class InternalError(HocketError):
    """A bug in hocket, never in your kernel. `reproducer` is the file to attach to a report, or None."""

    def __init__(self, text: str, reproducer: str | None = None):
        if reproducer is not None:
            text = f"{text}\n  a reproducer was written to {reproducer}; please attach it to a report"
        super().__init__(text)
        self.reproducer = reproducer
