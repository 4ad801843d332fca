//===- Float4.cpp - Pairs of 4-bit floats (e2m1) in bytes, and scales (e8m0) --------------===//
//
// A byte holds two elements that are adjacent along `axis`. Unpacking adds a dimension of size 2 directly after `axis`
// to the tensor of bytes. L is the layout of the bytes. L2 is L with the additional dimension, whose index is one more
// register bit:
//
//   [M, K/2] in L                  the bytes
//   [M, K/2] in a slice of L2      the bytes in the same registers
//   [M, K/2, 1]                    result of expand_dims
//   [M, K/2, 2] in L2              result of broadcast: two registers hold each byte
//   [M, K/2, 2] in L2              result of a right shift, by 0 or 4 bits according to the index along the new dimension
//   [M, K]                         result of reshape
//
// Unpacking moves no data between lanes. The e2m1 float with the bits `seem` (sign, exponent, fraction) is converted by
// reading `s000 eem0 0000 0000` as an f16 and multiplying by 2^14. The conversion is also exact for 0.5, the smallest
// positive e2m1 float, which is subnormal in both formats.
//
//===------------------------------------------------------------------------------===//
#include "frontend/semantics/amd/Float4.h"
#include "dialect/hk/layouts/LayoutInference.h"
#include "dialect/hk/layouts/Layouts.h"
#include "frontend/semantics/operators/Arithmetic.h"
#include "frontend/semantics/operators/Broadcast.h"
#include "frontend/semantics/operators/Casts.h"
#include "frontend/semantics/shapes/ShapeSemantics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace hocket::frontend {
namespace arith = mlir::arith;

template <typename OpTy>
static Runtime combine(Emitter &e, const Runtime &left, const Runtime &right) {
  return e.make<OpTy>(left.type, left.ir, right.ir);
}

static Runtime constantLike(Emitter &e, const Runtime &value, int64_t number) {
  return filledLike(e, value.type, number);
}

template <typename OpTy>
static Runtime combine(Emitter &e, const Runtime &left, int64_t right) {
  return combine<OpTy>(e, left, constantLike(e, left, right));
}

static Runtime bitcast(Emitter &e, const Runtime &value, DType to) {
  ValueType type = value.type.withElement(to);
  return e.make<arith::BitcastOp>(type, type.toMlir(e.context()), value.ir);
}

/// Returns the layout of `type` with an additional dimension of size 2 after `axis`. A lane holds both elements along
/// the additional dimension.
static hk::LinearAttr withPairs(Emitter &e, const ValueType &type, int64_t axis) {
  LinearLayout layout = hk::toLinearLayout(llvm::cast<mlir::RankedTensorType>(type.toMlir(e.context())));
  auto rowsOf = [&](Dim dim) {
    hk::BasisRows rows = layout.hasInDim(dim) ? hk::BasisRows(layout.getBasisRows(dim)) : hk::BasisRows();
    for (std::vector<int32_t> &row : rows)
      row.insert(row.begin() + axis + 1, 0);
    return rows;
  };
  hk::BasisRows registers = rowsOf(Dim::Register);
  std::vector<int32_t> pair(type.rank() + 1, 0);
  pair[axis + 1] = 1;
  registers.insert(registers.begin(), pair);
  llvm::SmallVector<int64_t> shape(type.shape.begin(), type.shape.end());
  shape.insert(shape.begin() + axis + 1, 2);
  return hk::LinearAttr::get(e.context(), registers, rowsOf(Dim::Lane), rowsOf(Dim::Warp), hk::BasisRows(), shape);
}

/// Returns an i8 tensor of `shape` with the shift amounts 0 and 4 along dimension `axis`, in `layout`.
static Runtime shifts(Emitter &e, mlir::Attribute layout, llvm::ArrayRef<int64_t> shape, int64_t axis) {
  // `line` is the one-dimensional layout along `axis`. The other dimensions are removed from `layout` one by one, the
  // last dimension first.
  mlir::Attribute line = layout;
  for (int64_t dim = shape.size() - 1; dim >= 0; --dim)
    if (dim != axis)
      line = hk::SliceAttr::get(e.context(), dim, line);
  ValueType type = ValueType::tensor(DType::Int32, {2}, line);
  Runtime index = e.make<hk::ArangeOp>(type, type.toMlir(e.context()), 0u, 2u);
  index = combine<arith::ShLIOp>(e, castTo(e, index, DType::Int8), 2);
  for (int64_t dim = 0; dim < int64_t(shape.size()); ++dim)
    if (dim != axis)
      index = expandDims(e, index, dim);
  return broadcastToShape(e, index, shape);
}

/// Returns a DotOperandLayout or BlockedLayout that is equivalent to `layout`; `layout` itself if neither exists.
static mlir::Attribute namedLayout(Emitter &e, const ValueType &packed, int64_t axis, llvm::ArrayRef<int64_t> shape,
                                   mlir::Attribute layout) {
  mlir::Attribute named;
  if (auto dot = llvm::dyn_cast<hk::DotOperandAttr>(packed.layout); dot && dot.getKWidth()) {
    constexpr int64_t kWidest = 32;
    if (dot.getKWidth() < kWidest)
      named = hk::DotOperandAttr::get(e.context(), dot.getOpIdx(), dot.getParent(), 2 * dot.getKWidth());
  } else if (auto blocked = llvm::dyn_cast<hk::BlockedAttr>(packed.layout)) {
    llvm::SmallVector<int64_t> sizes(blocked.getSizePerThread());
    sizes[axis] *= 2;
    named = hk::BlockedAttr::get(e.context(), sizes, blocked.getThreadsPerWarp(), blocked.getWarpsPerCta(),
                                 blocked.getOrder(), blocked.getBlock());
  }
  return named && hk::areEquivalentLayouts(shape, named, layout) ? named : layout;
}

static Runtime inLayout(Emitter &e, const Runtime &value, mlir::Attribute layout) {
  if (value.type.layout == layout)
    return value;
  ValueType type = ValueType::tensor(value.type.element, value.type.shape, layout);
  return e.make<hk::ConvertLayoutOp>(type, type.toMlir(e.context()), value.ir);
}

Runtime unpackFloat4(Emitter &e, const Runtime &bytes, int64_t axis) {
  hk::LinearAttr pairs = withPairs(e, bytes.type, axis);
  Runtime wide = inLayout(e, bytes, hk::SliceAttr::get(e.context(), axis + 1, pairs));
  llvm::SmallVector<int64_t> pairShape(pairs.getShape()), shape(bytes.type.shape.begin(), bytes.type.shape.end());
  shape[axis] *= 2;
  wide = broadcastToShape(e, expandDims(e, wide, axis + 1), pairShape);
  Runtime shift = shifts(e, pairs, pairShape, axis + 1);
  shift.type = wide.type;
  Runtime nibble = reshape(e, combine<arith::ShRUIOp>(e, wide, shift), shape);
  nibble = inLayout(e, nibble, namedLayout(e, bytes.type, axis, shape, nibble.type.layout));

  nibble.type.element = DType::UInt8;
  Runtime bits = castTo(e, nibble, DType::UInt16);
  Runtime sign = combine<arith::ShLIOp>(e, combine<arith::AndIOp>(e, bits, 8), 12);
  Runtime magnitude = combine<arith::ShLIOp>(e, combine<arith::AndIOp>(e, bits, 7), 9);
  Runtime half = bitcast(e, combine<arith::OrIOp>(e, sign, magnitude), DType::Float16);
  return combine<arith::MulFOp>(e, castTo(e, half, DType::Float32), 1 << 14);
}

Runtime decodeScale(Emitter &e, const Runtime &exponents) {
  constexpr int64_t kQuietNan = 0x7fc00000, kTwoToMinus127 = 0x00400000;
  Runtime bytes = exponents;
  bytes.type.element = DType::UInt8;
  Runtime exponent = castTo(e, bytes, DType::Int32);
  auto replace = [&](const Runtime &bits, int64_t when, int64_t by) {
    mlir::Value isIt = e.create<arith::CmpIOp>(arith::CmpIPredicate::eq, exponent.ir, constantLike(e, bits, when).ir);
    return e.make<arith::SelectOp>(bits.type, isIt, constantLike(e, bits, by).ir, bits.ir);
  };
  Runtime bits = combine<arith::ShLIOp>(e, exponent, 23);
  return bitcast(e, replace(replace(bits, 0, kTwoToMinus127), 255, kQuietNan), DType::Float32);
}

} // namespace hocket::frontend
