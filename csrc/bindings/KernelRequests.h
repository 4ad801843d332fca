//===- KernelRequests.h - Conversion of a specialization to a front end request ----===//
#ifndef HOCKET_BINDINGS_KERNELREQUESTS_H
#define HOCKET_BINDINGS_KERNELREQUESTS_H

#include "frontend/Frontend.h"
#include "pipeline/Compile.h"

namespace hocket::bindings {

/// Returns the front end's request for a specialization. `types` and `values`, results of dispatch::describe, have one
/// entry for each parameter: a type is a signature text, None for a constant that is in `values`, or a tuple of these.
/// `options` is a hocket.runtime.options.Options.
frontend::KernelRequest makeRequest(pybind11::object function, pybind11::handle types, pybind11::handle values,
                                    const std::string &target, pybind11::handle options);

/// An MLIRContext from a pool, for one compilation in this thread. Creating a context takes longer than compiling a
/// small kernel in it.
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
