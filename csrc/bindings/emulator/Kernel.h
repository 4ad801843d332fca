//===- Kernel.h - A kernel on the emulated GPU -----------------------------------------===//
//
// A launch on the emulator passes through these classes:
//
//   dispatch/Path --KernelLaunch--> EmulatedDeviceKernel --Argument, LaunchOptions--> emulator/EmulatedKernel
//                                     |  variant of the code, by the settings of hocket.emulator
//                                     `- results and failures for Python.
//
// The host code of a kernel has several variants, e.g. with and without timing. A launch calls Python code only to
// compile a variant at its first use, and to call the functions in the settings (watcher, printer, recorder, bank
// counter).
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_BINDINGS_EMULATOR_KERNEL_H
#define HOCKET_BINDINGS_EMULATOR_KERNEL_H

#include "bindings/emulator/GapWarnings.h"
#include "bindings/emulator/Settings.h"
#include "runtime/Device.h"

namespace hocket::bindings {

/// The host code of a kernel, and the names of the kernel's parameters. Python code uses this class as
/// `_core.EmulatedKernel`.
struct EmulatedCode {
  std::shared_ptr<EmulatedKernel> kernel;
  std::vector<std::string> parameters;
};

/// The specialization for which a kernel is compiled. The values come from the class Request in
/// python/hocket/runtime/compiler.py.
struct EmulatedRequest {
  pybind11::object function; ///< the JITFunction
  std::string target;
  pybind11::list constants; ///< values of constexpr parameters, None for other parameters
  int numWarps = 0;
  bool cooperative = false;
  /// Python function that compiles a variant. Its parameters are the fields of EmulatorVariant, and its result is
  /// (KernelFacts, EmulatedKernel).
  pybind11::object compile;
};

/// A kernel on the emulator. Member functions require the GIL, which `launch` releases while the kernel runs.
class EmulatedDeviceKernel final : public DeviceKernel {
public:
  /// Compiles the variant of the kernel for the current settings.
  EmulatedDeviceKernel(EmulatedRequest request, pybind11::object settings);

  void launch(const KernelLaunch &launch) override;
  const KernelResources *resources() const override { return nullptr; }

  /// Returns the KernelFacts of the variant that was compiled first.
  const pybind11::object &facts() const { return variants.front().facts; }

  /// Visits the Python objects that the kernel refers to, for Python's garbage collector. The references form a cycle:
  /// `request` refers to the JITFunction, whose table of compiled kernels refers to this object.
  int traverse(visitproc visit, void *arg) const;
  void clear();

private:
  struct Variant {
    EmulatorVariant how;
    pybind11::object facts;
    std::shared_ptr<EmulatedCode> code;
  };

  /// Returns the host code of a variant. The first call for a variant compiles it.
  std::shared_ptr<EmulatedCode> codeFor(const EmulatorVariant &how);
  void watch(const pybind11::object &watcher, const GridSize &grid) const;

  EmulatedRequest request;
  pybind11::object settingsObject;
  const EmulatorSettings &settings; ///< owned by `settingsObject`
  GapWarnings gapWarnings;
  std::vector<Variant> variants;
};

} // namespace hocket::bindings

#endif
