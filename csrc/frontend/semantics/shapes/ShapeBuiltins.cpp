//===- ShapeBuiltins.cpp - expand_dims, broadcast, broadcast_to, reshape, view, ravel, permute, trans -===//
#include "dialect/hk/layouts/LayoutInference.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/operators/Broadcast.h"
#include "frontend/semantics/operators/Casts.h"
#include "frontend/semantics/shapes/ShapeSemantics.h"

namespace hocket::frontend {

/// Returns the integers of a variadic argument such as `*shape` of reshape. The call can be `x.reshape(4, 8)` or
/// `x.reshape([4, 8])`.
static std::vector<int64_t> variadicInts(Emitter &e, const Arguments &args, ParameterName parameter) {
  std::optional<std::vector<Value>> items = args[parameter].asSequence();
  if (items && items->size() == 1 && items->front().asSequence())
    return e.requireInts(items->front(), args.what(parameter), args.where(parameter));
  return args.intsAt(e, parameter);
}

static Value expandDimsBuiltin(Emitter &e, Arguments &args) {
  Runtime value = tensorOrScalarAt(e, args, "input");
  // If `axis` is a sequence, as in expand_dims(x, (0, 2)), its entries are dimensions of the result.
  if (args["axis"].asSequence()) {
    std::vector<int64_t> axes = args.intsAt(e, "axis");
    int64_t rank = value.type.rank() + axes.size();
    for (int64_t &axis : axes)
      axis = normalizeAxis(e, args.where("axis"), axis, rank);
    llvm::sort(axes);
    for (int64_t axis : axes)
      value = expandDims(e, value, axis);
    return value;
  }
  return expandDims(e, value, args.intAt(e, "axis"));
}

static Value broadcastBuiltin(Emitter &e, Arguments &args) {
  auto [left, right] =
      broadcastPair(e, "broadcast", tensorOrScalarAt(e, args, "input"), tensorOrScalarAt(e, args, "other"));
  return Tuple{{left, right}, {}};
}

static Value broadcastToBuiltin(Emitter &e, Arguments &args) {
  Runtime value = tensorOrScalarAt(e, args, "input");
  std::vector<int64_t> shape = variadicInts(e, args, "shape");
  checkTensorShape(e, args.where("shape"), shape);
  if (value.type.isScalar())
    e.errorAt(args.where("input"), "a scalar has no layout to broadcast in",
              {{}, "use gl.full(shape, value, dtype, layout)"});
  if (!hk::canBroadcast(value.type.shape, shape))
    e.error("cannot broadcast to " + describeShape(shape),
            {{{"value", value.type.toString()}}, "the ranks must be equal, and only sizes of 1 are broadcast"});
  return broadcastToShape(e, value, shape);
}

static Value reshapeBuiltin(Emitter &e, Arguments &args) {
  Runtime value = tensorOrScalarAt(e, args, "input");
  return reshape(e, value, variadicInts(e, args, "shape"));
}

static Value ravelBuiltin(Emitter &e, Arguments &args) {
  Runtime value = tensorOrScalarAt(e, args, "x");
  return reshape(e, value, {value.type.numElements()});
}

static Value permuteBuiltin(Emitter &e, Arguments &args) {
  Runtime value = tensorOrScalarAt(e, args, "input");
  return permute(e, value, variadicInts(e, args, "dims"));
}

static Value transBuiltin(Emitter &e, Arguments &args) {
  Runtime value = tensorOrScalarAt(e, args, "input");
  std::vector<int64_t> order = variadicInts(e, args, "dims");
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
      {"broadcast", broadcastBuiltin, "(input, other)"},
      {"broadcast_to", broadcastToBuiltin, "(input, *shape)"},
      {"expand_dims", expandDimsBuiltin, "(input, axis)"},
      {"permute", permuteBuiltin, "(input, *dims)"},
      {"ravel", ravelBuiltin, "(x)"},
      {"reshape", reshapeBuiltin, "(input, *shape)"},
      {"trans", transBuiltin, "(input, *dims)"},
      {"view", reshapeBuiltin, "(input, *shape)"},
  };
  return entries;
}

} // namespace hocket::frontend
