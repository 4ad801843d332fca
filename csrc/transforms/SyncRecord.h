//===- SyncRecord.h - Records the operations that a wait, fence or barrier orders -------------------===//
//
// The passes that insert or check synchronization record their decisions for `kernel.sync_report()`. The records are in
// the module's attribute hk::kSynchronizationAttr, an array of #hk.sync_site. Later, pipeline/ReadFacts.cpp moves the
// records to the metadata of the compiled kernel.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_TRANSFORMS_SYNCRECORD_H
#define HOCKET_TRANSFORMS_SYNCRECORD_H

#include "dialect/hk/facts/Facts.h"
#include "mlir/IR/BuiltinOps.h"

namespace hocket {

struct SyncRecord {
  std::string what;
  mlir::Location at;
  bool isWritten = false;
  mlir::Operation *earlier = nullptr, *later = nullptr; ///< the operations that are ordered; null if not known
  std::string why = {};
  std::string laterWords = {}; ///< description of `later`; if empty, the result of `wordsFor` is used
};

/// Adds a record to the module that contains `op`.
void recordSync(mlir::Operation *op, const SyncRecord &record);

/// Returns the description of an operation for reports, such as "load from shared memory".
std::string wordsFor(mlir::Operation *op);

} // namespace hocket

#endif
