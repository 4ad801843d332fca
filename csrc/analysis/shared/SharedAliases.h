//===- SharedAliases.h - What a memory descriptor may refer to --------------------===//
//
// For each value of type !hk.memdesc, the regions of shared memory it may stand for: one, followed through views, or
// several where control flow merges (results of scf.if, variables of scf.for and scf.while, arith.select).
//
// Method: one walk in program order; repeated while a variable of a loop still gains regions.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_SHAREDALIASES_H
#define HOCKET_ANALYSIS_SHAREDALIASES_H

#include "analysis/shared/SharedRegion.h"
#include "llvm/ADT/DenseMap.h"

namespace hocket {

/// A read or a write of shared memory.
struct SharedUse {
  mlir::Value handle;
  llvm::ArrayRef<SharedRegion> regions;
  bool writes = false;
};

class SharedAliases {
public:
  explicit SharedAliases(mlir::Operation *function);

  /// The regions that `handle` may refer to.
  llvm::ArrayRef<SharedRegion> lookup(mlir::Value handle) const;
  /// What `op` itself does to shared memory, without what stands in its regions.
  llvm::SmallVector<SharedUse, 1> usesOf(mlir::Operation *op) const;
  /// All values that refer to shared memory, in program order.
  llvm::ArrayRef<mlir::Value> handles() const { return order; }

private:
  void visit(mlir::Operation *op);
  /// `handle` may be whatever `source` may be.
  void flow(mlir::Value source, mlir::Value handle);
  void flow(mlir::ValueRange sources, mlir::ValueRange targets);
  /// The same along the back edge of a loop.
  void flowBack(mlir::ValueRange sources, mlir::ValueRange variables);
  void add(mlir::Value handle, const SharedRegion &region);

  llvm::DenseMap<mlir::Value, llvm::SmallVector<SharedRegion, 1>> regions;
  llvm::SmallVector<mlir::Value> order;
  /// A variable of a loop gained a region: what was derived from it must be derived again.
  bool gained = false;
};

} // namespace hocket

#endif
