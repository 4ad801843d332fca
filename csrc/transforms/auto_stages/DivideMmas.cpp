//===- DivideMmas.cpp - Divides the MMAs of a loop along M, N and K -----------------===//
//
// If an operand is the result of a read of shared memory without other uses, slices of the tile are read instead. Other
// operands, e.g. scales that are loaded from global memory, are divided in registers.
//
//===------------------------------------------------------------------------------===//
#include "transforms/auto_stages/DivideMmas.h"

#include "dialect/hk/facts/MatrixTime.h"
#include "dialect/hk/ir/HkDialect.h"
#include "transforms/auto_stages/TensorParts.h"

using namespace mlir;

namespace hocket {

namespace {
/// An operand of an MMA, and the dimensions along which it is divided.
struct DividedOperand {
  OpOperand *operand = nullptr;
  SmallVector<DimParts, 2> dims;
  /// True if the first dimension of `dims` runs along M; false if it runs along N.
  bool isAlongM = false;
};

/// An MMA, and the operands that are divided.
struct DividedMma {
  Operation *op = nullptr;
  SmallVector<DividedOperand, 4> operands;
  OpOperand *acc = nullptr;
  /// The division of the accumulator along M and N.
  SmallVector<DimParts, 2> accDims;
  /// The variable of the loop that holds the accumulator. Set only if the MMA is divided along M or N.
  BlockArgument carried;
};
} // namespace

std::string describe(const MmaParts &parts) {
  std::string text;
  for (auto [name, count] : {std::pair("M", parts.m), std::pair("N", parts.n), std::pair("K", parts.k)})
    if (count > 1)
      text += (text.empty() ? "" : " and ") + std::to_string(count) + " along " + name;
  return text;
}

// Plan ----------------------------------------------------------------------------------------------------------------

/// Returns the division of operand A, operand B, or the scales of A or B. Operand B is [..., K, N]. Operand A and scales
/// are [..., M, K], with N in the place of M for the scales of B.
static DividedOperand divisionOf(OpOperand &operand, bool isOfB, const MmaParts &parts) {
  auto type = cast<RankedTensorType>(operand.get().getType());
  const auto rank = unsigned(type.getRank());
  const bool isB = isOfB && isa<hk::DotOperandAttr>(type.getEncoding());
  return {&operand,
          {{isB ? rank - 1 : rank - 2, isOfB ? parts.n : parts.m}, {isB ? rank - 2 : rank - 1, parts.k}},
          /*isAlongM=*/!isOfB};
}

/// Returns the variable of `loop` that holds the accumulator `acc` of `mma`, if nothing else in the loop uses the
/// accumulator; null otherwise.
static BlockArgument carriedAccumulator(Operation *mma, OpOperand &acc, scf::ForOp loop) {
  auto argument = dyn_cast<BlockArgument>(acc.get());
  if (!argument || argument.getOwner() != loop.getBody() || !argument.hasOneUse() || !mma->hasOneUse())
    return {};
  return loop.getTiedLoopYieldedValue(argument)->get() == mma->getResult(0) ? argument : BlockArgument();
}

static std::optional<DividedMma> planDivision(Operation *op, scf::ForOp loop, const MmaParts &parts) {
  auto time = dyn_cast<hk::MatrixTime>(op);
  if (!time || time.getMatrixWork().stepsAlongK % parts.k != 0)
    return std::nullopt;
  auto canDivideAll = [](RankedTensorType type, ArrayRef<DimParts> dims) {
    return llvm::all_of(dims, [&](DimParts each) { return each.parts == 1 || canDivide(type, each); });
  };
  DividedMma mma{.op = op};
  // Scales follow the operand that they scale.
  bool isOfB = false;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type || type.getRank() < 2)
      return std::nullopt;
    if (type == op->getResult(0).getType()) {
      mma.acc = &operand;
      mma.accDims = {{unsigned(type.getRank()) - 2, parts.m}, {unsigned(type.getRank()) - 1, parts.n}};
      if (!canDivideAll(type, mma.accDims))
        return std::nullopt;
      continue;
    }
    if (auto layout = dyn_cast<hk::DotOperandAttr>(type.getEncoding()))
      isOfB = layout.getOpIdx() == 1;
    mma.operands.push_back(divisionOf(operand, isOfB, parts));
    if (!canDivideAll(type, mma.operands.back().dims))
      return std::nullopt;
  }
  if (mma.acc && parts.hasQuadrants())
    mma.carried = carriedAccumulator(op, *mma.acc, loop);
  return mma.acc && (mma.carried || !parts.hasQuadrants()) ? std::optional(mma) : std::nullopt;
}

// Operands ------------------------------------------------------------------------------------------------------------

/// Reads a part of the tile that `load` reads: part number numbers[i] along the dimension of dims[i].
static Value readPart(OpBuilder &builder, hk::LocalLoadOp load, ArrayRef<DimParts> dims, ArrayRef<unsigned> numbers) {
  RankedTensorType type = load.getResult().getType();
  hk::MemDescType tile = load.getSrc().getType();
  SmallVector<int64_t> shape(tile.getShape());
  SmallVector<int32_t> offsets(shape.size(), 0);
  for (auto [divided, number] : llvm::zip_equal(dims, numbers)) {
    shape[divided.dim] /= divided.parts;
    offsets[divided.dim] = int32_t(number * shape[divided.dim]);
  }
  auto slice =
      hk::MemDescType::get(shape, tile.getElementType(), tile.getLayout(), tile.getAllocShape(), tile.getSpace());
  Value src = hk::MemDescSliceOp::create(builder, load.getLoc(), slice, load.getSrc(), offsets);
  return hk::LocalLoadOp::create(builder, load.getLoc(), type.clone(shape), src, load.getRelaxed());
}

/// The read of shared memory whose result is the divided operand, if the parts can be read separately; null otherwise.
static hk::LocalLoadOp separableRead(const DividedOperand &divided, scf::ForOp loop) {
  auto load = divided.operand->get().getDefiningOp<hk::LocalLoadOp>();
  return load && load->getBlock() == loop.getBody() && load->hasOneUse() ? load : hk::LocalLoadOp();
}

/// Returns the first operation of the body that the parts of `mma` may precede. If the reads of the operands can move
/// there, each part is read directly before the first MMA that uses the part. In this order of the nodes, the search
/// (StageSearch.h) finds good stages early. Returns null if another operation that may write memory follows a read.
static Operation *pointAfterOperands(const DividedMma &mma, scf::ForOp loop) {
  Operation *firstRead = nullptr, *last = nullptr;
  for (Value value : mma.op->getOperands()) {
    Operation *producer = value.getDefiningOp();
    if (producer && producer->getBlock() == loop.getBody() && (!last || last->isBeforeInBlock(producer)))
      last = producer;
  }
  for (const DividedOperand &operand : mma.operands)
    if (hk::LocalLoadOp read = separableRead(operand, loop); read && (!firstRead || read->isBeforeInBlock(firstRead)))
      firstRead = read;
  for (Operation *op = firstRead; op && op != last; op = op->getNextNode())
    if (!isMemoryEffectFree(op) && !isa<hk::LocalLoadOp>(op))
      return nullptr;
  return last ? last->getNextNode() : mma.op;
}

namespace {
/// The parts of an operand. Parts that are read separately are read when they are first used.
class OperandParts {
public:
  /// If `isLazy` is false, the parts are read where `divided` is read now.
  OperandParts(OpBuilder &builder, const DividedOperand &divided, scf::ForOp loop, bool isLazy)
      : divided(divided), read(separableRead(divided, loop)) {
    const unsigned count = divided.dims[0].parts * divided.dims[1].parts;
    if (count == 1)
      parts = {divided.operand->get()};
    else if (!read)
      parts = divideTensor(builder, divided.operand->get(), divided.dims);
    else
      parts.assign(count, Value());
    if (isLazy || !read)
      return;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(read);
    for (unsigned part = 0; part < count; ++part)
      get(builder, part);
  }

  /// Returns part number `part`, in row-major order of the divided dimensions.
  Value get(OpBuilder &builder, unsigned part) {
    const unsigned inner = divided.dims[1].parts;
    if (!parts[part])
      parts[part] = readPart(builder, read, divided.dims, {part / inner, part % inner});
    return parts[part];
  }

private:
  const DividedOperand &divided;
  hk::LocalLoadOp read;
  SmallVector<Value> parts;
};
} // namespace

// Loop ----------------------------------------------------------------------------------------------------------------

/// Divides `mma`. `accs` contains the accumulators of the parts along M and N, in row-major order. Returns the results
/// for these parts.
static SmallVector<Value> divide(const DividedMma &mma, scf::ForOp loop, const MmaParts &parts, ArrayRef<Value> accs) {
  OpBuilder builder(mma.op);
  Operation *point = pointAfterOperands(mma, loop);
  if (point)
    builder.setInsertionPoint(point);
  std::vector<OperandParts> divided;
  SmallVector<Operation *, 4> producers;
  for (const DividedOperand &operand : mma.operands) {
    divided.emplace_back(builder, operand, loop, /*isLazy=*/point != nullptr);
    producers.push_back(operand.operand->get().getDefiningOp());
  }
  SmallVector<Value> results(accs);
  for (unsigned row = 0; row < parts.m; ++row)
    for (unsigned step = 0; step < parts.n; ++step) {
      // Odd rows run backward, so that successive parts share an operand.
      const unsigned column = row % 2 == 0 ? step : parts.n - 1 - step;
      for (unsigned k = 0; k < parts.k; ++k) {
        SmallVector<Value> operands;
        for (auto [operand, values] : llvm::zip_equal(mma.operands, divided))
          operands.push_back(values.get(builder, (operand.isAlongM ? row : column) * parts.k + k));
        Operation *copy = builder.clone(*mma.op);
        for (auto [operand, value] : llvm::zip_equal(mma.operands, operands))
          copy->setOperand(operand.operand->getOperandNumber(), value);
        Value &acc = results[row * parts.n + column];
        copy->setOperand(mma.acc->getOperandNumber(), acc);
        copy->getResult(0).setType(cast<RankedTensorType>(acc.getType()));
        acc = copy->getResult(0);
      }
    }
  if (!parts.hasQuadrants())
    mma.op->getResult(0).replaceAllUsesWith(results.front());
  else
    mma.op->dropAllUses();
  mma.op->erase();
  for (Operation *producer : producers)
    if (isa_and_nonnull<hk::LocalLoadOp>(producer) && producer->use_empty())
      producer->erase();
  return results;
}

/// Divides `mmas`, whose accumulators `loop` carries, along M and N. Returns a loop that carries one accumulator for each
/// part, and that replaces `loop`.
static scf::ForOp divideCarried(ArrayRef<DividedMma> mmas, scf::ForOp loop, const MmaParts &parts) {
  OpBuilder builder(loop);
  auto mmaOf = [&](BlockArgument argument) {
    return llvm::find_if(mmas, [&](const DividedMma &mma) { return mma.carried == argument; });
  };
  SmallVector<Value> inits;
  for (BlockArgument argument : loop.getRegionIterArgs()) {
    Value init = loop.getTiedLoopInit(argument)->get();
    if (auto mma = mmaOf(argument); mma != mmas.end())
      llvm::append_range(inits, divideTensor(builder, init, mma->accDims));
    else
      inits.push_back(init);
  }
  auto made =
      scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(), loop.getStep(), inits);
  made.setUnsignedCmp(loop.getUnsignedCmp());
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  SmallVector<Value> yielded;
  unsigned next = 0;
  for (auto [argument, value, result] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues(), loop.getResults())) {
    if (auto mma = mmaOf(argument); mma != mmas.end()) {
      const unsigned count = parts.m * parts.n;
      SmallVector<Value> accs(made.getRegionIterArgs().slice(next, count));
      llvm::append_range(yielded, divide(*mma, loop, parts, accs));
      SmallVector<Value> results(made.getResults().slice(next, count));
      result.replaceAllUsesWith(joinTensor(builder, results, mma->accDims));
      next += count;
      continue;
    }
    argument.replaceAllUsesWith(made.getRegionIterArg(next));
    result.replaceAllUsesWith(made.getResult(next++));
    yielded.push_back(value);
  }
  loop.getInductionVar().replaceAllUsesWith(made.getInductionVar());
  Block *body = made.getBody();
  if (!body->empty()) // scf::ForOp::create has inserted a terminator, as it does for loops without results
    body->getTerminator()->erase();
  body->getOperations().splice(body->begin(), loop.getBody()->getOperations());
  body->getTerminator()->setOperands(yielded);
  loop.erase();
  return made;
}

FailureOr<scf::ForOp> divideMmas(scf::ForOp loop, const MmaParts &parts) {
  SmallVector<DividedMma, 0> mmas;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (!isa<hk::Mma>(op) || !isMemoryEffectFree(&op))
      continue;
    std::optional<DividedMma> mma = planDivision(&op, loop, parts);
    if (!mma)
      return failure();
    mmas.push_back(*mma);
  }
  if (mmas.empty())
    return failure();
  if (parts.hasQuadrants())
    return divideCarried(mmas, loop, parts);
  for (const DividedMma &mma : mmas)
    divide(mma, loop, parts, mma.acc->get());
  return loop;
}

} // namespace hocket
