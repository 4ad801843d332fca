//===- MatrixRows.cpp - Converts batches of MFMA and mma.sync to one rendezvous each ------===//
//
//   %d = rocdl.mfma.f32.32x32x8f16 %a, %b, %c, 0, 0, 0
//   %f = rocdl.mfma.f32.32x32x8f16 %e, %b, %d, 0, 0, 0
//     ->  operands[0...] = %a, %b, %c, %e                     on the lane's stack
//         crossLane(lane, MatrixProducts, operands, row, ...) {operation, 2, a b c of %d, a b c of %f}
//         %f = operands[offset of c]
//
// The last lane to arrive multiplies for the whole wave (emulator/machine/MatrixProduct.cpp). NVIDIA's lane.mma is
// converted in the same way. A rendezvous costs as much time as a multiplication, so MMAs of one kind share one
// (Rows.h). An accumulator that the next MMA adds to stays in memory, and so does an operand of several MMAs.
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/matrix/MatrixRows.h"

#include "conversion/lane_to_host/Conversions.h"
#include "conversion/lane_to_host/matrix/Rows.h"
#include "emulator_abi/MatrixOperations.h"

#include "dialect/lane/LaneDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace hocket {

using host_abi::MatrixRow;
using host_abi::MatrixStep;
using PendingProduct = HostFunction::PendingProduct;

/// Larger batches would enlarge the frames of lanes beyond the caches.
static constexpr size_t kMostProducts = 32;

bool isMatrixProduct(Operation *op) {
  return isa<lane::MmaOp>(op) || op->getName().getStringRef().starts_with("rocdl.mfma.");
}

/// Returns the pending MMA whose result is the accumulator of `op`, if it has no other use.
static const PendingProduct *findSummand(HostFunction &host, Operation *op) {
  Value sum = op->getOperand(2);
  for (const PendingProduct &product : host.pendingProducts)
    if (sum == product.op->getResult(0))
      return sum.hasOneUse() ? &product : nullptr;
  return nullptr;
}

static bool isOfKind(Operation *op, Operation *other) {
  auto mma = dyn_cast<lane::MmaOp>(op), otherMma = dyn_cast<lane::MmaOp>(other);
  if (mma && otherMma && mma.getInstruction() != otherMma.getInstruction())
    return false;
  return op->getName() == other->getName() && llvm::equal(op->getOperandTypes(), other->getOperandTypes());
}

static SmallVector<Operation *> pendingOps(HostFunction &host) {
  return llvm::map_to_vector(host.pendingProducts, [](const PendingProduct &product) { return product.op; });
}

/// True if the next MMA can be computed together with the pending ones.
static bool canGoOn(HostFunction &host) {
  if (host.pendingProducts.size() == kMostProducts)
    return false;
  SmallVector<Operation *> ops = pendingOps(host);
  Row row(ops);
  auto isNext = [&](Operation *op) {
    return isMatrixProduct(op) && isOfKind(op, ops.back()) &&
           llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
             return !row.gives(operand.get()) || (operand.getOperandNumber() == 2 && findSummand(host, op));
           });
  };
  return row.canGoOn(isNext, [](Operation *) { return false; });
}

/// Assigns each operand of the pending MMAs an offset in the lane's operand memory.
class Placement {
public:
  explicit Placement(HostFunction &host) : host(host) {}

  void placeAll() {
    for (PendingProduct &product : host.pendingProducts) {
      Operation *op = product.op;
      product.step.a = placeOf(op->getOperand(0));
      product.step.b = placeOf(op->getOperand(1));
      if (const PendingProduct *summand = findSummand(host, op))
        product.step.c = summand->step.c;
      else
        product.step.c = add(op->getOperand(2)); // never shared: the result overwrites it
      if (host_abi::matrixOperations()[size_t(product.operation)].isScaled) {
        // LLVM selects the instruction without scales if both are a constant 0.
        bool hasScales = !matchPattern(op->getOperand(6), m_Zero()) || !matchPattern(op->getOperand(8), m_Zero());
        product.step.scaleA = placeOf(hasScales ? op->getOperand(6) : scaleOfOne());
        product.step.scaleB = placeOf(hasScales ? op->getOperand(8) : scaleOfOne());
      }
    }
    host.matrixOperands(bytes);
    for (auto [value, place] : values)
      LLVM::StoreOp::create(host.builder, host.loc(), value, addressOf(place), alignmentOf(value.getType()));
  }

  Value addressOf(uint32_t place) {
    return LLVM::GEPOp::create(host.builder, host.loc(), LLVM::LLVMPointerType::get(host.builder.getContext()),
                               host.builder.getI8Type(), host.matrixOperands(bytes),
                               ArrayRef<LLVM::GEPArg>{int32_t(place)}, LLVM::GEPNoWrapFlags::inbounds);
  }
  static unsigned alignmentOf(Type type) { return type.isInteger(32) ? 4 : 8; }

private:
  uint32_t placeOf(Value value) {
    auto [known, isNew] = places.try_emplace(value);
    if (isNew)
      known->second = add(value);
    return known->second;
  }
  uint32_t add(Value value) {
    constexpr int64_t kUnit = 8;
    auto place = uint32_t(bytes);
    values.push_back({value, place});
    bytes += int64_t(llvm::alignTo(uint64_t(bitWidthOf(value.getType()) / 8), kUnit));
    return place;
  }
  Value scaleOfOne() {
    constexpr int32_t kScalesOfOne = 0x7f7f7f7f;
    return one ? one : one = host.i32(kScalesOfOne);
  }

  HostFunction &host;
  int64_t bytes = 0;
  Value one;
  llvm::DenseMap<Value, uint32_t> places;
  SmallVector<std::pair<Value, uint32_t>> values;
};

/// Returns the address of a host_abi::MatrixRow of all pending MMAs, a constant.
static Value rowOfPending(HostFunction &host) {
  OpBuilder &builder = host.builder;
  const PendingProduct &first = host.pendingProducts.front();
  SmallVector<int32_t> fields = {int32_t(first.operation), int32_t(host.pendingProducts.size())};
  for (const PendingProduct &product : host.pendingProducts)
    for (uint32_t field : {product.step.formats, product.step.a, product.step.b, product.step.c, product.step.scaleA,
                           product.step.scaleB})
      fields.push_back(int32_t(field));
  static_assert(sizeof(MatrixRow) == 2 * sizeof(int32_t) && sizeof(MatrixStep) == 6 * sizeof(int32_t));
  Value address = host.constantNumbers(fields);
  return LLVM::PtrToIntOp::create(builder, host.loc(), builder.getI64Type(), address);
}

/// Computes the pending MMAs at the last of them.
static void meet(HostFunction &host) {
  Operation *last = host.pendingProducts.back().op;
  Placement placement(host);
  placement.placeAll();
  crossLane(host, last, host_abi::CrossLaneOp::MatrixProducts, host.matrixOperands(0), rowOfPending(host));
  Operation *rest = last->getNextNode();
  host.builder.setInsertionPoint(rest);
  SmallVector<Operation *> ops = pendingOps(host);
  Row row(ops);
  for (PendingProduct &product : llvm::reverse(host.pendingProducts)) {
    // If another MMA of the batch added to the result, that use has been erased.
    Value result = product.op->getResult(0);
    if (!result.use_empty())
      result.replaceAllUsesWith(LLVM::LoadOp::create(host.builder, host.loc(), result.getType(),
                                                     placement.addressOf(product.step.c),
                                                     Placement::alignmentOf(result.getType())));
    product.op->erase();
  }
  row.moveDependents(rest);
  host.pendingProducts.clear();
}

void computeInRow(HostFunction &host, PendingProduct product) {
  host.pendingProducts.push_back(product);
  if (!canGoOn(host))
    meet(host);
}

} // namespace hocket
