//===- CallSignature.cpp - Parameters of a Python function, and binding them -------===//
#include "frontend/emit/CallSignature.h"
#include "frontend/ast/KeptOnFunction.h"
#include "frontend/values/PythonTypes.h"
#include "support/NearestName.h"

using namespace hocket;
using namespace hocket::frontend;

/// `gl.constexpr`, `gl.constexpr[int]`, or either as a string (`from __future__ import annotations`).
static bool isConstexprAnnotation(py::handle annotation) {
  if (!PyUnicode_Check(annotation.ptr()))
    return annotation.is(Emitter::languageObject("constexpr"));
  llvm::StringRef text = annotation.cast<std::string_view>();
  text = text.split('[').first.trim(" \"'");
  return text == "constexpr" || text.ends_with(".constexpr");
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

  // The code object's order is positional, keyword-only, *args, **kwargs; ours is that of the `def`.
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

// Binding -------------------------------------------------------------------------------------------------------------

static std::string plural(size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

/// The parameter list as the user would write it: "(ptr, mask=None, *, other=None)".
static std::string parameterList(const CallSignature &signature) {
  std::string text;
  bool sawStar = false;
  auto append = [&](const std::string &item) { text += (text.empty() ? "" : ", ") + item; };
  for (size_t i = 0; i < signature.names.size(); ++i) {
    const Parameter &parameter = signature.parameters[i];
    sawStar |= parameter.kind == Parameter::VarArgs;
    if (parameter.kind == Parameter::KeywordOnly && !std::exchange(sawStar, true))
      append("*");
    const char *prefix = parameter.kind == Parameter::VarArgs       ? "*"
                         : parameter.kind == Parameter::VarKeywords ? "**"
                                                                    : "";
    std::string suffix =
        parameter.defaultValue ? "=" + py::repr(parameter.defaultValue).cast<std::string>() : std::string();
    append(prefix + signature.names[i] + suffix);
  }
  return "(" + text + ")";
}

std::vector<Arguments::Slot> hocket::frontend::bindArguments(Emitter &e, const CallSignature &signature,
                                                             std::string_view displayName, CallArguments arguments) {
  std::string callee = "`" + std::string(displayName) + "`";
  ErrorDetails asDeclared{{{"declared", std::string(displayName) + parameterList(signature)}}, {}};
  std::vector<Arguments::Slot> slots(signature.names.size());

  auto varArgs = llvm::find_if(signature.parameters, [](const Parameter &p) { return p.kind == Parameter::VarArgs; });
  if (varArgs != signature.parameters.end()) {
    Tuple extra;
    for (size_t i = signature.numPositional; i < arguments.positional.size(); ++i)
      extra.elements.push_back(arguments.positional[i].value);
    slots[varArgs - signature.parameters.begin()] = {std::move(extra), e.here()};
  } else if (arguments.positional.size() > signature.numPositional) {
    e.errorAt(arguments.positional[signature.numPositional].where,
              callee + " takes " + plural(signature.numPositional, "positional argument") + ", but " +
                  std::to_string(arguments.positional.size()) + " are given",
              asDeclared);
  }
  size_t given = std::min(signature.numPositional, arguments.positional.size());
  for (size_t i = 0; i < given; ++i)
    slots[i] = {std::move(arguments.positional[i].value), arguments.positional[i].where};

  for (CallArguments::Keyword &keyword : arguments.keywords) {
    size_t index = llvm::find(signature.names, keyword.name) - signature.names.begin();
    if (index == signature.names.size() || signature.parameters[index].kind >= Parameter::VarArgs) {
      ErrorDetails details = asDeclared;
      if (std::string nearest = nearestName(keyword.name, signature.names); !nearest.empty())
        details.hint = "did you mean `" + nearest + "`?";
      e.errorAt(keyword.nameWhere, callee + " has no parameter `" + keyword.name + "`", details);
    }
    if (slots[index].value)
      e.errorAt(keyword.nameWhere, callee + " gets two values for `" + keyword.name + "`", asDeclared);
    slots[index] = {std::move(keyword.value), keyword.where};
  }

  for (size_t i = 0; i < slots.size(); ++i) {
    const Parameter &parameter = signature.parameters[i];
    if (slots[i].value)
      continue;
    if (parameter.kind == Parameter::VarKeywords)
      slots[i].value = Value::constant(py::dict());
    else if (parameter.defaultValue)
      slots[i] = {Value::constant(unwrapConstexpr(parameter.defaultValue)), e.here(), true};
    else
      e.error("missing argument `" + signature.names[i] + "` of " + callee, asDeclared);
  }
  return slots;
}
