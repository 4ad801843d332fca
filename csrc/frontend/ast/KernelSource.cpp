//===- KernelSource.cpp - Source, tree and parameters of a Python function ----------===//
#include "frontend/ast/KernelSource.h"
#include "frontend/ast/KeptOnFunction.h"
#include "frontend/ast/SourceStamp.h"
#include "support/CompileError.h"

using namespace hocket;
using namespace hocket::frontend;
namespace py = pybind11;

/// Parses the text of a definition with Python's parser, and returns the ast node of the definition. Indented text is
/// parsed as the body of an `if 1:`, so that columns in the tree are columns in the file.
static py::object parse(const std::string &text, const std::string &path, int &lineOffset) {
  constexpr int kOnlyAst = 0x400;
  bool isIndented = !text.empty() && (text[0] == ' ' || text[0] == '\t');
  py::object compile = py::module_::import("builtins").attr("compile");
  py::object module = compile(isIndented ? "if 1:\n" + text : text, path, "exec", kOnlyAst, true);
  py::object definition = py::list(module.attr("body"))[0];
  if (isIndented) {
    --lineOffset;
    definition = py::list(definition.attr("body"))[0];
  }
  return definition;
}

/// Creates the KernelSource of each inner function of `outer`.
static void makeInnerSources(KernelSource &outer) {
  for (ast::InnerFunction &function : outer.tree->inner) {
    auto source = std::make_unique<KernelSource>(outer.file);
    auto signature = std::make_unique<CallSignature>();
    signature->function = function.tree->name;
    for (const ast::InnerParameter &parameter : function.parameters) {
      auto kind = static_cast<Parameter::Kind>(parameter.kind);
      signature->names.push_back(parameter.name);
      signature->parameters.push_back({kind, {}, parameter.isConstexpr});
      signature->numPositional += kind == Parameter::Normal;
    }
    source->tree = std::move(function.tree);
    source->ownSignature = std::move(signature);
    source->signature = source->ownSignature.get();
    makeInnerSources(*source);
    outer.inner.push_back(std::move(source));
  }
}

static std::unique_ptr<KernelSource> readSource(py::handle function) {
  auto name = function.attr("__name__").cast<std::string>();
  py::object code = function.attr("__code__");
  auto source = std::make_unique<KernelSource>(SourceFile(code.attr("co_filename").cast<std::string>()));
  int firstLine = code.attr("co_firstlineno").cast<int>();
  std::string text = source->file.definitionAt(firstLine);
  if (isDeleted(function))
    throw CompileError({.file = source->file.path(),
                        .line = 0,
                        .message = "this file is missing, so `" + name + "` cannot be compiled",
                        .notes = {},
                        .hint = "a kernel is compiled at its first launch: do not delete its file before that",
                        .callChain = {}});
  if (!isUnedited(function))
    throw CompileError(
        {.file = source->file.path(),
         .line = 0,
         .message = "this file was edited after `" + name + "` was imported from its line " + std::to_string(firstLine),
         .notes = {},
         .hint = "import it again: restart the program, or use importlib.reload",
         .callChain = {}});
  if (text.empty())
    throw CompileError(
        {.file = source->file.path(),
         .line = 0,
         .message = "the source of `" + name + "` is not available",
         .notes = {},
         .hint = "define kernels in a file or in a notebook cell, not in exec() or at Python's interactive prompt",
         .callChain = {}});
  int lineOffset = firstLine - 1;
  py::object definition;
  try {
    definition = parse(text, source->file.path(), lineOffset);
  } catch (py::error_already_set &) {
    // `definition` stays null, so that the `if` below raises the error.
  }
  if (!definition || !py::isinstance(definition, py::module_::import("ast").attr("FunctionDef")))
    throw CompileError({.file = source->file.path(),
                        .line = firstLine,
                        .message = "`" + name + "` is not a function that begins with `def` at this line",
                        .notes = {},
                        .hint = "lambdas and async functions cannot be kernels",
                        .sourceLine = source->file.line(firstLine),
                        .callChain = {}});
  source->signature = &CallSignature::of(function);
  source->tree = ast::convertFunction(definition, lineOffset, source->signature->names);
  makeInnerSources(*source);
  return source;
}

const KernelSource &KernelSource::of(py::handle function) { return keptOnFunction<KernelSource>(function, readSource); }
