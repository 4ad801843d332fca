//===- Profiler.cpp - Python sees what profiled launches recorded -------------------===//
//
// Records leave as memory that NumPy looks at (the buffer protocol, as bytes): hocket/profiler/decoding.py names the
// fields of each structure.
//
//===--------------------------------------------------------------------------------===//
#include "bindings/Bindings.h"
#include "bindings/Presence.h"
#include "profiler/Decode.h"
#include <pybind11/stl.h>

namespace py = pybind11;

namespace hocket::bindings {

namespace {

/// Structures side by side, for numpy.frombuffer.
struct RawArray {
  std::shared_ptr<void> owner;
  const void *data;
  size_t bytes;

  template <typename T>
  static RawArray of(std::shared_ptr<profiler::DecodedProfile> owner, const T *data, size_t count) {
    return {std::move(owner), data, count * sizeof(T)};
  }
};

} // namespace

/// (records, blocks, units, blocks that are missing, steady clock at the start). Raises ValueError for what no kernel
/// has written.
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
  return py::make_tuple(RawArray::of(decoded, decoded->records.get(), decoded->count),
                        RawArray::of(decoded, decoded->blocks.data(), decoded->blocks.size()),
                        RawArray::of(decoded, decoded->units.data(), decoded->units.size()), decoded->missingBlocks,
                        decoded->steadyOrigin);
}

void bindProfiler(py::module_ &module) {
  py::class_<RawArray>(module, "RawArray", py::buffer_protocol()).def_buffer([](RawArray &self) {
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
}

} // namespace hocket::bindings
