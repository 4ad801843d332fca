//===- Run.h - Runs an emulated kernel without the GIL ---------------------------------===//
#ifndef HOCKET_BINDINGS_EMULATOR_RUN_H
#define HOCKET_BINDINGS_EMULATOR_RUN_H

#include "emulator/Emulator.h"
#include "runtime/Device.h"
#include <pybind11/pybind11.h>

namespace hocket::bindings {

/// Converts the arguments of a launch to the emulator's Argument type. `names` are the names of the kernel's
/// parameters. A tensor map becomes a WideArgument with the described array.
std::vector<Argument> argumentsOf(const KernelLaunch &launch, const std::vector<std::string> &names);

inline Grid gridOf(const KernelLaunch &launch) {
  return {uint32_t(launch.grid[0]), uint32_t(launch.grid[1]), uint32_t(launch.grid[2])};
}

/// Runs the kernel until it ends or Ctrl-C is pressed. Passes the text that the kernel has printed to the Python
/// callable `show`, which may be None. If the launch has failed, raises the Python error of the failure
/// (hocket.errors).
LaunchResult run(const EmulatedKernel &kernel, const Grid &grid, llvm::ArrayRef<Argument> arguments,
                 LaunchOptions options, const pybind11::object &show);

/// Returns a tuple for each source location that accesses shared memory: (file, line, "load" or "store", bytes,
/// accesses, wavefronts, wavefronts without bank conflicts).
pybind11::list toPython(const std::vector<BankCount> &counts);

/// Returns a tuple (block, warp, kind, label, count, file, line, begin, end) for each slice of the timeline.
pybind11::list toPython(const std::vector<TimelineSlice> &slices);

} // namespace hocket::bindings

#endif
