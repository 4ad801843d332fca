//===- ViewedPart.h - The part of its source that a shared memory view refers to --===//
//
// The interface MemDescView returns the viewed part in one of three forms:
//
//   ViewedBox        a box of the source, whose dimensions may be permuted or dropped
//                      memdesc_index %ring[%k]                 dims {1, 2}          selected {dimension 0 at %k}
//                      memdesc_slice %tile [0, 16]             dims {0, 1 + 16}
//                      memdesc_permute %tile [1, 0]            dims {1, 0}
//   ViewedRowMajor   all elements, each slot's in row-major order, under other coordinates (memdesc_reshape)
//   ViewedBytes      the first bytes, reinterpreted as the view's type (memdesc_reinterpret)
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_LAYOUTS_VIEWEDPART_H
#define HOCKET_DIALECT_HK_LAYOUTS_VIEWEDPART_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <variant>

namespace hocket::hk {

struct ViewedBox {
  /// A dimension of the view: a range of dimension `source` of the source handle, from index `offset` on. The view's
  /// type determines the size of the range.
  struct Dim {
    unsigned source = 0;
    int64_t offset = 0;
    bool operator==(const Dim &) const = default;
  };
  /// A dimension of the source handle that the view lacks, because the view selects one index along that dimension.
  struct Selection {
    unsigned source = 0;
    mlir::Value index;
  };
  /// `dims` has one element for each dimension of the view.
  llvm::SmallVector<Dim, 4> dims;
  llvm::SmallVector<Selection, 1> selected;
};

struct ViewedRowMajor {};

struct ViewedBytes {};

using ViewedPart = std::variant<ViewedBox, ViewedRowMajor, ViewedBytes>;

} // namespace hocket::hk

#endif
