//===- Profiler.cpp - Records of profiled launches for Python -----------------------===//
//
// Records are exported as bytes, through the buffer protocol, and NumPy views this memory. hocket/profiler/decoding.py
// defines the fields of each structure.
//
//===--------------------------------------------------------------------------------===//
#include "bindings/Bindings.h"
#include "bindings/Presence.h"
#include "profiler/Correct.h"
#include "profiler/Decode.h"
#include "profiler/Pair.h"
#include <pybind11/stl.h>

namespace py = pybind11;

namespace hocket::bindings {

namespace {

/// The memory of an array of C++ structures. Python reads the memory with numpy.frombuffer.
struct Structures {
  std::shared_ptr<void> owner;
  const void *data;
  size_t bytes;

  template <typename T>
  static Structures of(std::shared_ptr<void> owner, const T *data, size_t count) {
    return {std::move(owner), data, count * sizeof(T)};
  }
};

} // namespace

/// Returns (records, blocks, units, number of missing blocks, value of the steady clock at the start), which are
/// members of DecodedProfile. Raises ValueError for data that no kernel can have written.
static py::tuple decode(const py::buffer &buffer, const profiler::ProfileFacts &facts) {
  py::buffer_info memory = buffer.request();
  if (memory.ndim != 1 || memory.strides[0] != memory.itemsize)
    throw py::value_error("a profile is a contiguous array of one dimension");
  auto decoded = std::make_shared<profiler::DecodedProfile>();
  try {
    WithoutGil released;
    *decoded = profiler::decodeProfile(
        {static_cast<const std::byte *>(memory.ptr), size_t(memory.size * memory.itemsize)}, facts);
  } catch (const profiler::CorruptProfile &error) {
    throw py::value_error(error.what());
  }
  return py::make_tuple(Structures::of(decoded, decoded->records.get(), decoded->count),
                        Structures::of(decoded, decoded->blocks.data(), decoded->blocks.size()),
                        Structures::of(decoded, decoded->units.data(), decoded->units.size()), decoded->missingBlocks,
                        decoded->steadyOrigin);
}

/// Returns the records in `memory`. `memory` is an array of records from decode(), or a copy of such an array.
static std::span<const profiler::Record> recordsIn(const py::buffer_info &memory) {
  size_t bytes = size_t(memory.size * memory.itemsize);
  if (memory.ndim != 1 || (memory.size && memory.strides[0] != memory.itemsize) || bytes % sizeof(profiler::Record))
    throw py::value_error("records are a contiguous array of one dimension");
  return {static_cast<const profiler::Record *>(memory.ptr), bytes / sizeof(profiler::Record)};
}

static Structures correct(const py::buffer &buffer, double cyclesOfRecord, const std::vector<double> &cyclesPerNs) {
  py::buffer_info memory = buffer.request();
  auto records = recordsIn(memory);
  auto corrected = std::make_shared<profiler::RawArray<profiler::Record>>();
  {
    WithoutGil released;
    *corrected = profiler::correctRecords(records, cyclesOfRecord, cyclesPerNs);
  }
  return Structures::of(corrected, corrected->get(), records.size());
}

/// Returns (spans, number of begin and end records without a counterpart).
static py::tuple pair(const py::buffer &shownBuffer, const py::buffer &rawBuffer, const std::vector<bool> &isToken) {
  py::buffer_info shownMemory = shownBuffer.request(), rawMemory = rawBuffer.request();
  auto shown = recordsIn(shownMemory), raw = recordsIn(rawMemory);
  if (shown.size() != raw.size())
    throw py::value_error("the corrected and the recorded records must have equal numbers");
  auto paired = std::make_shared<profiler::PairedProfile>();
  {
    WithoutGil released;
    *paired = profiler::pairRecords(shown, raw, isToken);
  }
  return py::make_tuple(Structures::of(paired, paired->spans.get(), paired->count), paired->unpaired);
}

void bindProfiler(py::module_ &module) {
  py::class_<Structures>(module, "Structures", py::buffer_protocol()).def_buffer([](Structures &self) {
    return py::buffer_info(const_cast<uint8_t *>(static_cast<const uint8_t *>(self.data)), py::ssize_t(self.bytes),
                           /*readonly=*/true);
  });
  py::class_<profiler::ProfileFacts>(module, "ProfileFacts")
      .def(py::init([](uint64_t blocks, uint32_t bytesPerUnit, std::vector<uint32_t> warps, uint32_t sites,
                       uint32_t launch, double steadyNsPerTick, double cyclesPerNs) {
             return profiler::ProfileFacts{.blocks = blocks,
                                           .units = uint32_t(warps.size()),
                                           .bytesPerUnit = bytesPerUnit,
                                           .sites = sites,
                                           .warps = std::move(warps),
                                           .steadyNsPerTick = steadyNsPerTick,
                                           .cyclesPerNs = cyclesPerNs,
                                           .launch = launch};
           }),
           py::kw_only(), py::arg("blocks"), py::arg("bytes_per_unit"), py::arg("warps"), py::arg("sites"),
           py::arg("launch") = 0, py::arg("steady_ns_per_tick") = 1.0, py::arg("cycles_per_ns") = 0.0);
  module.def("decode_profile", &decode, py::arg("buffer"), py::arg("facts"));
  module.def("correct_records", &correct, py::arg("records"), py::arg("cycles_of_record"), py::arg("cycles_per_ns"));
  module.def("pair_records", &pair, py::arg("shown"), py::arg("raw"), py::arg("is_token"));
}

} // namespace hocket::bindings
