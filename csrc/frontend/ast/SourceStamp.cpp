//===- SourceStamp.cpp - Detection of source files edited after import --------------===//
#include "frontend/ast/SourceStamp.h"
#include "frontend/ast/KeptOnFunction.h"
#include <string>
#include <sys/stat.h>
#include <unordered_map>

namespace hocket::frontend {
namespace py = pybind11;

namespace {
struct SourceStamp {
  bool operator==(const SourceStamp &) const = default;
  long long size = -1; ///< size of the file in bytes; -1 if there is no such file, as for a notebook cell
  long long seconds = 0, nanoseconds = 0;
};
} // namespace

static SourceStamp stampNow(py::handle function) {
  auto path = function.attr("__code__").attr("co_filename").cast<std::string>();
  struct stat facts;
  if (stat(path.c_str(), &facts) != 0)
    return {};
  return {facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec};
}

/// Returns the stamp of the most recently defined top-level function in the file of `function`; null if there is none.
/// If `function` is at top level, returns the stamp of `function` itself.
static SourceStamp *stampOfModule(py::handle function) {
  static auto *stamps = new std::unordered_map<std::string, SourceStamp>();
  auto path = function.attr("__code__").attr("co_filename").cast<std::string>();
  bool isNested = function.attr("__qualname__").cast<std::string>().find("<locals>") != std::string::npos;
  if (!isNested)
    (*stamps)[path] = stampNow(function);
  auto found = stamps->find(path);
  return found == stamps->end() ? nullptr : &found->second;
}

static const SourceStamp &stampOf(py::handle function) {
  return keptOnFunction<SourceStamp>(function, [](py::handle f) {
    SourceStamp *module = stampOfModule(f);
    return std::make_unique<SourceStamp>(module ? *module : stampNow(f));
  });
}

void stampSource(py::handle function) { stampOf(function); }

/// True if a function or class in `code`, at any depth, has the same instructions at the same lines as `wanted`.
static bool holds(py::handle code, py::handle wanted) {
  for (py::handle constant : py::tuple(code.attr("co_consts")))
    if (PyCode_Check(constant.ptr()) && (constant.equal(wanted) || holds(constant, wanted)))
      return true;
  return false;
}

/// True if the file still contains the code `code`. The whole file is compiled, because the file's `__future__` imports
/// affect the code of its functions.
static bool hasSameCode(py::object code) {
  try {
    py::object path = code.attr("co_filename");
    py::object text = py::module_::import("pathlib").attr("Path")(path).attr("read_bytes")();
    py::object compile = py::module_::import("builtins").attr("compile");
    return holds(compile(text, path, "exec", 0, true), code);
  } catch (py::error_already_set &) {
    return false; // the file is missing or is not valid Python
  }
}

bool isDeleted(py::handle function) { return stampOf(function).size >= 0 && stampNow(function).size < 0; }

bool isUnedited(py::handle function) {
  return stampOf(function) == stampNow(function) || hasSameCode(function.attr("__code__"));
}

} // namespace hocket::frontend
