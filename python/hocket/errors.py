"""All exceptions that hocket raises deliberately.

HocketError
├── CompileError        a mistake in a kernel: the text names file, line and column, and suggests a fix
├── LaunchError         a mistake in a launch: wrong arguments, wrong grid, a GPU that rejects it
│   └── OutOfResources  the kernel exceeds the resources of the device
├── EmulatorError       a kernel did something on the emulator that is undefined on a GPU
│   ├── OutOfBoundsError        an access outside the arrays that were passed
│   ├── MisalignedAccessError   an access at an address that is not a multiple of its width
│   ├── ReadOnlyArrayError      a write to an array that is not writable
│   ├── DivisionByZeroError     an integer division by zero
│   ├── InvalidIndexError       an index of an address overflowed 32 bits
│   ├── UndefinedValueError     the use of an undefined value
│   ├── RaceError               unordered accesses to the same memory
│   ├── DeadlockError           warps wait for each other, and none can continue
│   ├── MbarrierError           incorrect use of an mbarrier
│   └── DeviceAssertError       a `device_assert` or `assert` failed
└── InternalError       a bug in hocket, with a reproducer written to disk

A traceback of these errors ends with the line that launched or compiled the kernel. HOCKET_FULL_TRACEBACK=1 also shows
the frames of hocket below that line. A traceback of an InternalError always shows these frames.

CompileWarning (a UserWarning) reports a request of a kernel that the compiler could not fulfill.
"""


def _cell_name(filename: str) -> str:
    """Returns `Cell In[3]` for the file name that IPython gives to a cell; "" for other file names."""
    import sys

    get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", None)
    shell = get_ipython() if get_ipython else None
    name = getattr(getattr(shell, "compile", None), "format_code_name", None)
    return " ".join((name(filename) if name else None) or ())


def shown_path(filename: str) -> str:
    """Returns the name of a file for messages: a notebook cell by its number, other files relative to the current
    folder if they are inside it."""
    import os

    return _cell_name(filename) or filename.removeprefix(os.path.join(os.getcwd(), ""))


class HocketError(Exception):
    """Base class of all errors below."""

    # Tracebacks show the class under `hocket`, the module from which users import it.
    __module__ = "hocket.errors"


class CompileError(HocketError):
    """A mistake in a kernel, found during compilation.

    The text has the location, the source line with a caret, the call chain and a hint. The attributes contain the parts
    of the text.

    Attributes:
        filename, lineno, column: source location, both numbers counted from 1; None if unknown.
        message: the problem, in one line.
        hint: a suggestion, or "".
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
    """A request of a kernel, at the named line, could not be fulfilled; the text explains why. The kernel's results are
    unaffected.

    The warning is issued during compilation, so it does not appear for a kernel from a cache.
    """

    __module__ = "hocket.errors"


class LaunchError(HocketError):
    """A kernel cannot be launched with these arguments, this grid or on this device."""


class OutOfResources(LaunchError):
    """A kernel needs more registers, threads or shared memory than a block may have on the device.

    If shared memory does not suffice, the error is raised when the kernel is compiled. The text of this error has the
    form of a CompileError, and contains the largest buffer and a hint.

    The class has the attributes of CompileError, which are None or "" if the driver reports the error at the launch.
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


class EmulatorError(HocketError):
    """The emulator has found an error of a kernel. The text contains the line of the kernel, the block, warp and lane,
    the address and the array.

    Attributes, None where they do not apply:
        filename, lineno: the line of the kernel.
        message: the problem, in one line.
        block, warp, lane: the thread: (x, y, z) of the block, warp in the block, lane in the warp.
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
    """An integer division by zero."""


class InvalidIndexError(EmulatorError):
    """The address of an access was computed from an index that overflowed 32 bits. With
    `hocket.emulator.schedule(undefined=True)`, a buffer access at a negative offset also raises this error."""


class UndefinedValueError(EmulatorError):
    """An undefined value was stored, used as a branch condition, or used in the address of an access.

    The value was read from shared memory that was never written, or by a masked-off load without `other`. The error is
    raised only with `hocket.emulator.schedule(undefined=True)`, which `hocket check` uses.
    """


class DeadlockError(EmulatorError):
    """No warp can continue: some wait at a barrier that others never reach, for an mbarrier whose phase never
    completes, or in a loop for a value that is never written."""


class MbarrierError(EmulatorError):
    """An mbarrier was used before `init` or after `invalidate`, initialized twice, overwritten, or got more arrivals
    or bytes than its phase expects."""


class RaceError(EmulatorError):
    """Two unordered accesses to the same memory, at least one of which is a write: on a GPU, either access may execute
    first.

    The attributes `warp` and `lane` describe the access that was executed second in this run.
    """


class DeviceAssertError(EmulatorError):
    """A `device_assert` or an `assert` in a kernel failed, or the index of a buffer was out of range."""


class InternalError(HocketError):
    """A bug in hocket, not in the kernel. `reproducer` is the file to attach to a bug report, or None."""

    def __init__(self, text: str, reproducer: str | None = None):
        if reproducer is not None:
            text = f"{text}\n  a reproducer was written to {reproducer}; please attach it to a report"
        super().__init__(text)
        self.reproducer = reproducer
