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
  /// Sources of the inner functions, indexed like ast::Function::inner. Their signatures lack the defaults, which are
  /// evaluated where the function is defined.
  std::vector<std::unique_ptr<KernelSource>> inner;
  std::unique_ptr<const CallSignature> ownSignature;

  SourceRange range(const ast::Node &node) const {
    return {&file, node.line, node.column, node.endLine, node.endColumn};
  }

  /// Parsed at the first use, then cached for the lifetime of the function. Throws CompileError if there is no source.
  static const KernelSource &of(pybind11::handle function);
};

} // namespace hocket::frontend

#endif
