//===- Scratch.h - Memory that operations own: offsets, names, scratch -------------===//
//
// A MemoryOwner owns a buffer or scratch memory. The interface UsesScratch defines how scratch memory interacts with
// surrounding operations.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_DIALECT_HK_FACTS_SCRATCH_H
#define HOCKET_DIALECT_HK_FACTS_SCRATCH_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include <cstdint>
#include <optional>

namespace hocket::hk {

/// Returns the byte offset of the memory that `op` owns; nullopt if `op` owns none, or before AllocateMemory.
std::optional<int64_t> offsetOf(mlir::Operation *op);

/// Sets the byte offset of the memory that `owner`, a MemoryOwner, owns.
void setOffset(mlir::Operation *owner, int64_t offset);

/// Returns the name of the user's variable that holds the buffer that `op` allocates; null if there is none.
mlir::StringAttr nameOf(mlir::Operation *op);

/// Returns the number of bytes of scratch memory that `op` needs; 0 if `op` needs no scratch memory.
int64_t getScratchBytes(mlir::Operation *op);

/// Returns a noun for an operation that exchanges elements through scratch memory, such as "reduction", for messages.
llvm::StringRef nounOf(mlir::Operation *op);

/// Returns the number of bytes of scratch memory that an atomic needs. If several warps hold the same element and use
/// its old value, the atomic passes old values between the warps through scratch memory.
int64_t scratchOfAtomic(mlir::Operation *atomic);

} // namespace hocket::hk

#endif
