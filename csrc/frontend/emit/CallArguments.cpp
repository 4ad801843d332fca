//===- CallArguments.cpp - Arguments of a call, and binding to parameters -------------===//
#include "frontend/emit/CallArguments.h"
#include "frontend/semantics/ForeignNames.h"
#include "frontend/values/LanguageObjects.h"
#include "layout/LayoutWarps.h"
#include "support/NearestName.h"

using namespace hocket;
using namespace hocket::frontend;

static std::string plural(size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

/// Returns the element of `names` that the user probably meant by the keyword `name`: a similar name, or a longer name
/// such as `worker_num_warps` for `num_warps`.
static std::string nearestParameter(const std::string &name, const std::vector<std::string> &names) {
  if (std::string nearest = nearestName(name, names); !nearest.empty())
    return nearest;
  auto whole = llvm::find_if(names, [&](llvm::StringRef each) { return each.ends_with("_" + name); });
  return whole == names.end() ? "" : *whole;
}

/// Returns a hint with an example of the missing argument `layout` of `function`.
static std::string exampleOfLayout(Emitter &e, llvm::StringRef function) {
  if (function.contains("tensor_descriptor"))
    return "pass the layout of the tiles in shared memory: gl.NVMMASharedLayout.get_default_for(block_shape, dtype)";
  if (function.contains("allocate_shared_memory"))
    return "pass one, such as gl.SwizzledSharedLayout(1, 1, 1, [1, 0])";
  return "pass one, such as gl.BlockedLayout([1], [" + std::to_string(e.target.warpSize) + "], [" +
         std::to_string(layoutWarps(e.options.numWarps)) + "], [0])";
}

std::vector<Arguments::Slot> hocket::frontend::bindArguments(Emitter &e, const CallSignature &signature,
                                                             std::string_view displayName, CallArguments arguments) {
  std::string callee = "`" + std::string(displayName) + "`";
  ErrorDetails asDeclared{{{"declared", std::string(displayName) + signature.toString()}}, {}};
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
      bool takesAny = llvm::any_of(signature.parameters,
                                   [](const Parameter &parameter) { return parameter.kind == Parameter::VarKeywords; });
      if (takesAny)
        details.hint = "kernels do not support `**` parameters: declare the parameter by its name";
      else if (std::string nearest = nearestParameter(keyword.name, signature.names); !nearest.empty())
        details.hint = "did you mean `" + nearest + "`?";
      else
        details.hint = hintForKeyword(keyword.name);
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
    else {
      if (signature.names[i] == "layout")
        asDeclared.hint = exampleOfLayout(e, displayName);
      e.error("missing argument `" + signature.names[i] + "` of " + callee, asDeclared);
    }
  }
  return slots;
}
