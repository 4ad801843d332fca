//===- Errors.cpp - Conversion of C++ exceptions and warnings to Python's ------------===//
#include "bindings/Errors.h"
#include "bindings/Bindings.h"
#include "frontend/ast/SourceFile.h"
#include "pipeline/UserDiagnostics.h"
#include "runtime/LaunchError.h"
#include "support/CellNames.h"
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <string_view>

namespace py = pybind11;

namespace hocket::bindings {

static py::object errorClass(const char *name) { return py::module_::import("hocket.errors").attr(name); }

static void setError(const char *className, const std::string &text) {
  PyErr_SetString(errorClass(className).ptr(), text.c_str());
}

std::string sourceLineOf(const Diagnostic &diagnostic) {
  if (diagnostic.line == 0 || !diagnostic.sourceLine.empty())
    return diagnostic.sourceLine;
  return frontend::SourceFile(diagnostic.file).line(diagnostic.line);
}

std::string renderWithSource(Diagnostic diagnostic) {
  diagnostic.sourceLine = sourceLineOf(diagnostic);
  return diagnostic.render();
}

/// The text of a warning contains neither its location nor its source line, because Python prints both. By default,
/// Python prints each warning once; `__warningregistry__` records the printed warnings.
void issueWarnings(const std::vector<Diagnostic> &warnings) {
  for (const Diagnostic &warning : warnings) {
    std::string text = warning.message;
    for (const Note &note : warning.notes)
      text += "\n  " + note.text;
    if (!warning.hint.empty())
      text += "\n  hint: " + warning.hint;
    auto home = py::module_::import("hocket.errors");
    py::dict registry = home.attr("__dict__").attr("setdefault")("__warningregistry__", py::dict());
    py::str message(text), file(displayPath(warning.file)), module("hocket.errors");
    if (PyErr_WarnExplicitObject(home.attr("CompileWarning").ptr(), message.ptr(), file.ptr(), warning.line,
                                 module.ptr(), registry.ptr()) < 0)
      throw py::error_already_set();
  }
}

static void setCompileError(const CompileError &error, const char *name) {
  const Diagnostic &diagnostic = error.diagnostic();
  py::object type = errorClass(name);
  py::object place = py::none(), line = py::none(), column = py::none();
  if (!diagnostic.file.empty())
    place = py::str(diagnostic.file);
  if (diagnostic.line > 0) {
    line = py::int_(diagnostic.line);
    column = py::int_(diagnostic.column + 1);
  }
  py::object instance = type(renderWithSource(diagnostic), place, line, column, diagnostic.message, diagnostic.hint);
  PyErr_SetObject(type.ptr(), instance.ptr());
}

/// Sets the Python error for a C++ exception of Hocket; rethrows other exceptions.
static void setOwnError(std::exception_ptr error) {
  try {
    std::rethrow_exception(error);
  } catch (const KernelTooLarge &e) {
    setCompileError(e, "OutOfResources");
  } catch (const CompileError &e) {
    setCompileError(e, "CompileError");
  } catch (const OutOfResources &e) {
    setError("OutOfResources", e.what());
  } catch (const LaunchError &e) {
    setError("LaunchError", e.what());
  } catch (const InternalError &e) {
    setError("InternalError", e.what());
  }
}

static bool wantsFullTracebacks() {
  const char *value = std::getenv("HOCKET_FULL_TRACEBACK");
  return value && *value && std::string_view(value) != "0";
}

/// Removes the frames of Hocket's Python functions from the traceback of a failed launch, so that the traceback ends
/// with the user's line that launched the kernel. The traceback of an InternalError is for developers, and is not
/// changed.
static void hideOurFrames() {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  bool isUsers = PyErr_GivenExceptionMatches(type, errorClass("HocketError").ptr()) &&
                 !PyErr_GivenExceptionMatches(type, errorClass("InternalError").ptr());
  if (isUsers && !wantsFullTracebacks()) {
    Py_CLEAR(traceback);
    PyException_SetTraceback(value, Py_None);
  }
  PyErr_Restore(type, value, traceback);
}

void setPythonError(std::exception_ptr error) noexcept {
  try {
    setOwnError(error);
  } catch (py::error_already_set &e) {
    e.restore();
    hideOurFrames();
  } catch (py::builtin_exception &e) {
    e.set_error();
  } catch (const std::bad_alloc &) {
    PyErr_NoMemory();
  } catch (const std::exception &e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "unknown C++ exception in hocket");
  }
}

/// Returns the name under which messages show the file of a notebook cell; "" for other files. A thread without the GIL
/// gets the name from the cache `known`: waiting for the GIL could cause a deadlock with the thread that holds the GIL.
/// SourceFile calls nameOfCell for each file while its thread holds the GIL, so the cache then contains the name.
static std::string nameOfCell(const std::string &file) {
  static std::mutex mutex;
  // `known` is never destroyed, because other threads may run during exit.
  static auto *known = new std::map<std::string, std::string>;
  std::optional<std::string> name;
  if (PyGILState_Check())
    name = py::module_::import("hocket.errors").attr("_cell_name")(file).cast<std::string>();
  std::lock_guard lock(mutex);
  if (name && !name->empty())
    (*known)[file] = *name;
  auto found = known->find(file);
  return name ? *name : found == known->end() ? "" : found->second;
}

void bindErrors(py::module_ &) {
  setCellNamer(nameOfCell);
  py::register_local_exception_translator([](std::exception_ptr error) {
    if (error)
      setOwnError(error);
  });
}

} // namespace hocket::bindings
