//===- Scratch.h - Shared memory that operations use internally -------------------===//
//
// The interface UsesScratch defines how scratch memory interacts with surrounding operations.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_FACTS_SCRATCH_H
#define HOCKET_DIALECT_HK_FACTS_SCRATCH_H

#include "mlir/IR/Operation.h"
#include <cstdint>

namespace hocket::hk {

/// Returns the bytes of scratch that `op` needs; 0 if it needs none.
int64_t getScratchBytes(mlir::Operation *op);

/// Returns the bytes of scratch of an atomic. An atomic needs scratch memory to pass old values between warps if
/// several warps hold an element and use its old value.
int64_t scratchOfAtomic(mlir::Operation *atomic);

} // namespace hocket::hk

#endif
