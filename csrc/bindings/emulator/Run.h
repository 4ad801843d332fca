//===- Run.h - Runs an emulated kernel without the GIL ---------------------------------===//
#ifndef HOCKET_BINDINGS_EMULATOR_RUN_H
#define HOCKET_BINDINGS_EMULATOR_RUN_H

#include "emulator/Emulator.h"
#include "runtime/Device.h"
#include <pybind11/pybind11.h>

namespace hocket::bindings {

/// Returns the arguments of a launch for the emulator. `names` are the names of the kernel's parameters. A value wider
/// than 64 bits is a tensor map with an array.
std::vector<Argument> argumentsOf(const KernelLaunch &launch, const std::vector<std::string> &names);

inline Grid gridOf(const KernelLaunch &launch) {
  return {uint32_t(launch.grid[0]), uint32_t(launch.grid[1]), uint32_t(launch.grid[2])};
}

/// Runs the kernel until it ends or Ctrl-C is pressed. Passes the kernel's output, if there is any, to the callable
/// `show`, which may be None. If the launch has failed, raises the Python error of the failure (hocket.errors).
LaunchResult run(const EmulatedKernel &kernel, const Grid &grid, llvm::ArrayRef<Argument> arguments,
                 LaunchOptions options, const pybind11::object &show);

/// Returns (file, line, "load" or "store", bytes, accesses, wavefronts, ideal wavefronts) of each source location.
pybind11::list toPython(const std::vector<BankCount> &counts);

/// Returns (block, warp, kind, label, count, file, line, begin, end) of each slice.
pybind11::list toPython(const std::vector<TimelineSlice> &slices);

} // namespace hocket::bindings

#endif
