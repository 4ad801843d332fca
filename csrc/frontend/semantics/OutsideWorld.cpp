//===- OutsideWorld.cpp - Rejects functions whose results vary between runs ---------===//
#include "frontend/semantics/OutsideWorld.h"
#include "llvm/ADT/StringSet.h"

namespace hocket::frontend {

static bool isOutside(llvm::StringRef module) {
  static const llvm::StringSet<> modules = {"_io",    "_random",    "datetime", "glob",   "io",      "nt",
                                            "os",     "pathlib",    "posix",    "random", "secrets", "shutil",
                                            "socket", "subprocess", "tempfile", "time",   "uuid",    "_datetime"};
  return modules.contains(module.split('.').first) || module.starts_with("numpy.random") ||
         module.starts_with("torch.random");
}

static std::string moduleOf(py::handle object) {
  py::object module = py::getattr(object, "__module__", py::none());
  return py::isinstance<py::str>(module) ? module.cast<std::string>() : "";
}

/// Returns the name of the Python module `object`, or of the module that defines the function or method `object`. A
/// method of an object, such as random.random, has no module of its own, so the module of the object's class is
/// returned.
static std::string homeOf(py::handle object) {
  if (PyModule_Check(object.ptr()))
    return object.attr("__name__").cast<std::string>();
  std::string home = moduleOf(object);
  py::object receiver = py::getattr(object, "__self__", py::none());
  if (!home.empty() || receiver.is_none())
    return home;
  return PyModule_Check(receiver.ptr()) ? homeOf(receiver) : moduleOf(py::type::of(receiver));
}

void checkConstant(Emitter &e, py::handle object, const std::string &spelling) {
  if (isOutside(homeOf(object)))
    e.error("kernels cannot use `" + spelling +
                "`: compiled kernels are cached, and the result may differ in the next run",
            "call it outside of the kernel and pass the result as an argument");
}

void checkReads(Emitter &e, py::handle function) {
  py::list reads = py::module_::import("hocket.runtime.compile_time_reads").attr("reads_of")(function);
  for (py::handle read : reads) {
    auto [spelling, value, reader, file, line] =
        read.cast<std::tuple<std::string, py::object, std::string, std::string, int>>();
    if (isOutside(homeOf(value)) && !value.is(py::module_::import("time").attr("sleep"))) // time.sleep returns no value
      e.error("constexpr functions cannot use `" + spelling +
                  "`: compiled kernels are cached, and the result may differ in the next run",
              {{{"used at", displayPath(file) + ":" + std::to_string(line) + " in " + reader}},
               "call it outside of the kernel and pass the result as a constexpr argument"});
  }
}

} // namespace hocket::frontend
