//===- MfmaOps.cpp - Converts MFMA instructions ---------------------------------------===//
//
// The conversion finds the operation in the table of MatrixOperations.h; the encoding of 8-bit floats depends on the
// target. MatrixRows.cpp emits the rendezvous.
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/Conversions.h"
#include "conversion/lane_to_host/matrix/MatrixRows.h"
#include "emulator_abi/MatrixOperations.h"

#include "mlir/IR/Matchers.h"
#include "target/MatrixInstructions.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace hocket {

using host_abi::MatrixFormats;
using host_abi::MatrixOperation;

/// Returns the FNUZ encoding of an 8-bit float, which CDNA3 uses: no infinities, no negative zero, and an exponent bias
/// that is larger by one.
static NumberFormat asFnuz(NumberFormat element) {
  if (element == NumberFormat::E4M3)
    return NumberFormat::E4M3Fnuz;
  if (element == NumberFormat::E5M2)
    return NumberFormat::E5M2Fnuz;
  return element;
}

/// Returns operand `number` of `op`, which must be a constant, because it is a field of the instruction.
static FailureOr<int64_t> immediate(Operation *op, unsigned number, StringRef name, uint64_t limit) {
  APInt value;
  if (matchPattern(op->getOperand(number), m_ConstantInt(&value)) && value.ult(limit))
    return int64_t(value.getZExtValue());
  auto error = op->emitError("the emulator runs ") << op->getName() << " only with ";
  if (limit == 1)
    return error << name << " = 0";
  return error << "a constant " << name << " below " << limit;
}

/// Rejects nonzero cbsz, abid and blgp, which broadcast or permute the blocks of the operands.
static FailureOr<MatrixFormats> plainFormats(Operation *op, const MatrixOperation &operation, int version) {
  static constexpr StringLiteral kFields[] = {"cbsz", "abid", "blgp"};
  for (auto [i, name] : llvm::enumerate(kFields))
    if (failed(immediate(op, 3 + unsigned(i), name, 1)))
      return failure();
  if (version == 3)
    return MatrixFormats{asFnuz(operation.a), asFnuz(operation.b)};
  return MatrixFormats{operation.a, operation.b};
}

/// Returns the formats of a scaled MFMA. The operands of `op` are a, b, c, cbsz, blgp, byte of scale a, scale a, byte
/// of scale b, scale b; cbsz and blgp encode the formats.
static FailureOr<MatrixFormats> scaledFormats(Operation *op) {
  static constexpr NumberFormat kFormats[] = {NumberFormat::E4M3, NumberFormat::E5M2, NumberFormat::E2M3,
                                              NumberFormat::E3M2, NumberFormat::E2M1};
  FailureOr<int64_t> a = immediate(op, 3, "cbsz", std::size(kFormats));
  FailureOr<int64_t> b = immediate(op, 4, "blgp", std::size(kFormats));
  FailureOr<int64_t> byteA = immediate(op, 5, "op_sel of a", 4), byteB = immediate(op, 7, "op_sel of b", 4);
  if (failed(a) || failed(b) || failed(byteA) || failed(byteB))
    return failure();
  return MatrixFormats{kFormats[*a], kFormats[*b], uint8_t(*byteA), uint8_t(*byteB)};
}

/// Checks that the registers of one lane hold the operation's elements. Registers of a scaled MFMA can have unused
/// bits.
static LogicalResult checkWidths(Operation *op, const MatrixOperation &operation, const MatrixFormats &formats) {
  int64_t perLaneB = int64_t(operation.n) * operation.k * operation.blocks / 64;
  int64_t wanted[] = {operation.kPerLane() * bitsOf(formats.a), perLaneB * bitsOf(formats.b),
                      operation.resultsPerLane() * bitsOf(operation.c)};
  for (unsigned i = 0; i < 3; ++i) {
    int64_t width = bitWidthOf(op->getOperand(i).getType());
    bool fits = operation.isScaled && i < 2 ? width >= wanted[i] && width <= 256 : width == wanted[i];
    if (!fits)
      return op->emitError() << op->getName() << " takes " << wanted[i] << " bits per lane as operand " << i << ", not "
                             << op->getOperand(i).getType();
  }
  if (op->getResult(0).getType() != op->getOperand(2).getType())
    return op->emitError() << op->getName() << " must return the type of its operand 2";
  return success();
}

Converted convertMfma(HostFunction &host, Operation *op, MatrixRows &rows) {
  StringRef name = op->getName().getStringRef();
  name.consume_front("rocdl.");
  auto operations = host_abi::matrixOperations();
  auto operation =
      llvm::find_if(operations, [&](const MatrixOperation &known) { return name == StringRef(known.name); });
  int version = host.block.target.mfmaVersion;
  if (operation == operations.end() || !operation->isOn(version))
    return op->emitError() << StringRef(host.block.target.name) << " has no " << op->getName();
  if (op->getNumOperands() != (operation->isScaled ? 9 : 6))
    return op->emitError() << op->getName() << " takes " << (operation->isScaled ? 9 : 6) << " operands";
  FailureOr<MatrixFormats> formats = operation->isScaled ? scaledFormats(op) : plainFormats(op, *operation, version);
  if (failed(formats) || failed(checkWidths(op, *operation, *formats)))
    return failure();
  PendingMma mma = {op, operation - operations.begin(), {}};
  mma.step.formats = formats->encode();
  rows.add(host, mma);
  return true;
}

} // namespace hocket
