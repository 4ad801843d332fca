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
      {"associative_scan", unsupported<"scans">},
      {"expect_zero", unsupported<"this hint">},
      {"gather", unsupported<"gathers from registers", "go through shared memory, or gl.load by offsets">},
      {"histogram", unsupported<"histograms", "use gl.atomic_add on global memory">},
      {"inline_asm_elementwise", unsupported<"inline assembly">},
      {"join", unsupported<"joining tensors">},
      {"map_elementwise", unsupported<"scalar functions per element", "write the function on tensors with gl.where">},
      {"split", unsupported<"splitting tensors">},
      {"to_linear_layout", unsupported<"layout queries in kernels">},
  };
  return entries;
}

} // namespace hocket::frontend
