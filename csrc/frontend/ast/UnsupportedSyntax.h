//===- UnsupportedSyntax.h - Python that the language does not have -----------------===//
#ifndef HOCKET_FRONTEND_UNSUPPORTEDSYNTAX_H
#define HOCKET_FRONTEND_UNSUPPORTEDSYNTAX_H

#include <string>
#include <string_view>

namespace hocket::frontend::ast {

struct UnsupportedSyntax {
  std::string message; ///< "`break` is not supported in kernels"
  std::string hint;    ///< what to write instead; may be empty
};

/// Stands for a class of Python's ast where going deeper would need more stack than there is.
constexpr std::string_view kNestedTooDeeply = "NestedTooDeeply";

/// `pythonKind` is a class of Python's ast: "Break".
UnsupportedSyntax unsupportedSyntax(std::string_view pythonKind);

} // namespace hocket::frontend::ast

#endif
