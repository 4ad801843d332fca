//===- Buffer.h - Accesses of global memory through a buffer descriptor ----------------------===//
//
// A descriptor (four scalar registers) holds a base address and a size. An access adds an unsigned offset in bytes. If
// the offset is not below the size, the hardware drops the access: loads return 0. A mask therefore needs no branch:
// masked-off accesses get an offset that is out of bounds:
//
//   size     0x7ffffffe   the reach of 31 bits
//   offset   element offset x bytes, or 0x80000000 if the mask is false; negative offsets are out of bounds, too
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
  /// Creates a buffer at `base` (!llvm.ptr<1>, the same in all lanes) with elements of `elementBytes` bytes.
  Buffer(const TargetInfo &target, mlir::OpBuilder &builder, mlir::Location loc, mlir::Value base,
         unsigned elementBytes);

  mlir::Value getDescriptor() const { return descriptor; }
  /// Returns the offset in bytes of element `offset`; out of bounds if `mask` (may be null) is false.
  mlir::Value byteOffset(mlir::Value offset, mlir::Value mask) const;
  /// Returns 0: the bounds check ignores the scalar offset.
  mlir::Value scalarOffset() const { return i32(0); }
  mlir::Value i32(int32_t value) const;

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Value descriptor;
  unsigned elementBytes;
};

/// True if the hardware's result for masked elements, 0, is equal to these constants.
bool areZero(llvm::ArrayRef<mlir::Value> elements);

/// Returns the bits of the cache policy for a load (or store) with the modifier `cache`.
int32_t cachePolicy(const AmdMemory &facts, hk::CacheModifier cache);

} // namespace hocket

#endif
