//===- DivideMmas.cpp - Divides the MMAs of a loop along K --------------------------===//
//
// If an operand is the result of a read of shared memory without other uses, slices of the tile are read instead. Other
// operands, e.g. scales that are loaded from global memory, are divided in registers.
//
//===------------------------------------------------------------------------------===//
#include "transforms/auto_stages/DivideMmas.h"

#include "dialect/hk/facts/MatrixTime.h"
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/hk/layouts/LayoutInference.h"
#include "dialect/hk/layouts/Layouts.h"

using namespace mlir;

namespace hocket {

namespace {
/// An MMA, and the operands that are divided: all except the accumulator.
struct DividedMma {
  Operation *op = nullptr;
  SmallVector<OpOperand *, 4> operands;
  OpOperand *acc = nullptr;
};
} // namespace

/// Returns the number of the tensor dimension that runs along K. Operand B is [..., K, N]; K is the last dimension of
/// operand A and of scales.
static unsigned dimOfK(RankedTensorType type) {
  auto operand = dyn_cast<hk::DotOperandAttr>(type.getEncoding());
  return unsigned(type.getRank()) - (operand && operand.getOpIdx() == 1 ? 2 : 1);
}

/// True if `type` can be halved along K repeatedly, up to `parts` parts, without moving elements between lanes: each of
/// the highest bits of the coordinate along K is a register bit.
static bool canDivide(RankedTensorType type, unsigned parts) {
  const unsigned k = dimOfK(type);
  if (type.getShape()[k] % parts != 0 || type.getShape()[k] == parts)
    return false;
  const LinearLayout layout = hk::toLinearLayout(type);
  for (int64_t size = type.getShape()[k] / 2; parts > 1; parts /= 2, size /= 2) {
    auto isOfSize = [&](unsigned bit) {
      for (unsigned dim = 0; dim < unsigned(type.getRank()); ++dim)
        if (layout.getBasis(Dim::Register, bit, tensorDim(dim)) != (dim == k ? size : 0))
          return false;
      return true;
    };
    if (llvm::none_of(llvm::seq(layout.getInDimSizeLog2(Dim::Register)), isOfSize))
      return false;
  }
  return true;
}

static std::optional<DividedMma> planDivision(Operation *op, unsigned parts) {
  auto time = dyn_cast<hk::MatrixTime>(op);
  if (!time || time.getMatrixWork().stepsAlongK % parts != 0)
    return std::nullopt;
  DividedMma mma{.op = op};
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (type && type == op->getResult(0).getType())
      mma.acc = &operand;
    else if (type && canDivide(type, parts))
      mma.operands.push_back(&operand);
    else
      return std::nullopt;
  }
  return mma.acc ? std::optional(mma) : std::nullopt;
}

/// Reads part number `part` of the tile that `load` reads.
static Value readPart(OpBuilder &builder, hk::LocalLoadOp load, unsigned part, unsigned parts) {
  RankedTensorType type = load.getResult().getType();
  hk::MemDescType tile = load.getSrc().getType();
  const unsigned k = dimOfK(type);
  SmallVector<int64_t> shape(tile.getShape());
  SmallVector<int32_t> offsets(shape.size(), 0);
  shape[k] /= parts;
  offsets[k] = int32_t(part * shape[k]);
  auto slice =
      hk::MemDescType::get(shape, tile.getElementType(), tile.getLayout(), tile.getAllocShape(), tile.getSpace());
  Value src = hk::MemDescSliceOp::create(builder, load.getLoc(), slice, load.getSrc(), offsets);
  return hk::LocalLoadOp::create(builder, load.getLoc(), type.clone(shape), src, load.getRelaxed());
}

/// Divides `value` in registers into `parts` parts along dimension `k`, and appends the parts to `found`.
static void divideRegisters(OpBuilder &builder, Value value, unsigned k, unsigned parts,
                            SmallVectorImpl<Value> &found) {
  if (parts == 1) {
    found.push_back(value);
    return;
  }
  // The shape [..., K, ...] becomes [..., 2, K / 2, ...], and the dimension of size 2 becomes the last dimension.
  auto type = cast<RankedTensorType>(value.getType());
  auto typeOf = [&](ArrayRef<int64_t> shape, FailureOr<Attribute> layout) {
    return RankedTensorType::get(shape, type.getElementType(), *layout);
  };
  SmallVector<int64_t> pairs(type.getShape()), permuted, half(type.getShape());
  pairs[k] /= 2;
  half[k] /= 2;
  pairs.insert(pairs.begin() + k, 2);
  SmallVector<int32_t> order;
  for (unsigned dim = 0; dim < pairs.size(); ++dim)
    if (dim != k)
      order.push_back(int32_t(dim));
  order.push_back(int32_t(k));
  for (int32_t dim : order)
    permuted.push_back(pairs[size_t(dim)]);
  Location loc = value.getLoc();
  RankedTensorType pairsType = typeOf(pairs, hk::inferReshape(type.getEncoding(), type.getShape(), pairs));
  Value split = hk::ReshapeOp::create(builder, loc, pairsType, value);
  RankedTensorType permutedType = typeOf(permuted, hk::inferPermute(pairsType.getEncoding(), pairs, order));
  split = hk::PermuteOp::create(builder, loc, permutedType, split, order);
  RankedTensorType halfType = typeOf(half, hk::inferSplit(permutedType.getEncoding(), permuted));
  auto halves = hk::SplitOp::create(builder, loc, halfType, halfType, split);
  divideRegisters(builder, halves.getLhs(), k, parts / 2, found);
  divideRegisters(builder, halves.getRhs(), k, parts / 2, found);
}

/// Returns the parts into which an operand is divided along K.
static SmallVector<Value> divideOperand(OpBuilder &builder, OpOperand &operand, scf::ForOp loop, unsigned parts) {
  SmallVector<Value> found;
  auto type = cast<RankedTensorType>(operand.get().getType());
  auto load = operand.get().getDefiningOp<hk::LocalLoadOp>();
  if (load && load->getBlock() == loop.getBody() && load->hasOneUse()) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(load);
    for (unsigned part = 0; part < parts; ++part)
      found.push_back(readPart(builder, load, part, parts));
    return found;
  }
  divideRegisters(builder, operand.get(), dimOfK(type), parts, found);
  // MMAs require operands in a DotOperand layout. The conversion moves no data, because the layouts after splitting
  // have the same map.
  if (isa<hk::DotOperandAttr>(type.getEncoding()))
    for (Value &part : found)
      part = hk::ConvertLayoutOp::create(
          builder, part.getLoc(), cast<RankedTensorType>(part.getType()).cloneWithEncoding(type.getEncoding()), part);
  return found;
}

static void divide(const DividedMma &mma, scf::ForOp loop, unsigned parts) {
  OpBuilder builder(mma.op);
  SmallVector<SmallVector<Value>, 4> divided;
  SmallVector<Operation *, 4> producers;
  for (OpOperand *operand : mma.operands) {
    divided.push_back(divideOperand(builder, *operand, loop, parts));
    producers.push_back(operand->get().getDefiningOp());
  }
  Value acc = mma.acc->get();
  for (unsigned part = 0; part < parts; ++part) {
    Operation *copy = builder.clone(*mma.op);
    for (auto [operand, values] : llvm::zip_equal(mma.operands, divided))
      copy->setOperand(operand->getOperandNumber(), values[part]);
    copy->setOperand(mma.acc->getOperandNumber(), acc);
    acc = copy->getResult(0);
  }
  mma.op->getResult(0).replaceAllUsesWith(acc);
  mma.op->erase();
  for (Operation *producer : producers)
    if (isa_and_nonnull<hk::LocalLoadOp>(producer) && producer->use_empty())
      producer->erase();
}

bool divideMmas(scf::ForOp loop, unsigned parts) {
  SmallVector<DividedMma> mmas;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (!isa<hk::Mma>(op) || !isMemoryEffectFree(&op))
      continue;
    std::optional<DividedMma> mma = planDivision(&op, parts);
    if (!mma)
      return false;
    mmas.push_back(*mma);
  }
  for (const DividedMma &mma : mmas)
    divide(mma, loop, parts);
  return !mmas.empty();
}

} // namespace hocket
