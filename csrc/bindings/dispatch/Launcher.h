//===- Launcher.h - Launches a compiled kernel on its device ---------------------------===//
#ifndef HOCKET_BINDINGS_DISPATCH_LAUNCHER_H
#define HOCKET_BINDINGS_DISPATCH_LAUNCHER_H

#include "bindings/dispatch/Specialization.h"
#include "runtime/Device.h"

#include <memory>

namespace hocket::dispatch {

/// Launches a kernel on a GPU, or on the emulator.
class Launcher {
public:
  virtual ~Launcher() = default;

  /// Returns the stream of a launch with `stream=given`, which may be null; null where launches have no stream.
  virtual void *streamOf(PyObject *given, const Specialization &call) const = 0;
  /// Returns a GPU's ordinal, or the target of an emulated GPU.
  virtual pybind11::object placeOf(const Specialization &call) const = 0;
  /// Queues the kernel on `stream`, or runs it. `profile`: address of the memory for records, or 0.
  virtual void launch(const GridSize &grid, void *stream, Specialization &call, uint64_t profile) const = 0;

  /// Returns the Python function that the launcher owns, for the garbage collector; null if it owns none.
  virtual PyObject *function() const { return nullptr; }
};

/// `launcher`: the attribute `_launcher` of a CompiledKernel, which owns the kernel: a DeviceKernel, or a function
/// (grid, values[, profile]) that runs the emulator.
std::unique_ptr<const Launcher> makeLauncher(pybind11::object launcher, const KernelFacts &facts);

} // namespace hocket::dispatch

#endif
