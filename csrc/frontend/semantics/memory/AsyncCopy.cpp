//===- AsyncCopy.cpp - Common arguments of asynchronous copy builtins ----------------------===//
#include "frontend/semantics/memory/AsyncCopy.h"

namespace hocket::frontend {

Runtime copyDestinationAt(Emitter &e, const Arguments &args, ParameterName parameter, const AccessShape &shape) {
  const Runtime *tile = args[parameter].asRuntime();
  if (!tile || !tile->type.isMemDesc())
    e.errorAt(args.where(parameter),
              args.what(parameter) + " must be shared memory, but is " + args[parameter].describe(),
              {{}, "allocate it with gl.allocate_shared_memory"});
  std::string name(parameter.text);
  if (tile->type.shape != shape.type.shape) {
    bool isRing = tile->type.rank() > llvm::cast<hk::SharedLayout>(tile->type.layout).getRank();
    e.errorAt(args.where(parameter),
              args.what(parameter) + " does not have the shape of `" + std::string(shape.argument) + "`",
              {{{name, tile->type.toString()}, {std::string(shape.argument), shape.type.toString()}},
               isRing ? "select one buffer: " + name + ".index(i)" : ""});
  }
  if (DType element = memoryType(shape.element); tile->type.dtype() != element)
    e.errorAt(args.where(parameter), args.what(parameter) + " does not have the dtype that is copied",
              {{{name, tile->type.toString()}, {"source", std::string(element.name())}},
               "a copy converts nothing: allocate shared memory of gl." + std::string(element.name()) +
                   ", or load to registers, convert and store"});
  return *tile;
}

Runtime pointersAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  Runtime pointer = pointerAt(e, args, parameter);
  if (!pointer.type.isTensor())
    e.errorAt(args.where(parameter),
              args.what(parameter) + " must be a tensor of pointers, but is " + args[parameter].describe(),
              {{}, "add a tensor of offsets to it"});
  return pointer;
}

Value commitGroup(Emitter &e, Arguments &) {
  e.create<hk::AsyncCommitGroupOp>();
  return Value::none();
}

Value waitGroup(Emitter &e, Arguments &args) {
  int64_t outstanding = args.intAt(e, "num_outstanding");
  if (outstanding > INT32_MAX)
    e.errorAt(args.where("num_outstanding"),
              args.what("num_outstanding") + " is too large: " + std::to_string(outstanding));
  if (outstanding < 0)
    e.errorAt(args.where("num_outstanding"),
              args.what("num_outstanding") + " must not be negative, but is " + std::to_string(outstanding),
              {{}, "it counts the newest groups that may still be in flight; 0 waits for all"});
  e.create<hk::AsyncWaitGroupOp>(static_cast<int32_t>(outstanding));
  return Value::none();
}

} // namespace hocket::frontend
