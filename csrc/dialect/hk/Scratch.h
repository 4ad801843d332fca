//===- Scratch.h - Shared memory that operations use internally -------------------===//
//
// What using it means for the surroundings is said by the interface, UsesScratch.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_SCRATCH_H
#define HOCKET_DIALECT_HK_SCRATCH_H

#include "mlir/IR/Operation.h"
#include <cstdint>

namespace hocket::hk {

/// Bytes of scratch that `op` needs; 0 for an operation that needs none.
int64_t getScratchBytes(mlir::Operation *op);

/// The answer of an atomic: its old values pass through scratch where several warps hold the same element and need it.
int64_t scratchOfAtomic(mlir::Operation *atomic);

} // namespace hocket::hk

#endif
