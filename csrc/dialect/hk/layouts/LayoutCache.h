//===- LayoutCache.h - Cache of the linear maps of types ----------------------------===//
//
// Verifiers run after each pass and need the maps of all types of a kernel, which has a few dozen types. Computing a
// map from its layout takes as long as verifying a hundred operations. Types are unique and immutable, so a map stays
// valid for the lifetime of the MLIR context.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_LAYOUTS_LAYOUTCACHE_H
#define HOCKET_DIALECT_HK_LAYOUTS_LAYOUTCACHE_H

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

  /// Returns the map of `type`, computed by `make` on the first call. Thread-safe.
  LinearLayout find(mlir::Type type, llvm::function_ref<LinearLayout()> make) const;

private:
  mutable std::mutex mutex;
  mutable llvm::DenseMap<mlir::Type, LinearLayout> layouts;
};

} // namespace hocket::hk

#endif
