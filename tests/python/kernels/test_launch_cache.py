"""Prepared launches: which calls are of one form, and what a cache of them holds."""

import gc
import itertools
import threading
import weakref

import numpy as np
import pytest

import hocket
from hocket import launch_cache
from hocket.launch_cache import LaunchCache


class Tensor:
    """Has what PyTorch's tensors have; nothing reads its memory."""

    def __init__(self, shape=(4, 64), strides=None, dtype="float16", device=0, address=4096):
        self.shape, self.dtype, self.device, self.address = shape, dtype, device, address
        self.strides = strides or tuple(np.cumprod([1, *shape[:0:-1]])[::-1])

    def stride(self):
        return self.strides

    def get_device(self):
        return self.device

    def data_ptr(self):
        return self.address


class OtherTensor(Tensor):
    """A tensor of another class."""


class Preparations:
    """A cache, and the arguments with which it has called `prepare`."""

    def __init__(self, **options):
        self.calls = []
        self.cache = LaunchCache(self.prepare, **options)

    def prepare(self, *arguments):
        self.calls.append(arguments)
        number = len(self.calls)
        return lambda: number

    def find(self, *arrays, settings=()):
        """Returns the number of the preparation that the call uses."""
        return self.cache.find(arrays, settings)()


def read_only(array):
    array.flags.writeable = False
    return array


def test_calls_of_one_form_are_prepared_once():
    made = Preparations()
    assert [made.find(Tensor(address=address), None, settings=("a", 1.5)) for address in (4096, 8192, 4112)] == [1] * 3
    assert len(made.calls) == 1


#: A change of the form, made by one argument of `Tensor`.
CHANGES = {
    "shape": {"shape": (4, 32)},
    "number of dimensions": {"shape": (1, 4, 64)},
    "strides": {"strides": (128, 1)},
    "dtype": {"dtype": "bfloat16"},
    "device": {"device": 1},
    "alignment": {"address": 4098},
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("position", [0, 1])
def test_another_array_is_another_form(change, position):
    made = Preparations()
    arrays = [Tensor(), Tensor()]
    assert made.find(*arrays) == 1
    arrays[position] = Tensor(**CHANGES[change])
    assert made.find(*arrays) == 2
    assert made.find(Tensor(), Tensor()) == 1


def test_a_tensor_of_another_class_is_another_form():
    made = Preparations()
    assert [made.find(tensor) for tensor in (Tensor(), OtherTensor(), Tensor())] == [1, 2, 1]


def test_an_array_or_none_is_another_form():
    made = Preparations()
    forms = (Tensor(), None, None), (Tensor(), Tensor(), None), (Tensor(), None, Tensor())
    assert [made.find(*form) for form in forms * 2] == [1, 2, 3] * 2


@pytest.mark.parametrize(("alignment", "prepared"), [(16, 2), (32, 3)])
def test_addresses_are_compared_modulo_the_alignment(alignment, prepared):
    made = Preparations(alignment=alignment)
    for address in (4096, 4096 + 16, 4096 + 8, 8192, 8192 + 8):
        made.find(Tensor(address=address))
    assert len(made.calls) == prepared


def test_settings_of_other_types_are_other_forms():
    """Not all equal values are valid: 1 may be, and 1.0 not."""
    made = Preparations()
    values = 1, 1.0, True, "1", None
    assert [made.find(Tensor(), settings=(value,)) for value in values * 2] == [1, 2, 3, 4, 5] * 2


#: Arrays of NumPy of which each two are of different forms.
def numpy_forms():
    aligned = np.zeros(1024, np.uint8)[-np.zeros(1024, np.uint8).ctypes.data % 16 :]
    start = -aligned.ctypes.data % 16
    base = aligned[start : start + 512]
    x = base[:256].view(np.float16).reshape(2, 64)
    shifted = base[2:258].view(np.float16).reshape(2, 64)
    return [x, shifted, x.T, x[:, :32], x[:1], x.view(np.int16), read_only(x.copy()), np.asfortranarray(x)[:, ::2]]


def test_arrays_of_numpy():
    made = Preparations()
    forms = numpy_forms()
    assert [made.find(x) for x in forms * 2] == [*range(1, len(forms) + 1)] * 2


def test_the_emulated_gpu_belongs_to_the_form():
    made = Preparations()
    numbers = []
    for target in ("sm_90a", "gfx950", "sm_90a"):
        with hocket.emulator.target(target):
            numbers.append(made.find(np.zeros((2, 4)), None))
    assert numbers == [1, 2, 1]


@pytest.mark.parametrize("target", ["sm_90a", "gfx950"])
def test_tensors_of_a_gpu_do_not_depend_on_the_emulated_gpu(target):
    made = Preparations()
    made.find(Tensor())
    with hocket.emulator.target(target):
        assert made.find(Tensor()) == 1


@pytest.mark.parametrize("wrong", [(None, Tensor()), ([1.0], Tensor()), (Tensor(), "text"), (np.float16, Tensor())])
def test_what_is_no_array_is_passed_on_and_not_kept(wrong):
    made = Preparations()
    assert [made.find(*wrong, settings=("a",)) for _ in range(2)] == [1, 2]
    assert made.calls == [(*wrong, "a")] * 2 and len(made.cache) == 0


def test_settings_without_a_hash_are_passed_on_and_not_kept():
    made, setting = Preparations(), ["a"]
    x = Tensor()
    assert [made.find(x, settings=(setting,)) for _ in range(2)] == [1, 2]
    assert made.calls == [(x, setting)] * 2 and len(made.cache) == 0


def test_errors_are_raised_each_time():
    def prepare(x, name):
        raise ValueError(f"no {name}")

    cache = LaunchCache(prepare)
    for _ in range(2):
        with pytest.raises(ValueError, match="no plan"):
            cache.find((Tensor(),), ("plan",))
    assert len(cache) == 0


def test_errors_about_what_is_no_array_have_no_context():
    """A traceback contains only the error that `prepare` raises."""

    def prepare(x):
        raise ValueError("x is no array")

    with pytest.raises(ValueError) as caught:
        LaunchCache(prepare).find(([1.0],), ())
    assert caught.value.__context__ is None


def test_a_cache_holds_no_array_and_a_limited_number_of_forms(monkeypatch):
    monkeypatch.setattr(launch_cache, "MOST_FORMS", 4)
    cache = LaunchCache(lambda *arguments: len)
    alive = []
    for rows in range(1, 12):
        tensor, array = Tensor((rows, 8)), np.zeros((rows, 8), np.float16)
        alive += [weakref.ref(tensor), weakref.ref(array)]
        cache.find((tensor, None), ("a",))
        cache.find((array,), ("a",))
        assert len(cache) <= 4
    del tensor, array
    gc.collect()
    assert [reference() for reference in alive] == [None] * len(alive)


def test_threads_get_launches_of_their_own_form(monkeypatch):
    """The cache is cleared often."""
    monkeypatch.setattr(launch_cache, "MOST_FORMS", 3)

    def prepare(x, name):
        return lambda: (x.shape, name)

    cache, wrong = LaunchCache(prepare), []
    started = threading.Barrier(8)

    def use(thread):
        started.wait()
        for rows, name in itertools.islice(itertools.cycle(itertools.product(range(1, 4), "ab")), thread, 3000):
            if cache.find((Tensor((rows, thread % 2 + 1)),), (name,))() != ((rows, thread % 2 + 1), name):
                wrong.append((rows, name))

    threads = [threading.Thread(target=use, args=(thread,)) for thread in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
