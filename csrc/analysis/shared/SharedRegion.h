//===- SharedRegion.h - The part of a buffer that a memory descriptor shows -------===//
//
// A view is described twice, because two questions are asked:
//
//   box     which elements, as one interval per dimension of the buffer. Two views of the same buffer are disjoint if
//           they are in some dimension, whatever swizzle or padding puts them where in memory.
//   bytes   an interval of bytes that holds all of them, for buffers that took over each other's memory, and for views
//           whose box is lost (a reinterpretation).
//
// A ring of three 4 x 8 tiles of f16, and two views of it:
//
//     %ring = hk.local_alloc : () -> !hk.memdesc<3x4x8xf16, #shared>      box [0,3) x [0,4) x [0,8)    bytes [0, 192)
//     %slot = hk.memdesc_index %ring[%c1]                                 box [1,2) x [0,4) x [0,8)    bytes [64, 128)
//     %half = hk.memdesc_slice %slot [0, 4] -> 4x4                        box [1,2) x [0,4) x [4,8)    bytes [64, 128)
//     %any  = hk.memdesc_index %ring[%i]                                  box [0,3) x [0,4) x [0,8)    bytes [0, 192)
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_SHAREDREGION_H
#define HOCKET_ANALYSIS_SHAREDREGION_H

#include "dialect/hk/ir/HkDialect.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace hocket {

/// [begin, end)
struct Interval {
  int64_t begin = 0, end = 0;
  bool overlaps(const Interval &other) const { return begin < other.end && other.begin < end; }
  bool operator==(const Interval &) const = default;
};

class SharedRegion {
public:
  /// All of a buffer.
  static SharedRegion ofBuffer(hk::LocalAllocOp alloc);
  /// The `bytes` of scratch memory of an operation.
  static SharedRegion ofScratch(mlir::Operation *op, int64_t bytes);

  /// What `view` shows of this region.
  SharedRegion viewedBy(hk::MemDescView view) const;
  /// Forgets everything but the buffer.
  SharedRegion somewhereInBuffer() const;

  /// The operation that owns the memory, and the bytes counted from where that memory starts.
  mlir::Operation *getOwner() const { return owner; }
  Interval getBytes() const { return bytes; }
  /// No run-time index: the region is the same each time it is accessed.
  bool isExact() const { return exact; }

  /// May the two share bytes? Different owners must have been placed (hk.offset).
  bool mayOverlap(const SharedRegion &other) const;
  /// Certainly the same elements, seen through the same dimensions.
  bool isSameView(const SharedRegion &other) const { return exact && *this == other; }
  /// The same elements of some slot, seen through the same dimensions: of the same slot, if indices agree.
  bool isSameViewOfSlot(const SharedRegion &other) const;
  bool operator==(const SharedRegion &other) const = default;

private:
  /// The box `viewed` of this one, in a view of shape `shape`.
  SharedRegion cut(const hk::ViewedBox &viewed, llvm::ArrayRef<int64_t> shape) const;
  SharedRegion reinterpreted(hk::MemDescType type) const;
  /// Makes all of a buffer of `type` that starts at byte `begin` the box.
  void setGeometry(hk::MemDescType type, int64_t begin);
  void updateBytes();
  void forgetBox();
  Interval placedBytes() const;

  mlir::Operation *owner = nullptr;
  Interval bytes;
  bool exact = true;
  /// The type whose dimensions `box` has, and the byte at which a buffer of that type starts; null if only bytes are
  /// known.
  hk::MemDescType geometry;
  int64_t geometryBegin = 0;
  llvm::SmallVector<Interval, 3> box;
  /// Dimension i of the view is dimension dims[i] of the geometry.
  llvm::SmallVector<unsigned, 3> dims;
};

/// Fails with an error at the first operation in `root` that needs shared memory and has no hk.offset: what a pass that
/// asks which regions overlap begins with.
mlir::LogicalResult requirePlaced(mlir::Operation *root);

} // namespace hocket

#endif
