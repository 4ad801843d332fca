//===- ScratchSize.h - Shared memory that operations use internally ---------------===//
//
// hk.convert_layout, hk.reduce and atomics may pass values between warps through scratch memory, which AllocateShared
// places like a buffer that lives during that operation (attribute hk.offset on the operation). Towards its
// surroundings such an operation behaves as follows; the pass that inserts barriers relies on it:
//
//   1. it first writes its scratch: earlier accesses of that memory by other warps must have been waited for;
//   2. it contains barriers of its own (shared scope) after the writes;
//   3. it ends with reads of its scratch that nothing has waited for.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_SCRATCHSIZE_H
#define HOCKET_ANALYSIS_SCRATCHSIZE_H

#include "mlir/IR/Operation.h"
#include <cstdint>

namespace hocket {

/// Bytes of scratch that `op` needs; 0 for an operation that needs none. The module says its facts (hk::requireFacts).
int64_t getScratchBytes(mlir::Operation *op);

} // namespace hocket

#endif
