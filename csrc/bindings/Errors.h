//===- Errors.h - C++ exceptions and warnings become Python's ------------------------===//
#ifndef HOCKET_BINDINGS_ERRORS_H
#define HOCKET_BINDINGS_ERRORS_H

#include "support/CompileError.h"
#include <exception>
#include <vector>

namespace hocket::bindings {

/// Sets the Python exception that stands for a C++ one: hocket.CompileError, LaunchError, OutOfResources or
/// InternalError for ours, what pybind11 would choose for others. For functions that pybind11 does not wrap.
void setPythonError(std::exception_ptr error) noexcept;

/// The text of `diagnostic` with its source line, which may be in a cell of a notebook that only Python can read.
std::string renderWithSource(Diagnostic diagnostic);
std::string sourceLineOf(const Diagnostic &diagnostic);

/// Issues each as a hocket.CompileWarning at its place. Throws what Python's filters make an exception of.
void issueWarnings(const std::vector<Diagnostic> &warnings);

} // namespace hocket::bindings

#endif
