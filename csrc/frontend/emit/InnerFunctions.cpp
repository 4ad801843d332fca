//===- InnerFunctions.cpp - `def` and `lambda` inside a kernel ------------------------===//
#include "frontend/emit/InnerFunctions.h"
#include "frontend/emit/Calls.h"

using namespace hocket;
using namespace hocket::frontend;

static constexpr const char *kCapsule = "hocket.inner_function";

namespace {
/// The contents of the Python capsule that represents an inner function.
struct InnerFunction {
  const KernelSource &source;
  CallSignature signature; ///< signature of the inner function, including default values
  std::weak_ptr<Frame *> definer;
  std::string definerName;
  std::string worker; ///< name of the warp_specialize worker that defines the function; empty in the default partition
};
} // namespace

static InnerFunction &innerFunctionOf(py::handle object) {
  return *static_cast<InnerFunction *>(PyCapsule_GetPointer(object.ptr(), kCapsule));
}

bool hocket::frontend::isInnerFunction(py::handle object) { return PyCapsule_IsValid(object.ptr(), kCapsule); }

Value hocket::frontend::defineFunction(FrameEmitter &e, ExpressionEmitter &expressions,
                                       const ast::InnerFunction &function, int index) {
  const KernelSource &source = *e.frame->source.inner[index];
  auto inner = std::make_unique<InnerFunction>(
      InnerFunction{source, *source.signature, e.frame->self, e.frame->source.tree->name, e.worker});
  for (auto [parameter, described] : llvm::zip(function.parameters, inner->signature.parameters))
    if (parameter.defaultValue)
      described.defaultValue =
          e.requireConstexpr(expressions.visit(parameter.defaultValue), "the default of `" + parameter.name + "`",
                             e.rangeOf(*parameter.defaultValue));
  const char *name = source.tree->name.c_str(); // the syntax tree owns the string and outlives the capsule
  PyObject *capsule = PyCapsule_New(inner.release(), kCapsule, [](PyObject *object) {
    delete static_cast<InnerFunction *>(PyCapsule_GetPointer(object, kCapsule));
  });
  PyCapsule_SetContext(capsule, const_cast<char *>(name));
  return Value::constant(py::reinterpret_steal<py::object>(capsule));
}

Value hocket::frontend::callInnerFunction(FrameEmitter &e, py::handle object, CallArguments arguments) {
  const InnerFunction &function = innerFunctionOf(object);
  const std::string &name = function.source.tree->name;
  std::shared_ptr<Frame *> definer = function.definer.lock();
  if (!definer)
    e.error("`" + name + "` cannot be called any more: the call of `" + function.definerName +
                "` in which it is defined has ended",
            "decorate it with @hocket.jit outside, and pass the values that it needs");
  if (function.worker != e.worker)
    e.error("`" + name + "` cannot be called here: it is defined in another partition",
            "decorate it with @hocket.jit outside, and pass the values that it needs");
  for (const Frame *active = e.frame; active; active = active->caller)
    if (&active->source == &function.source)
      e.error("`" + name + "` calls itself; recursion is not supported in kernels",
              "write a loop, or unroll with gl.static_range");
  Frame callee((*definer)->function, function.source, e.frame);
  callee.definer = *definer;
  enterFunction(e, callee, function.signature, name, std::move(arguments));
  return e.emitBody(callee);
}
