//===- KernelSource.h - Source, tree and parameters of a Python function ------------===//
#ifndef HOCKET_FRONTEND_KERNELSOURCE_H
#define HOCKET_FRONTEND_KERNELSOURCE_H

#include "frontend/ast/CallSignature.h"
#include "frontend/ast/SourceAst.h"
#include "frontend/ast/SourceFile.h"
#include <memory>

namespace hocket::frontend {

/// The source, tree and parameters of a function defined with `def`.
struct KernelSource {
  explicit KernelSource(SourceFile file) : file(std::move(file)) {}

  SourceFile file;
  std::unique_ptr<ast::Function> tree;
  const CallSignature *signature = nullptr;
  /// Sources of the inner functions, in the order of ast::Function::inner. The signature of an inner function has no
  /// default values, because the emitter evaluates default values when it reaches the `def`.
  std::vector<std::unique_ptr<KernelSource>> inner;
  std::unique_ptr<const CallSignature> ownSignature;

  SourceRange range(const ast::Node &node) const {
    return {&file, node.line, node.column, node.endLine, node.endColumn};
  }

  /// Returns the source of `function`, which is parsed at the first use and then cached for the lifetime of the
  /// function. Throws CompileError if the source is not available.
  static const KernelSource &of(pybind11::handle function);
};

} // namespace hocket::frontend

#endif
