//===- Errors.h - Conversion of C++ exceptions and warnings to Python's --------------===//
#ifndef HOCKET_BINDINGS_ERRORS_H
#define HOCKET_BINDINGS_ERRORS_H

#include "support/CompileError.h"
#include <exception>
#include <vector>

namespace hocket::bindings {

/// Sets the Python exception for a C++ exception. Hocket's exceptions become hocket.CompileError, LaunchError,
/// OutOfResources or InternalError. Other exceptions become the exceptions that pybind11 would set. setPythonError is
/// for functions that are called through Python's C API, not through pybind11.
void setPythonError(std::exception_ptr error) noexcept;

/// Calls `body`, and returns its result. If `body` throws a C++ exception, sets the Python exception for it and returns
/// `failed`, the value with which functions of Python's C API report an exception.
template <typename Result, typename F>
Result guarded(Result failed, F &&body) noexcept {
  try {
    return body();
  } catch (...) {
    setPythonError(std::current_exception());
    return failed;
  }
}

/// Returns the text of `diagnostic` with its source line, which may be in a notebook cell that only Python can read.
std::string renderWithSource(Diagnostic diagnostic);
std::string sourceLineOf(const Diagnostic &diagnostic);

/// Issues each warning as a hocket.CompileWarning at its location. Throws if Python's filters turn a warning into an
/// exception.
void issueWarnings(const std::vector<Diagnostic> &warnings);

} // namespace hocket::bindings

#endif
