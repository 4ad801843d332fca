"""Reads the registers and spills of a kernel from its machine code."""

from __future__ import annotations

import re
import struct

_ELF_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")

# Numbers of attributes in the section .nv.info. The value of such an attribute is four bytes for the symbol of the
# kernel, and four for a number.
_STACK_BYTES = 0x11
_REGISTERS = 0x2F
#: Number of the attribute format in which the size of the value precedes the value.
_SIZED = 0x04


def resources_of_isa(isa: str) -> dict[str, int]:
    """Returns the numbers of registers and spills from the metadata at the end of AMD assembly."""
    names = {"vgpr_count": "registers", "agpr_count": "accumulation_registers", "sgpr_count": "scalar_registers"}
    spills = {"vgpr_spill_count": "registers_spilled", "sgpr_spill_count": "scalar_registers_spilled"}
    found = dict(re.findall(r"^\s*-?\s*\.([sva]gpr(?:_spill)?_count):\s+(\d+)$", isa, re.MULTILINE))
    return {name: int(found[key]) for key, name in {**names, **spills}.items() if key in found}


def resources_of_cubin(cubin: bytes) -> dict[str, int]:
    """Returns the number of registers, and the bytes of a thread's stack in local memory: spills, and arrays that are
    indexed dynamically."""
    found = {}
    info = _section(cubin, ".nv.info")
    while len(info) >= 4:
        kind, attribute, size = struct.unpack_from("<BBH", info)
        if kind != _SIZED:
            size = 0  # in other formats, the field `size` is the value
        if size >= 8 and attribute in (_STACK_BYTES, _REGISTERS):
            name = "registers" if attribute == _REGISTERS else "stack_bytes"
            found[name] = struct.unpack_from("<II", info, 4)[1]
        info = info[4 + size :]
    return {name: found[name] for name in ("registers", "stack_bytes") if name in found}


def _section(elf: bytes, name: str) -> bytes:
    """Returns the contents of a section of an ELF file, b"" if there is no such section."""
    if len(elf) < _ELF_HEADER.size or not elf.startswith(b"\x7fELF"):
        return b""
    header = _ELF_HEADER.unpack_from(elf)
    offset, size, count, names_index = header[6], header[11], header[12], header[13]
    sections = [_SECTION.unpack_from(elf, offset + i * size) for i in range(count)]
    names = sections[names_index][4]
    for section in sections:
        begin = names + section[0]
        if elf[begin : elf.index(b"\0", begin)].decode() == name:
            return elf[section[4] : section[4] + section[5]]
    return b""
