//===- ShapeBuiltins.cpp - expand_dims, broadcast, broadcast_to, reshape, view, ravel, permute, trans -===//
#include "dialect/hk/layouts/LayoutInference.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/operators/Broadcast.h"
#include "frontend/semantics/operators/Casts.h"
#include "frontend/semantics/shapes/ShapeSemantics.h"

namespace hocket::frontend {

/// `x.reshape(4, 8)` and `x.reshape([4, 8])`: the `*shape` parameter at `index`.
static std::vector<int64_t> variadicInts(Emitter &e, const Arguments &args, size_t index) {
  std::optional<std::vector<Value>> items = args[index].asSequence();
  if (items && items->size() == 1 && items->front().asSequence())
    return e.requireInts(items->front(), args.what(index), args.where(index));
  return args.intsAt(e, index);
}

static Value expandDimsBuiltin(Emitter &e, Arguments &args) {
  Runtime value = tensorOrScalarAt(e, args, 0);
  // Several axes, as in expand_dims(x, (0, 2)), refer to the result.
  if (args[1].asSequence()) {
    std::vector<int64_t> axes = args.intsAt(e, 1);
    int64_t rank = value.type.rank() + axes.size();
    for (int64_t &axis : axes)
      axis = normalizeAxis(e, args.where(1), axis, rank);
    llvm::sort(axes);
    for (int64_t axis : axes)
      value = expandDims(e, value, axis);
    return value;
  }
  return expandDims(e, value, args.intAt(e, 1));
}

static Value broadcastBuiltin(Emitter &e, Arguments &args) {
  auto [left, right] = broadcastPair(e, "broadcast", tensorOrScalarAt(e, args, 0), tensorOrScalarAt(e, args, 1));
  return Tuple{{left, right}, {}};
}

static Value broadcastToBuiltin(Emitter &e, Arguments &args) {
  Runtime value = tensorOrScalarAt(e, args, 0);
  std::vector<int64_t> shape = variadicInts(e, args, 1);
  checkTensorShape(e, args.where(1), shape);
  if (value.type.isScalar())
    e.errorAt(args.where(0), "a scalar has no layout to broadcast in",
              {{}, "use gl.full(shape, value, dtype, layout)"});
  if (!hk::canBroadcast(value.type.shape, shape))
    e.error("cannot broadcast to " + describeShape(shape),
            {{{"value", value.type.toString()}}, "the ranks must be equal, and only sizes of 1 are broadcast"});
  return broadcastToShape(e, value, shape);
}

static Value reshapeBuiltin(Emitter &e, Arguments &args) {
  Runtime value = tensorOrScalarAt(e, args, 0);
  return reshape(e, value, variadicInts(e, args, 1));
}

static Value ravelBuiltin(Emitter &e, Arguments &args) {
  Runtime value = tensorOrScalarAt(e, args, 0);
  return reshape(e, value, {value.type.numElements()});
}

static Value permuteBuiltin(Emitter &e, Arguments &args) {
  Runtime value = tensorOrScalarAt(e, args, 0);
  return permute(e, value, variadicInts(e, args, 1));
}

static Value transBuiltin(Emitter &e, Arguments &args) {
  Runtime value = tensorOrScalarAt(e, args, 0);
  std::vector<int64_t> order = variadicInts(e, args, 1);
  if (!order.empty())
    return permute(e, value, order);
  int64_t rank = value.type.rank();
  if (rank < 2)
    e.error("trans without an order needs a tensor of rank 2 or more", {{{"value", value.type.toString()}}, {}});
  for (int64_t dim = 0; dim < rank; ++dim)
    order.push_back(dim);
  std::swap(order[rank - 1], order[rank - 2]);
  return permute(e, value, order);
}

std::span<const BuiltinEntry> shapeBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"broadcast", broadcastBuiltin},
      {"broadcast_to", broadcastToBuiltin},
      {"expand_dims", expandDimsBuiltin},
      {"permute", permuteBuiltin},
      {"ravel", ravelBuiltin},
      {"reshape", reshapeBuiltin},
      {"trans", transBuiltin},
      {"view", reshapeBuiltin},
  };
  return entries;
}

} // namespace hocket::frontend
