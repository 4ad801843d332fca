//===- AsyncCopy.cpp - Common parts of builtins for asynchronous copies --------------------===//
#include "frontend/semantics/memory/AsyncCopy.h"

namespace hocket::frontend {

Runtime copyDestinationAt(Emitter &e, const Arguments &args, const AccessPlace &place) {
  const Runtime *tile = args[0].asRuntime();
  if (!tile || !tile->type.isMemDesc())
    e.errorAt(args.where(0), args.what(0) + " must be shared memory, but is " + args[0].describe(),
              {{}, "allocate it with gl.allocate_shared_memory"});
  std::string name(args.parameter(0));
  if (tile->type.shape != place.type.shape) {
    bool isRing = tile->type.rank() > llvm::cast<hk::SharedLayout>(tile->type.layout).getRank();
    e.errorAt(args.where(0), args.what(0) + " does not have the shape of `" + std::string(place.argument) + "`",
              {{{name, tile->type.toString()}, {std::string(place.argument), place.type.toString()}},
               isRing ? "pick a slot: " + name + ".index(i)" : ""});
  }
  if (DType element = memoryType(place.element); tile->type.dtype() != element)
    e.errorAt(args.where(0), args.what(0) + " does not have the dtype that is copied",
              {{{name, tile->type.toString()}, {"source", std::string(element.name())}},
               "a copy converts nothing: allocate shared memory of gl." + std::string(element.name()) +
                   ", or load to registers, convert and store"});
  return *tile;
}

Runtime pointersAt(Emitter &e, const Arguments &args, size_t index) {
  Runtime pointer = pointerAt(e, args, index);
  if (!pointer.type.isTensor())
    e.errorAt(args.where(index), args.what(index) + " must be a tensor of pointers, but is " + args[index].describe(),
              {{}, "add a tensor of offsets to it"});
  return pointer;
}

Value commitGroup(Emitter &e, Arguments &) {
  e.create<hk::AsyncCommitGroupOp>();
  return Value::none();
}

Value waitGroup(Emitter &e, Arguments &args) {
  int64_t outstanding = args.intAt(e, 0);
  if (outstanding > INT32_MAX)
    e.errorAt(args.where(0), args.what(0) + " is too large: " + std::to_string(outstanding));
  if (outstanding < 0)
    e.errorAt(args.where(0), args.what(0) + " must not be negative, but is " + std::to_string(outstanding),
              {{}, "it counts the newest groups that may still be in flight; 0 waits for all"});
  e.create<hk::AsyncWaitGroupOp>(static_cast<int32_t>(outstanding));
  return Value::none();
}

} // namespace hocket::frontend
