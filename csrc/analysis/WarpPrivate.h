//===- WarpPrivate.h - Tiles that no two warps share ------------------------------===//
//
// If each element of a tile is accessed by the same single warp in two accesses, then a warp meets only its own
// accesses there, which are in order, and nothing has to be waited for.
//
// Two warps of two lanes, a row of eight elements; each element shows the warp that holds it:
//
//     size_per_thread 2     0 0 0 0 1 1 1 1      private with
//     size_per_thread 4     0 0 0 0 1 1 1 1         this (other lanes, same warps), but not with
//     order of warps first  0 0 1 1 0 0 1 1         this
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_WARPPRIVATE_H
#define HOCKET_ANALYSIS_WARPPRIVATE_H

#include "dialect/hk/HkDialect.h"

namespace hocket {

/// Whether registers of type `a` and of type `b`, both tiles of one shape, hold each element in one warp, the same one.
bool areInSameWarps(mlir::RankedTensorType a, mlir::RankedTensorType b);

} // namespace hocket

#endif
