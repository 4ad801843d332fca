//===- KernelSource.h - A Python function as the compiler sees it -------------------===//
#ifndef HOCKET_FRONTEND_KERNELSOURCE_H
#define HOCKET_FRONTEND_KERNELSOURCE_H

#include "frontend/ast/CallSignature.h"
#include "frontend/ast/SourceAst.h"
#include "frontend/ast/SourceFile.h"
#include <memory>

namespace hocket::frontend {

/// The source, tree and parameters of a function defined with `def`.
struct KernelSource {
  explicit KernelSource(std::string path) : file(std::move(path)) {}

  SourceFile file;
  std::unique_ptr<ast::Function> tree;
  const CallSignature *signature = nullptr;

  SourceRange range(const ast::Node &node) const {
    return {&file, node.line, node.column, node.endLine, node.endColumn};
  }

  /// Parsed at the first use, then kept while the function lives. CompileError when there is no source.
  static const KernelSource &of(pybind11::handle function);
};

} // namespace hocket::frontend

#endif
