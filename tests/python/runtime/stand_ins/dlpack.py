"""DLPack's C structures, to make arrays of libraries that are not installed."""

import ctypes

KDL_CUDA = 2
KDL_ROCM = 10


class DLTensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    )


def fill(tensor: DLTensor, array, device: int, device_type: int = KDL_CUDA) -> None:
    """Describes a NumPy array of float32 as lying on a GPU, with an offset."""
    tensor.data, tensor.device_type, tensor.device_id = array.ctypes.data - 64, device_type, device
    tensor.byte_offset = 64
    tensor.ndim, tensor.code, tensor.bits, tensor.lanes = 1, 2, 32, 1


FromObject = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(DLTensor))
CurrentStream = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))


class ExchangeApi(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("unused", ctypes.c_void_p * 4),
        ("from_object", FromObject),
        ("current_stream", CurrentStream),
    )


_names: dict[bytes, bytes] = {}  # kept alive: a capsule holds the address of its name


def capsule(pointer, name: bytes):
    name = _names.setdefault(name, name)
    make = ctypes.pythonapi.PyCapsule_New
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return make(ctypes.cast(pointer, ctypes.c_void_p), name, None)
