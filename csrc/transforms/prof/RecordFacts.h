//===- RecordFacts.h - Data that the host needs to decode a kernel's records ---------===//
#ifndef HOCKET_TRANSFORMS_PROF_RECORDFACTS_H
#define HOCKET_TRANSFORMS_PROF_RECORDFACTS_H

#include "dialect/prof/ProfDialect.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace hocket {

/// Describes the record buffer of a kernel.
struct RecordPlan {
  prof::Space space = prof::Space::Device;
  llvm::SmallVector<int32_t> warps; ///< warps that write records
  int blockWarps = 0;
  int64_t bytesPerUnit = 0;
  int64_t stagingBytes = 0; ///< bytes of shared memory that stage the records of a unit; 0 if records are not staged
  std::string symbol;       ///< name of the global variable if the buffer is static
  std::string note;         ///< note about a setting that was chosen by default
};

/// Returns the description as JSON text in the format of docs/profiling_format.md.
std::string writeFacts(mlir::ModuleOp module, prof::ConfigAttr config, const RecordPlan &plan);

} // namespace hocket

#endif
