//===- Buffer.h - Accesses of global memory through a buffer descriptor ----------------------===//
//
// A buffer descriptor (four scalar registers) holds a base address and a size. A buffer access adds an unsigned offset
// in bytes to the base address. If the offset is not less than the size, the hardware drops the access: loads return 0,
// and stores have no effect. A masked access needs no branch, because its offset is out of bounds where the mask is
// false:
//
//   size     0x7ffffffe   offsets have 31 bits
//   offset   element offset x bytes, or 0x80000000 if the mask is false; negative offsets are also out of bounds
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_AMD_TO_ROCDL_BUFFER_H
#define HOCKET_CONVERSION_HK_AMD_TO_ROCDL_BUFFER_H

#include "dialect/hk/ir/HkDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "target/TargetInfo.h"

namespace hocket {

class Buffer {
public:
  /// Creates a buffer descriptor with the base address `base` (!llvm.ptr<1>, uniform across lanes) for elements of
  /// `elementBytes` bytes.
  Buffer(const TargetInfo &target, mlir::OpBuilder &builder, mlir::Location loc, mlir::Value base,
         unsigned elementBytes);

  mlir::Value getDescriptor() const { return descriptor; }
  /// Returns the offset in bytes of element `offset`, or an offset that is out of bounds if `mask` is false. `mask` is
  /// null for unmasked accesses.
  mlir::Value byteOffset(mlir::Value offset, mlir::Value mask) const;
  /// Returns the scalar offset of every access, which is 0, because the bounds check ignores the scalar offset.
  mlir::Value scalarOffset() const { return i32(0); }
  mlir::Value i32(int32_t value) const;

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Value descriptor;
  unsigned elementBytes;
};

/// True if `elements` are the constant 0, the hardware's result for masked elements.
bool areZero(llvm::ArrayRef<mlir::Value> elements);

/// Returns the bits of the cache policy for a load (or store) with the modifier `cache`.
int32_t cachePolicy(const AmdMemory &facts, hk::CacheModifier cache);

} // namespace hocket

#endif
