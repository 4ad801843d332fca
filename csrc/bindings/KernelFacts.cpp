//===- KernelFacts.cpp - Python class of facts about a kernel -----------------------===//
//
// The class is generated from runtime/KernelFacts.def. For each C++ type in runtime/KernelFacts.def, this file defines
// the Python type and the conversions to and from Python.
//
//===--------------------------------------------------------------------------------===//
#include "bindings/KernelFacts.h"
#include "bindings/Bindings.h"
#include "bindings/Errors.h"
#include "dialect/hk/facts/Locations.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk_nv/HkNvDialect.h"
#include <pybind11/stl.h>

namespace py = pybind11;

namespace hocket::bindings {

namespace {

/// Conversion of values of type T between C++ and Python. `name` returns the type's annotation in the Python stub,
/// `from` converts a value to Python, and `to` converts a value from Python.
template <typename T>
struct InPython;

template <>
struct InPython<int> {
  static std::string name() { return "int"; }
  static py::object from(int value) { return py::int_(value); }
  static int to(py::handle value) { return value.cast<int>(); }
};

template <>
struct InPython<bool> {
  static std::string name() { return "bool"; }
  static py::object from(bool value) { return py::bool_(value); }
  static bool to(py::handle value) { return value.cast<bool>(); }
};

template <>
struct InPython<std::string> {
  static std::string name() { return "str"; }
  static py::object from(const std::string &value) { return py::str(value); }
  static std::string to(py::handle value) { return value.cast<std::string>(); }
};

template <>
struct InPython<ImplicitArgument> {
  static std::string name() { return "tuple[str, int, int]"; }
  static py::object from(const ImplicitArgument &value) {
    return py::make_tuple(std::string(nameOf(value.kind)), value.bytesPerLaunch, value.bytesPerBlock);
  }
  static ImplicitArgument to(py::handle value) {
    auto [kind, perLaunch, perBlock] = value.cast<std::tuple<std::string, int64_t, int64_t>>();
    auto found = findImplicitKind(kind);
    if (!found)
      throw py::value_error("there is no implicit argument of kind `" + kind + "`");
    return {*found, perLaunch, perBlock};
  }
};

/// In Python, a MessageSite is a tuple (format of a printed line, text of a failure), in which one string is empty.
template <>
struct InPython<MessageSite> {
  static std::string name() { return "tuple[str, str]"; }
  static py::object from(const MessageSite &value) {
    return py::make_tuple(value.format, value.isFailure() ? value.failure.render() : "");
  }
  static MessageSite to(py::handle value) {
    auto [format, failure] = value.cast<std::tuple<std::string, std::string>>();
    return {.format = format, .failure = {.message = failure}};
  }
};

/// In Python, a SyncSite is a tuple (kind of the synchronization, its location, true if it is explicit, earlier
/// operation, its location, later operation, its location, reason).
template <>
struct InPython<SyncSite> {
  static std::string name() { return "tuple[Any, ...]"; }
  static py::object from(const SyncSite &value) {
    auto place = [](const SyncPlace &at) { return py::make_tuple(at.file, at.line); };
    return py::make_tuple(value.what, place(value.at), value.isWritten, value.earlier, place(value.earlierAt),
                          value.later, place(value.laterAt), value.why);
  }
  static SyncSite to(py::handle value) {
    using Place = std::pair<std::string, int>;
    auto [what, at, isWritten, earlier, earlierAt, later, laterAt, why] =
        value.cast<std::tuple<std::string, Place, bool, std::string, Place, std::string, Place, std::string>>();
    return {what,
            {at.first, at.second},
            isWritten,
            earlier,
            later,
            {earlierAt.first, earlierAt.second},
            {laterAt.first, laterAt.second},
            why};
  }
};

/// In Python, a Diagnostic is its rendered text.
template <>
struct InPython<Diagnostic> {
  static std::string name() { return "str"; }
  static py::object from(const Diagnostic &value) { return py::str(renderWithSource(value)); }
  static Diagnostic to(py::handle value) { return {.message = value.cast<std::string>()}; }
};

template <typename T>
struct InPython<std::vector<T>> {
  static std::string name() { return "list[" + InPython<T>::name() + "]"; }
  static py::object from(const std::vector<T> &values) {
    py::list list;
    for (const T &value : values)
      list.append(InPython<T>::from(value));
    return list;
  }
  static std::vector<T> to(py::handle list) {
    std::vector<T> values;
    for (py::handle value : list)
      values.push_back(InPython<T>::to(value));
    return values;
  }
};

} // namespace

static KernelFacts makeFacts(const py::kwargs &given) {
  KernelFacts facts;
  size_t known = 0;
#define FACT(type, member, pythonName, attribute, description)                                                         \
  if (given.contains(pythonName)) {                                                                                    \
    facts.member = InPython<type>::to(given[pythonName]);                                                              \
    ++known;                                                                                                           \
  }
#include "runtime/KernelFacts.def"
  if (known != given.size())
    throw py::type_error("KernelFacts() got an unknown keyword argument");
  return facts;
}

static std::string reprOf(const KernelFacts &facts) {
  std::string text;
#define FACT(type, member, pythonName, attribute, description)                                                         \
  text += (text.empty() ? "" : ", ") + std::string(pythonName "=") +                                                   \
          py::repr(InPython<type>::from(facts.member)).cast<std::string>();
#include "runtime/KernelFacts.def"
  return "KernelFacts(" + text + ")";
}

/// Returns (name, type, description) of each fact.
static py::tuple listOfFacts() {
  py::list facts;
#define FACT(type, member, pythonName, attribute, description)                                                         \
  facts.append(py::make_tuple(pythonName, InPython<type>::name(), description));
#include "runtime/KernelFacts.def"
  return py::tuple(facts);
}

/// Returns the kernel's first operation that accesses global memory. Returns null if the kernel does not access global
/// memory, or if the kernel waits for the preceding grids.
static mlir::Operation *findUnawaitedAccess(mlir::ModuleOp module) {
  mlir::Operation *first = nullptr;
  mlir::WalkResult result = module.walk([&](mlir::Operation *op) {
    if (mlir::isa<hk_nv::WaitForGridsOp>(op))
      return mlir::WalkResult::interrupt();
    auto effects = mlir::dyn_cast<mlir::MemoryEffectOpInterface>(op);
    if (first || !effects || mlir::isa<hk_nv::LaunchDependentsOp>(op))
      return mlir::WalkResult::advance();
    llvm::SmallVector<mlir::MemoryEffects::EffectInstance> instances;
    effects.getEffects(instances);
    if (llvm::any_of(instances, [](auto &effect) { return effect.getResource() == hk::GlobalMemory::get(); }))
      first = op;
    return mlir::WalkResult::advance();
  });
  return result.wasInterrupted() ? nullptr : first;
}

std::vector<Diagnostic> warningsOfLaunch(mlir::ModuleOp module, py::handle options) {
  if (!options.attr("launch_pdl").cast<bool>() || !hk::targetOf(module).hasDependentLaunch)
    return {};
  mlir::Operation *access = findUnawaitedAccess(module);
  if (!access)
    return {};
  // The kernel may race with the preceding launch. The emulator cannot detect this race, because the emulator runs
  // launches one after the other. On a GPU, this race rarely causes wrong results.
  Diagnostic warning = hk::diagnosticAt(access->getLoc());
  warning.message = "launch_pdl=True lets this kernel begin before the preceding launch has ended, but the kernel "
                    "never waits for that launch";
  warning.hint = "call gl.extra.cuda.gdc_wait() before it accesses memory of the preceding launch";
  return {warning};
}

std::vector<std::string> namesOf(const std::vector<frontend::KernelParameter> &parameters) {
  std::vector<std::string> names;
  for (const frontend::KernelParameter &parameter : parameters)
    names.push_back(parameter.name);
  return names;
}

void completeFacts(KernelFacts &facts, const std::vector<std::string> &parameters, py::handle options,
                   const std::vector<Diagnostic> &warnings) {
  facts.warnings.insert(facts.warnings.end(), warnings.begin(), warnings.end());
  facts.cooperativeGrid = options.attr("launch_cooperative_grid").cast<bool>();
  facts.programmaticLaunch = options.attr("launch_pdl").cast<bool>();
  facts.parameters.insert(facts.parameters.end(), parameters.begin(), parameters.end());
  issueWarnings(facts.warnings);
}

void bindKernelFacts(py::module_ &module) {
  py::class_<KernelFacts> facts(module, "KernelFacts");
  facts.def(py::init(&makeFacts));
#define FACT(type, member, pythonName, attribute, description)                                                         \
  facts.def_property_readonly(                                                                                         \
      pythonName, [](const KernelFacts &self) { return InPython<type>::from(self.member); }, description);
#include "runtime/KernelFacts.def"
  facts.def("__repr__", &reprOf)
      .def(
          "__eq__", [](const KernelFacts &self, const KernelFacts &other) { return toBytes(self) == toBytes(other); },
          py::is_operator())
      .def("to_bytes", [](const KernelFacts &self) { return py::bytes(toBytes(self)); })
      .def_static(
          "from_bytes", [](const std::string &bytes) { return factsFromBytes(bytes); }, py::arg("bytes"))
      .def("issue_warnings", [](const KernelFacts &self) { issueWarnings(self.warnings); });
  facts.attr("FACTS") = listOfFacts();
}

} // namespace hocket::bindings
