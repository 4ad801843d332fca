//===- ForeignNames.cpp - Hints for names from other languages ----------------------===//
#include "frontend/semantics/ForeignNames.h"
#include "frontend/semantics/VendorNames.h"
#include "frontend/values/LanguageObjects.h"

namespace hocket::frontend {

static std::string advice(const char *kind, const std::string &name) {
  return py::module_::import("hocket.language._foreign_names").attr("advice")(kind, name).cast<std::string>();
}

std::string hintForFunction(const std::string &name) {
  std::string hint = elsewhereInLanguage(name);
  return hint.empty() ? advice("language", name) : hint;
}

std::string hintForKeyword(const std::string &name) { return advice("keyword", name); }

static std::string hintForModule(py::handle module, const std::string &name) {
  auto home = module.attr("__name__").cast<std::string>();
  if (home == "hocket") {
    std::string hint = advice("package", name);
    return hint.empty() ? hintForFunction(name) : hint;
  }
  if (home == "hocket.language.profiler")
    return advice("profiler", name);
  auto ofModule = py::module_::import("hocket.language._foreign_names").attr("module_advice");
  if (auto hint = ofModule(home, name).cast<std::string>(); !hint.empty())
    return hint;
  return home.starts_with("hocket.") ? hintForFunction(name) : "";
}

std::string hintForAttribute(const Value &base, const std::string &name) {
  if (const Constexpr *constant = base.asConstexpr()) {
    if (py::isinstance(constant->object, languageObject("nvidia.ampere.named_barrier.NamedBarrier")))
      return advice("named_barrier", name);
    return PyModule_Check(constant->object.ptr()) ? hintForModule(constant->object, name) : "";
  }
  const Runtime *value = base.asRuntime();
  if (const Tuple *tuple = base.asTuple(); tuple && !tuple->elements.empty()) {
    const Runtime *first = tuple->elements.front().asRuntime();
    return first && first->type.isTensorDesc() ? advice("descriptor", name) : "";
  }
  if (!value)
    return "";
  bool isShared = value->type.kind == ValueType::MemDesc;
  std::string hint = advice(isShared ? "shared_memory" : value->type.isPointer() ? "pointer" : "tensor", name);
  if (!hint.empty() || isShared)
    return hint;
  py::object function = py::getattr(py::module_::import("hocket.language"), name.c_str(), py::none());
  return isBuiltin(function) ? "it is a function: gl." + name + "(x, ...)" : "";
}

} // namespace hocket::frontend
