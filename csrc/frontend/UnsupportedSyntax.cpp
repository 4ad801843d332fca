//===- UnsupportedSyntax.cpp - What to write instead ----------------------------------------===//
#include "frontend/KernelEmitter.h"

using namespace hocket;
using namespace hocket::frontend;

namespace {
struct Advice {
  std::string_view pythonKind; ///< class of Python's ast
  const char *what;
  const char *instead;
};
constexpr Advice kAdvice[] = {
    {"Break", "`break`", "count the iterations first, or use a `while` whose condition holds the end"},
    {"Continue", "`continue`", "put the rest of the body into an `if`"},
    {"Try", "`try`", "kernels raise no exceptions; check with gl.static_assert or assert"},
    {"TryStar", "`try`", "kernels raise no exceptions; check with gl.static_assert or assert"},
    {"Raise", "`raise`", "use gl.static_assert at compile time, assert at run time"},
    {"FunctionDef", "a function inside a kernel", "move it to the module and decorate it with @hocket.jit"},
    {"AsyncFunctionDef", "a function inside a kernel", "move it to the module and decorate it with @hocket.jit"},
    {"ClassDef", "a class inside a kernel", "move it out of the kernel"},
    {"Lambda", "`lambda`", "define a function with @hocket.jit in the module"},
    {"With", "`with`", "there are no context managers for kernels yet"},
    {"AsyncWith", "`async with`", "there are no context managers for kernels yet"},
    {"AsyncFor", "`async for`", "use `for` over range or gl.static_range"},
    {"Dict", "a dict", "use a tuple, or a namedtuple defined in the module"},
    {"DictComp", "a dict", "use a tuple, or a namedtuple defined in the module"},
    {"Set", "a set", "use a tuple"},
    {"SetComp", "a set", "use a tuple"},
    {"GeneratorExp", "a generator", "use a list: [f(x) for x in xs]"},
    {"Delete", "`del`", "names end with the function"},
    {"Yield", "`yield`", "return a tuple"},
    {"YieldFrom", "`yield`", "return a tuple"},
    {"Await", "`await`", ""},
    {"Global", "`global`", "kernels cannot assign to globals; return the value"},
    {"Nonlocal", "`nonlocal`", "kernels cannot assign to outer names; return the value"},
    {"Import", "`import`", "import at the top of the module"},
    {"ImportFrom", "`import`", "import at the top of the module"},
    {"Match", "`match`", "use if and elif"},
    {"TypeAlias", "`type`", "define it in the module"},
    {"TemplateStr", "a template string", "use an f-string"},
};
} // namespace

void KernelEmitter::raiseUnsupported(const ast::Node &node, llvm::StringRef pythonKind) {
  SourceRange where = rangeOf(node);
  if (where.endLine != where.line) {
    // A whole block would be underlined: its first word is enough.
    std::string line = where.file->line(where.line);
    where.endLine = where.line;
    where.endColumn = static_cast<int>(line.find_first_of(" (:", where.column));
    if (where.endColumn < 0)
      where.endColumn = static_cast<int>(line.size());
  }
  for (const Advice &advice : kAdvice)
    if (pythonKind == llvm::StringRef(advice.pythonKind))
      errorAt(where, std::string(advice.what) + " is not supported in kernels", {{}, advice.instead});
  errorAt(where, "this syntax (" + pythonKind.str() + ") is not supported in kernels", {});
}
