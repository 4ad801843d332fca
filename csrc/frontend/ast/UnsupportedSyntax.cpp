//===- UnsupportedSyntax.cpp - Python syntax that the language lacks ----------------===//
#include "frontend/ast/UnsupportedSyntax.h"

using namespace hocket::frontend;

namespace {
struct Advice {
  std::string_view pythonKind; ///< class of the node in Python's ast
  const char *what;            ///< subject and verb of the error message
  const char *instead;
};
constexpr Advice kAdvice[] = {
    {"Try", "`try` is", "kernels raise no exceptions; check with gl.static_assert or assert"},
    {"TryStar", "`try` is", "kernels raise no exceptions; check with gl.static_assert or assert"},
    {"Raise", "`raise` is", "use gl.static_assert at compile time, assert at run time"},
    {"AsyncFunctionDef", "async functions are", "leave out `async`"},
    {"ClassDef", "classes inside kernels are", "move it out of the kernel"},
    {"AsyncWith", "`async with` is", "use `with`"},
    {"AsyncFor", "`async for` is", "use `for` over range or gl.static_range"},
    {"Dict", "dicts are", "use a tuple, or a namedtuple defined in the module"},
    {"DictComp", "dicts are", "use a tuple, or a namedtuple defined in the module"},
    {"Set", "sets are", "use a tuple"},
    {"SetComp", "sets are", "use a tuple"},
    {"GeneratorExp", "generators are", "use a list: [f(x) for x in xs]"},
    {"Delete", "`del` is", "remove it: local variables end with the function"},
    {"Yield", "`yield` is", "return a tuple"},
    {"YieldFrom", "`yield` is", "return a tuple"},
    {"Await", "`await` is", ""},
    {"Global", "`global` is", "kernels cannot assign to globals; return the value"},
    {"Nonlocal", "`nonlocal` is", "kernels cannot assign to outer names; return the value"},
    {"Import", "`import` is", "import at the top of the module"},
    {"ImportFrom", "`import` is", "import at the top of the module"},
    {"Match", "`match` is", "use if and elif"},
    {"TypeAlias", "`type` is", "define it in the module"},
    {"TemplateStr", "template strings are", "use an f-string"},
};
} // namespace

ast::UnsupportedSyntax ast::unsupportedSyntax(std::string_view pythonKind) {
  if (pythonKind == kNestedTooDeeply)
    return {"this is nested too deeply", "assign parts of the expression to variables, or move code into functions"};
  for (const Advice &advice : kAdvice)
    if (pythonKind == advice.pythonKind)
      return {std::string(advice.what) + " not supported in kernels", advice.instead};
  return {"this syntax (" + std::string(pythonKind) + ") is not supported in kernels", ""};
}
