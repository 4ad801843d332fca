//===- MmaOps.cpp - Converts mma.sync instructions ------------------------------------===//
//
// The conversion finds the operation of lane.mma in the table of MatrixOperations.h. MatrixRows.cpp emits the
// rendezvous.
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/Conversions.h"
#include "conversion/lane_to_host/matrix/MatrixRows.h"
#include "emulator_abi/MatrixOperations.h"

#include "dialect/lane/LaneDialect.h"
#include "target/MmaInstructions.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace hocket {

Converted convertMma(HostFunction &host, Operation *op, MatrixRows &rows) {
  auto mma = cast<lane::MmaOp>(op);
  if (!hasMma(host.block.target, *findMma(mma.getInstruction())))
    return op->emitError() << StringRef(host.block.target.name) << " has no " << mma.getInstruction();
  auto operations = host_abi::matrixOperations();
  auto operation = llvm::find_if(operations, [&](const host_abi::MatrixOperation &known) {
    return mma.getInstruction() == StringRef(known.name);
  });
  uint32_t formats = host_abi::MatrixFormats{operation->a, operation->b}.encode();
  rows.add(host, {op, operation - operations.begin(), {.formats = formats}});
  return true;
}

} // namespace hocket
