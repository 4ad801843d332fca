//===- UnsupportedBuiltins.cpp - Names of Gluon without a meaning yet -------------===//
//
// They import; using one says what is missing.
//
//===------------------------------------------------------------------------------===//
#include "frontend/semantics/BuiltinTables.h"

namespace hocket::frontend {

template <size_t n>
struct Text {
  char characters[n];
  constexpr Text(const char (&text)[n]) { std::copy_n(text, n, characters); }
};

/// `hint` may be empty.
template <Text feature, Text hint = "">
static Value unsupported(Emitter &e, Arguments &args) {
  e.error("gl." + std::string(args.function) + " is not supported yet (" + feature.characters + ")",
          std::string(hint.characters));
}

namespace {
/// GPUs that Gluon has modules for and hocket does not compile for.
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
  e.error(std::string(args.function) + " is one of " + std::string(gpu.name) +
              "'s operations, for which hocket does not compile",
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

std::span<const BuiltinEntry> unsupportedBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"expect_zero", unsupported<"this hint">},
      {"to_linear_layout", unsupported<"layout queries in kernels">},
  };
  return entries;
}

} // namespace hocket::frontend
