//===- CodeFacts.cpp - Facts for reports about machine code -------------------------===//
#include "analysis/LoopAccesses.h"
#include "bindings/Bindings.h"
#include "bindings/KernelRequests.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "mlir/Parser/Parser.h"
#include "target/Occupancy.h"
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace hocket;

static const TargetInfo &targetOf(const std::string &name) {
  const TargetInfo *target = findTarget(name);
  if (!target)
    throw py::value_error("unknown target '" + name + "'");
  return *target;
}

static const char *nameOf(OccupancyBound bound) {
  switch (bound) {
  case OccupancyBound::Registers:
    return "registers";
  case OccupancyBound::SharedMemory:
    return "shared memory";
  case OccupancyBound::Warps:
    return "warps";
  case OccupancyBound::Blocks:
    return "blocks";
  }
  return "";
}

/// Returns the occupancy of a kernel as (blocks per SM or compute unit, warps per SIMD, name of the limiting resource).
static py::tuple occupancy(const std::string &target, int warps, int registers, int sharedBytes) {
  if (warps < 1 || registers < 0 || sharedBytes < 0)
    throw py::value_error("warps must be at least 1, and registers and shared bytes must not be negative");
  Occupancy found = occupancyOf(targetOf(target), warps, registers, sharedBytes);
  return py::make_tuple(found.blocks, found.warpsPerSimd, nameOf(found.bound));
}

static int cacheDies(const std::string &target) { return targetOf(target).cacheDies; }

static int matrixClocks(const std::string &target, int m, int blocks, const std::string &rate) {
  static const std::pair<const char *, MatrixRate> kRates[] = {{"narrow", MatrixRate::Narrow},
                                                               {"f32", MatrixRate::F32},
                                                               {"f64", MatrixRate::F64},
                                                               {"scaled", MatrixRate::Scaled},
                                                               {"scaled8", MatrixRate::Scaled8}};
  const TargetInfo &info = targetOf(target);
  for (auto [name, value] : kRates)
    if (rate == name)
      return matrixPasses(info, m, blocks, value) * info.costs->matrixPass;
  throw py::value_error("unknown rate '" + rate + "'");
}

/// Returns the fields of the target's cost table.
static py::dict costs(const std::string &target) {
  using namespace py::literals;
  const CostTable &table = *targetOf(target).costs;
  return py::dict(
      "simds"_a = table.simds, "vector"_a = table.vector, "transcendental"_a = table.transcendental,
      "issue"_a = table.issue, "shared_latency"_a = table.sharedLatency, "memory_latency"_a = table.memoryLatency,
      "memory_bytes"_a = table.memoryBytesPerClock, "barrier"_a = table.barrier, "matrix_read"_a = table.matrixRead,
      "matrix_scales"_a = table.matrixScales, "packed_wait"_a = table.packedWait, "shared_queue"_a = table.sharedQueue,
      "line_bytes"_a = table.lineBytes, "lines_in_flight"_a = table.linesInFlight, "memory_queue"_a = table.memoryQueue,
      "branch"_a = table.branch);
}

static int sharedClocksOf(const std::string &target, bool isStore, int bytes) {
  return sharedClocks(targetOf(target), isStore ? SharedAccess::Store : SharedAccess::Load, bytes);
}

/// Returns the name that loopAccesses reports for accesses of this kind.
static const char *unitOf(LineAccess::Kind kind) {
  switch (kind) {
  case LineAccess::Kind::Load:
    return "loads";
  case LineAccess::Kind::Store:
    return "stores";
  case LineAccess::Kind::Copy:
    return "copies";
  }
  llvm_unreachable("no kind of access");
}

/// Returns (loop depth, labels of the warp pipeline's stages, accesses of shared memory, accesses of global memory) of
/// each innermost loop. An access of shared memory is (true for a store, index of its stage, number of wavefronts,
/// number of wavefronts without bank conflicts). An access of global memory is (result of unitOf, index of its stage,
/// bytes of the accessed cache lines, bytes of the tile).
static py::list loopAccesses(const std::string &hk) {
  bindings::BorrowedContext context;
  auto module = mlir::parseSourceString<mlir::ModuleOp>(hk, mlir::ParserConfig(&*context));
  if (!module || mlir::failed(hk::requireFactsAndLayouts(*module)))
    throw py::value_error("this is not the hk IR of a kernel");
  py::list result;
  for (const LoopAccesses &loop : loopAccessesOf(*module)) {
    py::list accesses;
    for (const BankAccess &access : loop.accesses)
      accesses.append(py::make_tuple(access.isStore, access.stage, access.wavefronts.actual, access.wavefronts.ideal));
    py::list lines;
    for (const LineAccess &access : loop.lines)
      lines.append(py::make_tuple(unitOf(access.kind), access.stage, access.lineBytes, access.tileBytes));
    result.append(py::make_tuple(loop.depth, loop.stages, accesses, lines));
  }
  return result;
}

void bindings::bindCodeFacts(py::module_ &module) {
  module.def("occupancy", &occupancy, py::arg("target"), py::arg("warps"), py::arg("registers"),
             py::arg("shared_bytes"));
  module.def("cache_dies", &cacheDies, py::arg("target"));
  module.def("matrix_clocks", &matrixClocks, py::arg("target"), py::arg("m"), py::arg("blocks"), py::arg("rate"));
  module.def("costs", &costs, py::arg("target"));
  module.def("shared_clocks", &sharedClocksOf, py::arg("target"), py::arg("is_store"), py::arg("bytes"));
  module.def("loop_accesses", &loopAccesses, py::arg("hk"));
}
