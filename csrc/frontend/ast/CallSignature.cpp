//===- CallSignature.cpp - The parameters of a Python function ----------------------===//
#include "frontend/ast/CallSignature.h"
#include "frontend/ast/KeptOnFunction.h"
#include "frontend/values/LanguageObjects.h"

using namespace hocket;
using namespace hocket::frontend;
namespace py = pybind11;

bool frontend::isConstexprText(llvm::StringRef annotation) {
  llvm::StringRef text = annotation.split('[').first.trim(" \"'");
  return text == "constexpr" || text.ends_with(".constexpr");
}

/// True for the annotations `gl.constexpr` and `gl.constexpr[int]`. With `from __future__ import annotations`, the
/// annotation is a string.
static bool isConstexprAnnotation(py::handle annotation) {
  if (!PyUnicode_Check(annotation.ptr()))
    return annotation.is(languageObject("constexpr"));
  return isConstexprText(annotation.cast<std::string_view>());
}

static std::unique_ptr<CallSignature> readSignature(py::handle function) {
  auto signature = std::make_unique<CallSignature>();
  signature->function = function.attr("__name__").cast<std::string>();
  py::object code = function.attr("__code__");
  py::tuple names = code.attr("co_varnames");
  size_t positional = code.attr("co_argcount").cast<size_t>();
  size_t keywordOnly = code.attr("co_kwonlyargcount").cast<size_t>();
  int flags = code.attr("co_flags").cast<int>();
  py::object defaults = function.attr("__defaults__"), keywordDefaults = function.attr("__kwdefaults__");
  size_t firstDefault = positional - (defaults.is_none() ? 0 : py::len(defaults));
  py::dict annotations = function.attr("__annotations__");

  // A Python code object lists the parameters in the order positional, keyword-only, *args, **kwargs. CallSignature
  // lists the parameters in the order of the `def`.
  auto add = [&](Parameter::Kind kind, size_t nameIndex, py::object defaultValue) {
    py::object name = names[nameIndex];
    bool isConstexpr = annotations.contains(name) && isConstexprAnnotation(annotations[name]);
    signature->names.push_back(name.cast<std::string>());
    signature->parameters.push_back({kind, std::move(defaultValue), isConstexpr});
  };
  constexpr int kVarArgsFlag = 0x04, kVarKeywordsFlag = 0x08;
  size_t starred = positional + keywordOnly;
  for (size_t i = 0; i < positional; ++i)
    add(Parameter::Normal, i, i < firstDefault ? py::object() : py::tuple(defaults)[i - firstDefault]);
  if (flags & kVarArgsFlag)
    add(Parameter::VarArgs, starred++, {});
  for (size_t i = positional; i < positional + keywordOnly; ++i) {
    bool hasDefault = !keywordDefaults.is_none() && py::dict(keywordDefaults).contains(names[i]);
    add(Parameter::KeywordOnly, i, hasDefault ? py::object(keywordDefaults[names[i]]) : py::object());
  }
  if (flags & kVarKeywordsFlag)
    add(Parameter::VarKeywords, starred, {});
  signature->numPositional = positional;
  return signature;
}

const CallSignature &CallSignature::of(py::handle function) {
  return keptOnFunction<CallSignature>(function, readSignature);
}

std::string CallSignature::toString() const {
  std::string text;
  bool sawStar = false;
  auto append = [&](const std::string &item) { text += (text.empty() ? "" : ", ") + item; };
  for (size_t i = 0; i < names.size(); ++i) {
    const Parameter &parameter = parameters[i];
    sawStar |= parameter.kind == Parameter::VarArgs;
    if (parameter.kind == Parameter::KeywordOnly && !std::exchange(sawStar, true))
      append("*");
    const char *prefix = parameter.kind == Parameter::VarArgs       ? "*"
                         : parameter.kind == Parameter::VarKeywords ? "**"
                                                                    : "";
    std::string suffix =
        parameter.defaultValue ? "=" + py::repr(parameter.defaultValue).cast<std::string>() : std::string();
    append(prefix + names[i] + suffix);
  }
  return "(" + text + ")";
}
