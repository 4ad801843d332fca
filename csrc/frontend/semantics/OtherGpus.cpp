//===- OtherGpus.cpp - Functions for unsupported GPUs ------------------------------===//
//
// Functions for unsupported GPUs can be imported; a call of such a function raises an error that names an alternative.
//
//===------------------------------------------------------------------------------===//
#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

namespace {
/// A GPU generation for which Gluon has a module, but which Hocket does not support.
struct OtherGpu {
  std::string_view module, name, hint;
};
} // namespace

static constexpr std::string_view kMfma = "on CDNA3 and CDNA4, amd.cdna3.mfma multiplies";
static constexpr OtherGpu kOtherGpus[] = {
    {"nvidia.blackwell.", "Blackwell",
     "on Hopper, nvidia.hopper.warpgroup_mma multiplies and nvidia.hopper.tma copies"},
    {"amd.gfx1250.", "gfx1250", kMfma},
    {"amd.rdna3.", "RDNA3", kMfma},
    {"amd.rdna4.", "RDNA4", kMfma},
};

template <size_t index>
static Value refuse(Emitter &e, Arguments &args) {
  constexpr const OtherGpu &gpu = kOtherGpus[index];
  e.error(std::string(args.function) + " is an operation of " + std::string(gpu.name) +
              " GPUs, which hocket does not support",
          std::string(gpu.hint));
}

BuiltinFn refusalOf(std::string_view name) {
  static constexpr BuiltinFn refusals[] = {refuse<0>, refuse<1>, refuse<2>, refuse<3>};
  static_assert(std::size(refusals) == std::size(kOtherGpus));
  for (auto [gpu, refusal] : llvm::zip_equal(kOtherGpus, refusals))
    if (name.starts_with(gpu.module))
      return refusal;
  return nullptr;
}

} // namespace hocket::frontend
