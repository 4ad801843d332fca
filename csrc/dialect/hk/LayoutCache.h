//===- LayoutCache.h - The linear maps that a context's types have ------------------===//
//
// Verifiers run after each pass and ask for the maps of all types of a kernel, which has some dozens; to make one from
// its layout takes as long as to verify a hundred operations. Types are unique and never change, so a map that was made
// once is the type's for as long as the context lives.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_LAYOUTCACHE_H
#define HOCKET_DIALECT_HK_LAYOUTCACHE_H

#include "layout/LinearLayout.h"
#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <mutex>

namespace hocket::hk {

class LayoutCache : public mlir::DialectInterface::Base<LayoutCache> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LayoutCache)
  explicit LayoutCache(mlir::Dialect *dialect) : Base(dialect) {}

  /// The map of `type`, by `make` if nobody has asked for it before. Any number of threads may ask.
  LinearLayout find(mlir::Type type, llvm::function_ref<LinearLayout()> make) const;

private:
  mutable std::mutex mutex;
  mutable llvm::DenseMap<mlir::Type, LinearLayout> layouts;
};

} // namespace hocket::hk

#endif
