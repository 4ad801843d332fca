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

Value refuseBlackwells(Emitter &e, Arguments &args) {
  e.error(std::string(args.function) + " is one of Blackwell's operations, for which hocket does not compile",
          "on Hopper, nvidia.hopper.warpgroup_mma multiplies and nvidia.hopper.tma copies");
}

std::span<const BuiltinEntry> unsupportedBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"expect_zero", unsupported<"this hint">},
      {"to_linear_layout", unsupported<"layout queries in kernels">},
  };
  return entries;
}

} // namespace hocket::frontend
