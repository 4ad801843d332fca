//===- UnsupportedSyntax.h - Python syntax that the language lacks ------------------===//
#ifndef HOCKET_FRONTEND_UNSUPPORTEDSYNTAX_H
#define HOCKET_FRONTEND_UNSUPPORTEDSYNTAX_H

#include <string>
#include <string_view>

namespace hocket::frontend::ast {

struct UnsupportedSyntax {
  std::string message; ///< message such as "`try` is not supported in kernels"
  std::string hint;    ///< advice to the user on what to write instead; may be empty
};

/// Kind of the node that replaces code that is too deeply nested: further recursion would overflow the stack.
constexpr std::string_view kNestedTooDeeply = "NestedTooDeeply";

/// Returns the error message and the hint for `pythonKind`, a class of Python's ast such as "Try".
UnsupportedSyntax unsupportedSyntax(std::string_view pythonKind);

} // namespace hocket::frontend::ast

#endif
