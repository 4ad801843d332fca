//===- Buffer.h - Global memory through a buffer descriptor ----------------------------------===//
//
// A descriptor (four scalar registers) holds a base address and a size; an access adds an unsigned offset in bytes and
// is dropped by the hardware where the offset is not below the size: loads give 0 there. So a mask is no branch but an
// offset that lies outside:
//
//   size     0x7ffffffe   all that 31 bits reach
//   offset   element offset x bytes, or 0x80000000 where the mask is false; negative offsets lie outside, too
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_HK_AMD_TO_ROCDL_BUFFER_H
#define HOCKET_CONVERSION_HK_AMD_TO_ROCDL_BUFFER_H

#include "dialect/hk/HkDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "target/TargetInfo.h"

namespace hocket {

class Buffer {
public:
  /// The memory at `base` (!llvm.ptr<1>, the same in all lanes), holding elements of `elementBytes`.
  Buffer(const TargetInfo &target, mlir::OpBuilder &builder, mlir::Location loc, mlir::Value base,
         unsigned elementBytes);

  mlir::Value getDescriptor() const { return descriptor; }
  /// Offset in bytes of element `offset`; outside where `mask` (may be null) is false.
  mlir::Value byteOffset(mlir::Value offset, mlir::Value mask) const;
  /// No scalar offset: the bounds check would ignore it.
  mlir::Value scalarOffset() const { return i32(0); }
  mlir::Value i32(int32_t value) const;

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Value descriptor;
  unsigned elementBytes;
};

/// Are these constants what the hardware gives for masked elements anyway?
bool areZero(llvm::ArrayRef<mlir::Value> elements);

/// Bits of the cache policy that `cache` asks of a load (or store).
int32_t cachePolicy(const AmdMemory &facts, hk::CacheModifier cache);

} // namespace hocket

#endif
