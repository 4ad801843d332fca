//===- TransposedReads.cpp - Reads that transpose on the way from shared memory ----------===//
//
//   %v = rocdl.ds.read.tr16.b64 %p    ->  gather(lane)
//                                         %bits = llvm.load of 8 checked bytes at %p
//                                         %v = crossLane(lane, TransposedRead, %bits, .., element bits, ..)
//
// Lanes work together in groups of 16. What they read is a matrix in rows of 16 elements of `w` bits: w / 4 lanes have
// a row, in order. Lane i of the group receives column i, which is 64 / w elements: element j of its result comes from
// lane j * w / 4 + i * w / 64, element i % (64 / w).
//
// "AMD Instinct CDNA4" ISA guide, "DS_READ_B64_TR_B16", "DS_READ_B64_TR_B8", "DS_READ_B64_TR_B4".
//
//===------------------------------------------------------------------------------===//
#include "conversion/gpu_to_host/Conversions.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hocket {

Converted convertTransposedRead(HostFunction &host, Operation *op) {
  int64_t elementBits = llvm::TypeSwitch<Operation *, int64_t>(op)
                            .Case([](ROCDL::ds_read_tr16_b64) { return 16; })
                            .Case([](ROCDL::ds_read_tr8_b64) { return 8; })
                            .Case([](ROCDL::ds_read_tr4_b64) { return 4; })
                            .Default([](Operation *) { return 0; });
  if (!elementBits)
    return false;
  Type type = op->getResult(0).getType(), i64 = host.builder.getI64Type();
  if (!host.target().amdMemory || !host.target().amdMemory->hasTransposedReads)
    return op->emitError() << StringRef(host.target().name) << " has no " << op->getName();
  if (bitWidthOf(type) != 64)
    return op->emitError() << op->getName() << " returns 64 bits, not " << type;
  constexpr unsigned kAlignment = 8;
  // What other lanes have stored before, this one reads: a wave needs no barrier for that.
  host.call(host_abi::kGather, nullptr, {host.lane()});
  Value address = checkedSharedAddress(host, op, host_abi::SiteKind::SharedRead, op->getOperand(0), i64, kAlignment);
  Value bits = LLVM::LoadOp::create(host.builder, host.loc(), i64, address, kAlignment);
  Value column = crossLane(host, op, host_abi::CrossLaneOp::TransposedRead, bits, nullptr, elementBits);
  op->getResult(0).replaceAllUsesWith(narrowFromI64(host, column, type));
  op->erase();
  return true;
}

} // namespace hocket
