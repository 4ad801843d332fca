"""Reads the metadata of kernels from a code object (hsaco).

The facts are in a note of the ELF file, as MessagePack (LLVM's AMDGPU usage guide, "Code Object Metadata"). HIP reads
the same note to find out how the arguments of a launch are laid out.
"""

import struct
from typing import Any, NamedTuple

_NT_AMDGPU_METADATA = 32
_SHT_NOTE = 7
_SHT_DYNSYM = 11
_STT_OBJECT = 1


class _Section(NamedTuple):
    name: int
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry_size: int


_SECTION_FORMAT = "<IIQQQQIIQQ"
_SECTION_BYTES = struct.calcsize(_SECTION_FORMAT)


def elf_bytes(header: bytes) -> int:
    """The size of the ELF file that begins with `header`, at least 64 bytes: linkers put the sections' table last."""
    assert header[:5] == b"\x7fELF\x02", "not a 64-bit ELF file"
    (table,) = struct.unpack_from("<Q", header, 40)
    (count,) = struct.unpack_from("<H", header, 60)
    return table + count * _SECTION_BYTES


def metadata(image: bytes) -> dict[str, Any]:
    """{"amdhsa.target": "amdgcn-amd-amdhsa--gfx942", "amdhsa.kernels": [{".name": ..., ".args": [...]}]}"""
    (table,) = struct.unpack_from("<Q", image, 40)
    (count,) = struct.unpack_from("<H", image, 60)
    for index in range(count):
        section = _Section(*struct.unpack_from(_SECTION_FORMAT, image, table + index * _SECTION_BYTES))
        if section.type == _SHT_NOTE:
            name_bytes, content_bytes, kind = struct.unpack_from("<III", image, section.offset)
            if kind == _NT_AMDGPU_METADATA:
                begin = section.offset + 12 + (name_bytes + 3) // 4 * 4
                return _Reader(image[begin : begin + content_bytes]).value()
    raise AssertionError("the code object has no metadata")


def variables(image: bytes) -> dict[str, int]:
    """Global variables that the host can find, and their sizes in bytes."""
    (table,) = struct.unpack_from("<Q", image, 40)
    (count,) = struct.unpack_from("<H", image, 60)
    sections = [
        _Section(*struct.unpack_from(_SECTION_FORMAT, image, table + index * _SECTION_BYTES)) for index in range(count)
    ]
    found = {}
    for section in sections:
        if section.type != _SHT_DYNSYM:
            continue
        names = sections[section.link].offset
        for at in range(section.offset, section.offset + section.size, section.entry_size):
            name, info, _, _, _, size = struct.unpack_from("<IBBHQQ", image, at)
            if info & 15 == _STT_OBJECT:
                text = image[names + name : image.index(b"\0", names + name)].decode()
                found[text] = size
    return {name: size for name, size in found.items() if not name.endswith(".kd")}


class _Reader:
    """MessagePack, as far as LLVM's writer uses it."""

    def __init__(self, data: bytes):
        self._data = data
        self._at = 0

    def value(self) -> Any:
        tag = self._take("B")
        if tag < 0x80:
            return tag
        if tag < 0x90:
            return self._map(tag & 0x0F)
        if tag < 0xA0:
            return self._list(tag & 0x0F)
        if tag < 0xC0:
            return self._text(tag & 0x1F)
        if tag >= 0xE0:
            return tag - 0x100
        if tag in _NUMBERS:
            return self._take(_NUMBERS[tag])
        read, size = {
            0xD9: (self._text, "B"),
            0xDA: (self._text, "H"),
            0xDC: (self._list, "H"),
            0xDE: (self._map, "H"),
            0xC2: (lambda _: False, None),
            0xC3: (lambda _: True, None),
        }[tag]
        return read(self._take(size) if size else None)

    def _take(self, kind: str) -> int:
        (number,) = struct.unpack_from(">" + kind, self._data, self._at)
        self._at += struct.calcsize(kind)
        return number

    def _text(self, size: int) -> str:
        self._at += size
        return self._data[self._at - size : self._at].decode()

    def _list(self, size: int) -> list:
        return [self.value() for _ in range(size)]

    def _map(self, size: int) -> dict:
        return {self.value(): self.value() for _ in range(size)}


_NUMBERS = {0xCC: "B", 0xCD: "H", 0xCE: "I", 0xCF: "Q", 0xD0: "b", 0xD1: "h", 0xD2: "i", 0xD3: "q"}
