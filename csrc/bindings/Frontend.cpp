//===- Frontend.cpp - Calls of the front end from Python ------------------------------===//
#include "frontend/Frontend.h"
#include "bindings/Bindings.h"
#include "frontend/Signature.h"
#include "frontend/semantics/Builtins.h"
#include "llvm/Support/raw_ostream.h"

namespace py = pybind11;
using namespace hocket;
using namespace hocket::frontend;

/// Returns the arguments of a kernel. `signature` holds a type text (see frontend/Signature.h) for each parameter that
/// is not in `constexprs`, in the order of the parameters.
static std::vector<ArgumentSpec> parseSignature(py::handle function, const py::list &signature,
                                                const py::dict &constexprs) {
  std::vector<ArgumentSpec> arguments;
  py::object code = py::getattr(function, "fn", function).attr("__code__");
  auto names = py::list(code.attr("co_varnames"));
  size_t count = code.attr("co_argcount").cast<size_t>() + code.attr("co_kwonlyargcount").cast<size_t>();
  size_t next = 0;
  for (size_t i = 0; i < count; ++i) {
    if (constexprs.contains(names[i]))
      arguments.push_back({ConstexprArgument{constexprs[names[i]]}});
    else if (next < signature.size())
      arguments.push_back(parseArgument(signature[next++].cast<std::string>()));
    else
      throw std::invalid_argument("signature: no entry for the parameter `" + names[i].cast<std::string>() + "`");
  }
  if (next < signature.size())
    throw std::invalid_argument("signature: too many entries: " + std::to_string(signature.size() - next) +
                                " left over");
  return arguments;
}

static std::string emitHk(py::object function, const py::list &signature, const py::dict &constexprs,
                          const std::string &target, int numWarps, bool debug, bool locations) {
  KernelRequest request;
  request.target = findTarget(target);
  if (!request.target)
    throw std::invalid_argument("unknown target `" + target + "`");
  request.arguments = parseSignature(function, signature, constexprs);
  request.function = std::move(function);
  request.options = {.numWarps = numWarps, .debug = debug};
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  EmittedModule emitted = emitModule(context, request);
  std::string text;
  llvm::raw_string_ostream stream(text);
  mlir::OpPrintingFlags flags;
  emitted.module->print(stream, locations ? flags.enableDebugInfo(true, true) : flags);
  return text;
}

/// Returns the signature of each builtin that the front end implements, by name.
static py::dict builtinSignatures() {
  py::dict signatures;
  for (const BuiltinEntry *entry : allBuiltins())
    signatures[py::str(entry->name)] = py::str(entry->signature);
  return signatures;
}

void hocket::bindings::bindFrontend(py::module_ &module) {
  module.def("builtin_signatures", &builtinSignatures,
             "The signature of each builtin that the front end implements, by its name below hocket.language.");
  module.def("emit_hk", &emitHk, py::arg("function"), py::arg("signature"), py::arg("constexprs") = py::dict(),
             py::arg("target") = "sm_90a", py::arg("num_warps") = 4, py::arg("debug") = false,
             py::arg("locations") = false,
             "The hk IR of a kernel, as text. `signature` has one entry per parameter that is not in `constexprs`.");
}
