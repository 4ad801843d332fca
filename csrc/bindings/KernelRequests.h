//===- KernelRequests.h - Conversion of a specialization to a front end request ----===//
#ifndef HOCKET_BINDINGS_KERNELREQUESTS_H
#define HOCKET_BINDINGS_KERNELREQUESTS_H

#include "frontend/Frontend.h"
#include "pipeline/Compile.h"

namespace hocket::bindings {

/// Returns the front end's request for a specialization. `types` and `values` are the results of dispatch::describe,
/// and have one entry for each parameter. An entry of `types` is a type text such as "*f32:16", a tuple of such
/// entries, or None. If the entry is None, the parameter is the constant in `values`. `options` is a
/// hocket.runtime.options.Options.
frontend::KernelRequest makeRequest(pybind11::object function, pybind11::handle types, pybind11::handle values,
                                    const std::string &target, pybind11::handle options);

/// An MLIRContext from a pool, for one compilation at a time. The pool exists because creating a context takes longer
/// than compiling a small kernel.
class BorrowedContext {
public:
  BorrowedContext();
  ~BorrowedContext();
  BorrowedContext(const BorrowedContext &) = delete;

  mlir::MLIRContext &operator*() { return *context; }

private:
  std::unique_ptr<mlir::MLIRContext> context;
  int uses;
};

} // namespace hocket::bindings

#endif
