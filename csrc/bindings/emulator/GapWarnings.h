//===- GapWarnings.h - Warnings for array views without stride arguments ---------------===//
//
// A kernel's pointer argument `x` has no strides: `x + 1` points to the next element in memory, which is not an element
// of a view such as big[::2]. If a kernel is launched with views, the kernel must therefore have the strides as
// arguments. A launch that passes a view but not its strides causes a warning.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_BINDINGS_EMULATOR_GAPWARNINGS_H
#define HOCKET_BINDINGS_EMULATOR_GAPWARNINGS_H

#include "runtime/Device.h"
#include <pybind11/pybind11.h>

namespace hocket::bindings {

class GapWarnings {
public:
  /// `constants` are the values of the kernel's constexpr parameters, which may include strides.
  explicit GapWarnings(const pybind11::list &constants);

  /// Warns about each array with gaps between its elements whose strides are not among the integers of the launch. A
  /// warning is issued once for each function and parameter. The innermost dimension needs no stride if its elements
  /// are contiguous. `function` is the JITFunction, which stores the parameters with an issued warning.
  void check(const KernelLaunch &launch, const KernelFacts &facts, pybind11::handle function) const;

private:
  std::vector<uint32_t> constants; ///< the low 32 bits of each integer constexpr parameter
};

} // namespace hocket::bindings

#endif
