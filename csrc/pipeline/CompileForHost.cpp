//===- CompileForHost.cpp - Compiles a module in lane form for the emulator -------------===//
#include "pipeline/CompileForHost.h"

#include "mlir/IR/Diagnostics.h"
#include "support/Steps.h"

namespace hocket {

/// Converts `module` from lane form to a host function, in place. If the conversion fails, returns an error with the
/// messages that the conversion has reported.
static llvm::Error convert(mlir::ModuleOp module, HostCodeOptions options) {
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic &diagnostic) {
    llvm::raw_string_ostream stream(messages);
    stream << (messages.empty() ? "" : "\n") << diagnostic.getLocation() << ": " << diagnostic;
    return mlir::success();
  });
  beginStep("host conversion");
  if (failed(convertLaneToHost(module, options)))
    return llvm::createStringError(messages);
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<EmulatedKernel>> compileForHost(mlir::ModuleOp module, HostCodeOptions options,
                                                               bool optimized) {
  if (llvm::Error error = convert(module, options))
    return std::move(error);
  return EmulatedKernel::create(module, optimized);
}

} // namespace hocket
