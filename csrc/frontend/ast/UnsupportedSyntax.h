//===- UnsupportedSyntax.h - Python syntax that the language lacks ------------------===//
#ifndef HOCKET_FRONTEND_UNSUPPORTEDSYNTAX_H
#define HOCKET_FRONTEND_UNSUPPORTEDSYNTAX_H

#include <string>
#include <string_view>

namespace hocket::frontend::ast {

struct UnsupportedSyntax {
  std::string message; ///< "`break` is not supported in kernels"
  std::string hint;    ///< alternative to write instead; may be empty
};

/// Replaces a class of Python's ast where further recursion would overflow the stack.
constexpr std::string_view kNestedTooDeeply = "NestedTooDeeply";

/// `pythonKind` is a class of Python's ast: "Break".
UnsupportedSyntax unsupportedSyntax(std::string_view pythonKind);

} // namespace hocket::frontend::ast

#endif
