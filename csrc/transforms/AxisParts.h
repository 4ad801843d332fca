//===- AxisParts.h - Reductions in two steps: within the parts of an axis, then over the parts -===//
//
// Warps of a block, or CTAs of a cluster, hold different elements along the axis of a reduction. The axis is divided
// into two dimensions, the part and the element of a part, so that each holder (warp or CTA) reduces its own part:
//
//     hk.reduce %x axis = 0 : tensor<256xf32>      2 holders with 128 elements each
//
//     %y = hk.reshape %x : tensor<2x128xf32>       no instructions
//     %z = hk.reduce %y axis = 1 : tensor<2xf32>   within each holder
//     ...                                          all holders get all partial results
//     hk.reduce %w axis = 0                        in registers
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_AXISPARTS_H
#define HOCKET_TRANSFORMS_AXISPARTS_H

#include "dialect/hk/ir/HkDialect.h"
#include "layout/LinearLayout.h"

namespace hocket {

/// Returns the mask of the coordinate bits along `axis` that the index of `holder` (a warp or a block) determines;
/// nullopt if a bit of the index does not correspond to a single coordinate bit.
std::optional<int64_t> axisBitsOf(const LinearLayout &layout, Dim holder, unsigned axis);

/// Returns a view of `value` in which the coordinate bits `bits` (at least one) along `axis` are the highest bits; null
/// if views cannot express this order of bits. For a reduction, the order of elements does not matter.
mlir::Value withBitsAtTop(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, unsigned axis,
                          uint64_t bits);

/// Returns a view of `value` with `axis` divided into parts of `held` consecutive elements; null, and the reason in
/// `whyNot`, if there is no layout for the view.
mlir::Value dividedIntoParts(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, unsigned axis,
                             int64_t held, std::string &whyNot);

/// Returns `type` in another layout, in which all warps or blocks (`holder`) hold copies: elements along `axis` that
/// `type` distributes among warps or blocks are in registers of each lane instead.
mlir::RankedTensorType givenToAll(mlir::RankedTensorType type, unsigned axis, Dim holder);

/// Reduces `srcs` along `axis` with the combining function of `op`.
hk::ReduceOp reduceAs(hk::ReduceOp op, mlir::ValueRange srcs, unsigned axis, mlir::OpBuilder &builder);

} // namespace hocket

#endif
