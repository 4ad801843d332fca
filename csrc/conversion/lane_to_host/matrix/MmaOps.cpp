//===- MmaOps.cpp - Converts mma.sync instructions ------------------------------------===//
//
// Looks up the operation of lane.mma in the table of MatrixOperations.h. MatrixRows.cpp emits the rendezvous.
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

Converted convertMmaOp(HostFunction &host, Operation *op) {
  auto product = dyn_cast<lane::MmaOp>(op);
  if (!product)
    return false;
  if (!hasMma(host.target(), *findMma(product.getInstruction())))
    return op->emitError() << StringRef(host.target().name) << " has no " << product.getInstruction();
  auto operations = host_abi::matrixOperations();
  auto operation = llvm::find_if(operations, [&](const host_abi::MatrixOperation &known) {
    return product.getInstruction() == StringRef(known.name);
  });
  uint32_t formats = host_abi::MatrixFormats{operation->a, operation->b}.encode();
  computeInRow(host, {op, operation - operations.begin(), {.formats = formats}});
  return true;
}

} // namespace hocket
