//===- BranchCopies.cpp - Separates copies in branches from other operations of the branches --------===//
#include "transforms/prefetch/BranchCopies.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "transforms/prefetch/LoopAccesses.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace hocket::prefetch {

/// Clones `roots` and the operations of `block` that compute their operands, except operands that `mapping` already
/// maps.
static void cloneSlice(Block &block, OpBuilder &builder, ArrayRef<Operation *> roots, IRMapping &mapping) {
  llvm::SetVector<Operation *> slice(roots.begin(), roots.end());
  for (unsigned next = 0; next < slice.size(); ++next)
    for (Value operand : slice[next]->getOperands())
      if (Operation *from = operand.getDefiningOp(); from && from->getBlock() == &block && !mapping.contains(operand))
        slice.insert(from);
  for (Operation &op : block)
    if (slice.contains(&op))
      builder.clone(op, mapping);
}

/// Returns the condition under which `branch` executes `block`.
static Value conditionOf(Block &block, scf::IfOp branch, OpBuilder &builder) {
  if (&block == branch.thenBlock())
    return branch.getCondition();
  Value isTrue = arith::ConstantOp::create(builder, branch.getLoc(), builder.getBoolAttr(true));
  return arith::XOrIOp::create(builder, branch.getLoc(), branch.getCondition(), isTrue);
}

namespace {
/// The copies through registers of one block of an scf.if.
class BlockCopies {
public:
  explicit BlockCopies(Block &block) : block(block) {}

  /// Finds the copies of the block; returns false if no copies can be separated.
  bool find();
  /// Moves the copies before `branch`, into new scf.ifs. The condition of the scf.ifs is the condition of `branch`,
  /// negated if the block is the else block.
  void separate(scf::IfOp branch);

private:
  bool addSlice(Operation *store);
  bool isAccessedBefore(Operation *store) const;
  scf::IfOp createLoads(OpBuilder &builder, Location loc, Value condition);

  Block &block;
  SmallVector<Operation *> stores;
  /// The loads of the values that `stores` write.
  llvm::SetVector<Operation *> loads;
};
} // namespace

/// Adds the loads of the values that `store` writes to `loads`. Returns false if the values depend on other memory
/// accesses or on no load.
bool BlockCopies::addSlice(Operation *store) {
  llvm::SetVector<Operation *> slice, found;
  slice.insert(store);
  for (unsigned next = 0; next < slice.size(); ++next) {
    Operation *op = slice[next];
    Accesses accesses = accessesOf(op);
    if (op->getNumRegions() > 0 || (op != store && !accesses.isNothing() && !accesses.onlyReadsGlobal()))
      return false;
    if (accesses.onlyReadsGlobal())
      found.insert(op);
    for (Value operand : op->getOperands())
      if (Operation *from = operand.getDefiningOp(); from && from->getBlock() == &block)
        slice.insert(from);
  }
  if (found.empty())
    return false;
  loads.insert(found.begin(), found.end());
  return true;
}

/// True if an operation before `store`, other than a copy, possibly accesses the same buffer or must keep its position.
bool BlockCopies::isAccessedBefore(Operation *store) const {
  for (Operation *op = store->getPrevNode(); op; op = op->getPrevNode()) {
    Accesses accesses = accessesOf(op);
    bool isCopy = llvm::is_contained(stores, op);
    if (accesses.writesGlobal || accesses.isAsync || accesses.isUnknown || accesses.tells ||
        (!isCopy && mayShareBuffer(op, store)))
      return true;
  }
  return false;
}

static bool isConstantType(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIntOrFloat() && (isa<RankedTensorType>(type) || type == element);
}

bool BlockCopies::find() {
  for (Operation &op : block.without_terminator()) {
    if (!accessesOf(&op).onlyWritesBuffer() || op.getNumRegions() > 0 || isAccessedBefore(&op))
      continue;
    if (addSlice(&op))
      stores.push_back(&op);
  }
  return !stores.empty() &&
         llvm::all_of(loads, [](Operation *load) { return llvm::all_of(load->getResultTypes(), isConstantType); });
}

scf::IfOp BlockCopies::createLoads(OpBuilder &builder, Location loc, Value condition) {
  SmallVector<Value> loaded;
  for (Operation *load : loads)
    llvm::append_range(loaded, load->getResults());
  auto reads = scf::IfOp::create(builder, loc, ValueRange(loaded).getTypes(), condition, /*withElseRegion=*/true);
  OpBuilder then = OpBuilder::atBlockBegin(reads.thenBlock()), other = OpBuilder::atBlockBegin(reads.elseBlock());
  IRMapping mapping;
  cloneSlice(block, then, loads.getArrayRef(), mapping);
  scf::YieldOp::create(then, loc, llvm::map_to_vector(loaded, [&](Value value) { return mapping.lookup(value); }));
  scf::YieldOp::create(other, loc, llvm::map_to_vector(loaded, [&](Value value) -> Value {
                         return arith::ConstantOp::create(other, loc,
                                                          cast<TypedAttr>(other.getZeroAttr(value.getType())));
                       }));
  for (auto [value, result] : llvm::zip_equal(loaded, reads.getResults()))
    value.replaceAllUsesWith(result);
  return reads;
}

void BlockCopies::separate(scf::IfOp branch) {
  OpBuilder builder(branch);
  Location loc = branch.getLoc();
  Value condition = conditionOf(block, branch, builder);
  createLoads(builder, loc, condition);
  auto writes = scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/false);
  OpBuilder then = OpBuilder::atBlockBegin(writes.thenBlock());
  IRMapping mapping;
  cloneSlice(block, then, stores, mapping);
  for (Operation *store : stores)
    store->erase();
  for (Operation *load : llvm::reverse(loads.getArrayRef()))
    if (load->use_empty())
      load->erase();
}

// Asynchronous copies -------------------------------------------------------------------------------------------------

namespace {
/// The asynchronous copies of one block of an scf.if, with their commits and waits. After the separation, the commits
/// and waits are executed in every iteration. Additional commits and waits only make copies complete earlier.
class AsyncBlockCopies {
public:
  explicit AsyncBlockCopies(Block &block) : block(block) {}

  bool find();
  void separate(scf::IfOp branch);

private:
  bool isComputable(Operation *copy) const;

  Block &block;
  /// `found` holds the copies, commits and waits, and `others` the other operations that access memory, in program
  /// order.
  SmallVector<Operation *> found, others;
};
} // namespace

/// True if no operand of `copy` depends on a memory access in the block.
bool AsyncBlockCopies::isComputable(Operation *copy) const {
  llvm::SetVector<Operation *> slice;
  slice.insert(copy);
  for (unsigned next = 0; next < slice.size(); ++next) {
    Accesses accesses = accessesOf(slice[next]);
    if (slice[next]->getNumRegions() > 0 || (next > 0 && !accesses.isNothing()))
      return false;
    for (Value operand : slice[next]->getOperands())
      if (Operation *from = operand.getDefiningOp(); from && from->getBlock() == &block)
        slice.insert(from);
  }
  return true;
}

bool AsyncBlockCopies::find() {
  bool hasCopies = false;
  for (Operation &op : block.without_terminator()) {
    Accesses accesses = accessesOf(&op);
    bool isCopy = op.getNumRegions() == 0 && completionOfFill(&op).getCounter();
    bool isBareWait = isa<hk::AsyncWait>(op) && op.getNumResults() == 0;
    if (isCopy || (isa<hk::AsyncCommit>(op) && !isa<hk::AsyncAccess>(op)) || isBareWait) {
      // After the separation, the copy precedes the operations in `others`.
      bool isBlocked = llvm::any_of(others, [&](Operation *other) { return isCopy && mayShareBuffer(other, &op); });
      if (isBlocked || (isCopy && !isComputable(&op)) || (!isCopy && !hasCopies))
        return false;
      hasCopies |= isCopy;
      found.push_back(&op);
      continue;
    }
    if (accesses.isAsync || accesses.isUnknown || accesses.writesGlobal || accesses.tells)
      return false;
    if (!accesses.isNothing())
      others.push_back(&op);
  }
  return hasCopies;
}

void AsyncBlockCopies::separate(scf::IfOp branch) {
  OpBuilder builder(branch);
  Value condition = conditionOf(block, branch, builder);
  SmallVector<Operation *> copies;
  auto createCopies = [&] {
    if (copies.empty())
      return;
    auto branchOfCopies = scf::IfOp::create(builder, branch.getLoc(), condition, /*withElseRegion=*/false);
    OpBuilder then = OpBuilder::atBlockBegin(branchOfCopies.thenBlock());
    IRMapping mapping;
    cloneSlice(block, then, copies, mapping);
    for (Operation *copy : copies)
      copy->erase();
    copies.clear();
  };
  for (Operation *op : found) {
    if (!isa<hk::AsyncCommit, hk::AsyncWait>(op)) {
      copies.push_back(op);
      continue;
    }
    createCopies();
    op->moveBefore(branch);
  }
  createCopies();
}

/// Separates the copies of `block`; `beforeChange` is called before the first change.
template <typename CopiesT>
static void separateCopies(Block &block, scf::IfOp branch, function_ref<void()> beforeChange) {
  CopiesT copies(block);
  if (!copies.find())
    return;
  beforeChange();
  copies.separate(branch);
}

scf::ForOp separateBranchCopies(scf::ForOp loop) {
  scf::ForOp original;
  auto keepOriginal = [&] {
    if (!original)
      original = cast<scf::ForOp>(loop->clone());
  };
  for (auto branch : llvm::make_early_inc_range(loop.getBody()->getOps<scf::IfOp>())) {
    // A branch with a loop is, for example, an inner loop that has already been pipelined.
    if (branch->walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); }).wasInterrupted())
      continue;
    for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()}) {
      if (region->empty())
        continue;
      separateCopies<BlockCopies>(region->front(), branch, keepOriginal);
      separateCopies<AsyncBlockCopies>(region->front(), branch, keepOriginal);
    }
  }
  return original;
}

} // namespace hocket::prefetch
