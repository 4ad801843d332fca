//===- GapWarnings.h - Warnings for array views without stride arguments ---------------===//
//
// A pointer to an array has no strides: `x + 1` is the next element in memory, which a view such as big[::2] can skip.
// Kernels on views must therefore take strides as arguments. A launch that passes a view but not its strides causes a
// warning.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_BINDINGS_EMULATOR_GAPWARNINGS_H
#define HOCKET_BINDINGS_EMULATOR_GAPWARNINGS_H

#include "runtime/Device.h"
#include <pybind11/pybind11.h>

namespace hocket::bindings {

class GapWarnings {
public:
  /// `constants`: the values of the kernel's constexpr parameters. A constexpr integer may be a stride.
  explicit GapWarnings(const pybind11::list &constants);

  /// Warns, once for each function and parameter, about arrays with gaps whose strides are not among the integers of
  /// the launch. The innermost dimension needs no stride if its elements are contiguous. `function`: the JITFunction,
  /// which stores the issued warnings.
  void check(const KernelLaunch &launch, const KernelFacts &facts, pybind11::handle function) const;

private:
  std::vector<uint32_t> constants; ///< the low 32 bits of each integer constant
};

} // namespace hocket::bindings

#endif
