//===- JoinPartitions.cpp - Merges the functions of all partitions into one kernel -----===//
//
//     warps of the default partition                warps of workers
//
//     ^entry:  cond_br warp < warps of the default partition, ^main, ^wait
//     ^main:   ...                                  ^wait:   barrier 1
//              0 -> number in shared memory                  switch number in shared memory
//              barrier 1                                       0: ^dispatch0 ... default: ^leave
//              ...                                  ^dispatch0: switch warp  4, 5, 6, 7: ^load  8: ^store ...
//              barrier 1                            ^load:   ...           br ^done
//              ...                                  ^done:   barrier 1     br ^wait
//              -1 -> number in shared memory
//              barrier 1                            ^leave:  return
//              return
//
// Between two launches (lane.start_workers), workers wait at barrier 1, which counts all threads of the block. Workers
// cannot execute the code between two launches, because its layouts and barriers are for the warps of the default
// partition only. Each launch has a number, which workers read from shared memory. Launches can therefore be in loops
// and branches whose conditions workers do not compute.
//
// A cluster barrier also counts all threads. Before the default partition arrives at a cluster barrier, the default
// partition passes a special number to the workers. After the workers have read the number, they wait at barrier 1
// again, so that the number can be overwritten. The workers then arrive and wait at the cluster barrier.
//
// In most kernels, the warps of the default partition execute each launch of workers and each cluster barrier exactly
// once, in a fixed order. In such kernels, workers need no number (static dispatch): for each launch in the fixed
// order, workers wait and run their partition. After the last launch, workers exit.
//
//     ^entry:  cond_br warp < default warps, ^main, ^wait0      ^wait0: barrier 1   switch warp  4: ^load ...
//     ^main:   ...  barrier 1   ...  barrier 1   ...  return    ^load:  ...  ^done: barrier 1   return
//
// Register budgets: warps change their budgets after the first barrier of a launch and restore their budgets after the
// last barrier of the launch. All warps of a warpgroup execute the same setmaxnreg instructions, as PTX requires,
// because a warpgroup changes its budget before its warps diverge. Paths with different budgets do not join before the
// budgets are restored, because ptxas would then ignore all budgets of the kernel (warning C7507). A warp without work
// also restores its register budget after the last barrier. Before the last barrier, other warps can still wait for
// these registers at the start of their work.
//
// Input:   lane form with lane.start_workers, lane.join_workers, and a function for each worker.
// Output:  lane form of one kernel, without lane.start_workers and lane.join_workers.
// PTX ISA 9.0, "barrier", "setmaxnreg".
//
//===------------------------------------------------------------------------------===//
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/facts/PartitionPlan.h"
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/lane/LaneDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "transforms/nvidia/HandOver.h"
#include "transforms/nvidia/Passes.h"
#include "transforms/nvidia/WorkerCourse.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_JOINPARTITIONS
#include "transforms/nvidia/Passes.h.inc"

namespace {

/// The number in shared memory that makes workers exit.
constexpr int32_t kLeave = -1;
/// The number in shared memory that makes workers take part in a cluster barrier.
constexpr int32_t kClusterBarrier = -2;
constexpr int32_t kWholeWarp = -1, kShuffleClamp = 31;

struct Member {
  LLVM::LLVMFuncOp worker;
  ValueRange captures;
};

/// Warps that change their register budget together, and the workers that these warps run. Without register budgets,
/// all workers form one team.
struct Team {
  int32_t firstWarp, numWarps, registers;
  SmallVector<Member, 2> members;
};

class PartitionJoiner {
public:
  explicit PartitionJoiner(LLVM::LLVMFuncOp kernel)
      : kernel(kernel), module(kernel->getParentOfType<ModuleOp>()), target(hk::targetOf(kernel)),
        launchWarps(hk::partitionOf(kernel).getNumWarps()), blockWarps(hk::blockWarpsOf(module)),
        builder(kernel.getContext()), loc(kernel.getLoc()) {}

  LogicalResult join();

private:
  /// Emits the code of workers for static dispatch, i.e. for launches in the known order `course`; returns the entry
  /// block of the code.
  Block *emitStaticDispatch(ArrayRef<Operation *> course);
  /// Emits the code of workers for dynamic dispatch, in which workers read the number of each launch from shared
  /// memory; returns the entry block of the code.
  Block *emitDynamicDispatch(ArrayRef<lane::StartWorkersOp> starts, ArrayRef<Operation *> clusterArrivals,
                             ArrayRef<LLVM::ReturnOp> returns);
  /// Emits the code of the default partition for a launch of workers. `number` is the number of the launch for dynamic
  /// dispatch, and absent for static dispatch.
  void joinStart(lane::StartWorkersOp start, const HandOver &handOver, std::optional<int32_t> number);
  SmallVector<Team> teamsOf(lane::StartWorkersOp start);
  Block *emitDispatch(lane::StartWorkersOp start, HandOver &handOver);
  /// Moves the body of a worker into the kernel. The body begins with code that computes the captured values, and ends
  /// with a branch to `done`. Returns the first block of the body.
  Block *moveBody(LLVM::LLVMFuncOp worker, ValueRange captures, HandOver &handOver, Block *done);
  /// Emits the block that warps with the register budget `registers` execute at the end of a launch.
  Block *emitDone(lane::StartWorkersOp start, int32_t registers);
  void emitLeave(LLVM::ReturnOp op);
  /// Emits the code of the default partition that makes workers take part in the cluster barrier at which `arrive`
  /// arrives.
  void joinClusterBarrier(Operation *arrive);
  Block *emitClusterBarrier(bool isDynamic);

  Block *newBlock() { return builder.createBlock(&kernel.getBody(), kernel.getBody().end()); }
  Value i32(int32_t value) { return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), value); }
  void barrierOfBlock() {
    NVVM::BarrierOp::create(builder, loc, Type(), i32(hk::kBlockBarrier), i32(blockWarps * target.warpSize), {},
                            Value());
  }
  /// Emits a branch in which one thread of the default partition executes the code that `emit` emits. Afterwards, the
  /// insertion point of `builder` is in the block in which all threads of the partition continue.
  void emitForOne(llvm::function_ref<void()> emit);
  /// Emits a switch on `number`, which must be warp-uniform.
  void emitSwitch(Value number, Block *otherwise, ArrayRef<std::pair<int32_t, Block *>> cases);
  void setRegisters(int32_t before, int32_t after);

  LLVM::LLVMFuncOp kernel;
  ModuleOp module;
  const TargetInfo &target;
  const int launchWarps, blockWarps;
  OpBuilder builder;
  Location loc;
  Value thread, warp;
  Block *leave = nullptr; ///< block in which workers exit
  Block *next = nullptr;  ///< block that workers execute after the work that is being emitted
  int64_t offset = 0;
};

void PartitionJoiner::emitForOne(llvm::function_ref<void()> emit) {
  Block *before = builder.getInsertionBlock(), *after = before->splitBlock(builder.getInsertionPoint());
  Block *one = builder.createBlock(after);
  emit();
  LLVM::BrOp::create(builder, loc, ValueRange(), after);
  builder.setInsertionPointToEnd(before);
  Value isFirst = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, thread, i32(0));
  LLVM::CondBrOp::create(builder, loc, isFirst, one, after);
  builder.setInsertionPointToStart(after);
}

void PartitionJoiner::emitSwitch(Value number, Block *otherwise, ArrayRef<std::pair<int32_t, Block *>> cases) {
  SmallVector<int32_t> values;
  SmallVector<Block *> blocks;
  for (auto [value, block] : cases) {
    values.push_back(value);
    blocks.push_back(block);
  }
  SmallVector<ValueRange> operands(cases.size());
  LLVM::SwitchOp::create(builder, loc, number, otherwise, ValueRange(), values, blocks, operands);
}

void PartitionJoiner::setRegisters(int32_t before, int32_t after) {
  if (before == after)
    return;
  NVVM::SetMaxRegisterOp::create(builder, loc, after,
                                 after > before ? NVVM::SetMaxRegisterAction::increase
                                                : NVVM::SetMaxRegisterAction::decrease);
}

Block *PartitionJoiner::moveBody(LLVM::LLVMFuncOp worker, ValueRange captures, HandOver &handOver, Block *done) {
  Block *begin = newBlock();
  SmallVector<Value> taken;
  for (Value captured : captures)
    taken.push_back(handOver.take(builder, captured));
  Block *first = &worker.getBody().front();
  worker.walk([&](LLVM::ReturnOp end) {
    OpBuilder atEnd(end);
    LLVM::BrOp::create(atEnd, end.getLoc(), ValueRange(), done);
    end.erase();
  });
  for (auto [argument, value] : llvm::zip_equal(first->getArguments(), taken))
    argument.replaceAllUsesWith(value);
  first->eraseArguments([](BlockArgument) { return true; });
  Region &body = kernel.getBody();
  body.getBlocks().splice(body.end(), worker.getBody().getBlocks());
  begin->getOperations().splice(begin->end(), first->getOperations());
  first->erase();
  worker.erase();
  return begin;
}

Block *PartitionJoiner::emitDone(lane::StartWorkersOp start, int32_t registers) {
  Block *done = newBlock();
  barrierOfBlock();
  if (next != leave)
    setRegisters(registers, start.getEntryRegisters().value_or(0));
  LLVM::BrOp::create(builder, loc, ValueRange(), next);
  return done;
}

SmallVector<Team> PartitionJoiner::teamsOf(lane::StartWorkersOp start) {
  std::optional<ArrayRef<int32_t>> registers = start.getRegisters();
  SmallVector<Team> teams;
  if (!registers)
    teams.push_back({launchWarps, blockWarps - launchWarps, 0, {}});
  ValueRange captures = start.getCaptures();
  for (auto [name, count] : llvm::zip_equal(start.getWorkers().getAsRange<FlatSymbolRefAttr>(), start.getCounts())) {
    auto worker = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
    int32_t first = hk::partitionOf(worker).getFirstWarp(), numWarps = hk::partitionOf(worker).getNumWarps();
    auto team = llvm::find_if(
        teams, [&](const Team &other) { return first >= other.firstWarp && first < other.firstWarp + other.numWarps; });
    if (team == teams.end()) {
      int32_t group = first / kWarpsPerWarpgroup;
      int32_t budget = (*registers)[1 + group - launchWarps / kWarpsPerWarpgroup];
      teams.push_back({group * kWarpsPerWarpgroup, std::max(numWarps, kWarpsPerWarpgroup), budget, {}});
      team = std::prev(teams.end());
    }
    team->members.push_back({worker, captures.take_front(count)});
    captures = captures.drop_front(count);
  }
  return teams;
}

Block *PartitionJoiner::emitDispatch(lane::StartWorkersOp start, HandOver &handOver) {
  int32_t before = start.getEntryRegisters().value_or(0);
  Block *idle = emitDone(start, before);
  SmallVector<std::pair<int32_t, Block *>> warpsOfTeams;
  for (const Team &team : teamsOf(start)) {
    Block *done = emitDone(start, team.registers);
    SmallVector<std::pair<int32_t, Block *>> warpsOfWorkers;
    for (const Member &member : team.members) {
      hk::PartitionAttr partition = hk::partitionOf(member.worker);
      int32_t first = partition.getFirstWarp(), end = first + partition.getNumWarps();
      Block *body = moveBody(member.worker, member.captures, handOver, done);
      for (int32_t number = first; number < end; ++number)
        warpsOfWorkers.push_back({number, body});
    }
    Block *begin = newBlock();
    setRegisters(before, team.registers);
    emitSwitch(warp, done, warpsOfWorkers);
    for (int32_t number = team.firstWarp; number < team.firstWarp + team.numWarps; ++number)
      warpsOfTeams.push_back({number, begin});
  }
  Block *dispatch = newBlock();
  emitSwitch(warp, idle, warpsOfTeams);
  return dispatch;
}

void PartitionJoiner::joinStart(lane::StartWorkersOp start, const HandOver &handOver, std::optional<int32_t> number) {
  builder.setInsertionPoint(start);
  if (number || handOver.gives())
    emitForOne([&] {
      if (number)
        handOver.giveNumber(builder, loc, *number);
      handOver.give(builder, loc);
    });
  barrierOfBlock();
  if (std::optional<ArrayRef<int32_t>> registers = start.getRegisters())
    setRegisters(*start.getEntryRegisters(), registers->front());
}

void PartitionJoiner::emitLeave(LLVM::ReturnOp op) {
  builder.setInsertionPoint(op);
  loc = op.getLoc();
  emitForOne([&] { HandOver(kernel, offset).giveNumber(builder, loc, kLeave); });
  barrierOfBlock();
}

void PartitionJoiner::joinClusterBarrier(Operation *arrive) {
  builder.setInsertionPoint(arrive);
  loc = arrive->getLoc();
  emitForOne([&] { HandOver(kernel, offset).giveNumber(builder, loc, kClusterBarrier); });
  barrierOfBlock();
  barrierOfBlock();
}

Block *PartitionJoiner::emitClusterBarrier(bool isDynamic) {
  Block *block = newBlock();
  if (isDynamic)
    barrierOfBlock();
  NVVM::ClusterArriveOp::create(builder, loc, builder.getUnitAttr());
  NVVM::ClusterWaitOp::create(builder, loc, builder.getUnitAttr());
  LLVM::BrOp::create(builder, loc, ValueRange(), next);
  return block;
}

Block *PartitionJoiner::emitStaticDispatch(ArrayRef<Operation *> course) {
  next = leave;
  for (Operation *op : llvm::reverse(course)) {
    loc = op->getLoc();
    auto start = dyn_cast<lane::StartWorkersOp>(op);
    if (!start) {
      next = emitClusterBarrier(/*isDynamic=*/false);
      continue;
    }
    HandOver handOver(kernel, offset);
    Block *dispatch = emitDispatch(start, handOver);
    joinStart(start, handOver, std::nullopt);
    next = newBlock();
    barrierOfBlock();
    LLVM::BrOp::create(builder, loc, ValueRange(), dispatch);
  }
  return next;
}

Block *PartitionJoiner::emitDynamicDispatch(ArrayRef<lane::StartWorkersOp> starts,
                                            ArrayRef<Operation *> clusterArrivals, ArrayRef<LLVM::ReturnOp> returns) {
  SmallVector<std::pair<int32_t, Block *>> dispatches;
  Block *wait = next = newBlock();
  for (auto [number, start] : llvm::enumerate(starts)) {
    loc = start->getLoc();
    HandOver handOver(kernel, offset);
    dispatches.push_back({int32_t(number), emitDispatch(start, handOver)});
    joinStart(start, handOver, int32_t(number));
  }
  for (LLVM::ReturnOp end : returns)
    emitLeave(end);
  for (Operation *arrive : clusterArrivals)
    joinClusterBarrier(arrive);
  if (!clusterArrivals.empty())
    dispatches.push_back({kClusterBarrier, emitClusterBarrier(/*isDynamic=*/true)});
  builder.setInsertionPointToEnd(wait);
  loc = starts.front()->getLoc();
  barrierOfBlock();
  emitSwitch(HandOver(kernel, offset).takeNumber(builder, loc), leave, dispatches);
  return wait;
}

LogicalResult PartitionJoiner::join() {
  SmallVector<lane::StartWorkersOp> starts;
  SmallVector<lane::JoinWorkersOp> joins;
  SmallVector<LLVM::ReturnOp> returns;
  SmallVector<Operation *> clusterArrivals;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto start = dyn_cast<lane::StartWorkersOp>(op))
      starts.push_back(start);
    if (auto end = dyn_cast<lane::JoinWorkersOp>(op))
      joins.push_back(end);
    if (auto end = dyn_cast<LLVM::ReturnOp>(op))
      returns.push_back(end);
    if (isa<NVVM::ClusterArriveOp, NVVM::ClusterArriveRelaxedOp>(op))
      clusterArrivals.push_back(op);
  });
  if (starts.empty() || starts.size() != joins.size())
    return kernel.emitError("needs a lane.join_workers for each lane.start_workers");
  offset = starts.front().getOffset();
  SmallVector<Operation *> events(starts.begin(), starts.end());
  llvm::append_range(events, clusterArrivals);
  std::optional<SmallVector<Operation *>> course = findCourse(kernel, events);

  Block *entry = &kernel.getBody().front();
  Block *main = entry->splitBlock(entry->begin());
  builder.setInsertionPointToEnd(entry);
  thread = NVVM::ThreadIdXOp::create(
      builder, loc, builder.getI32Type(),
      LLVM::ConstantRangeAttr::get(builder.getContext(), 32, 0, blockWarps * target.warpSize));
  Value number = LLVM::LShrOp::create(builder, loc, thread, i32(int32_t(llvm::Log2_32(target.warpSize))));
  // Because of the shuffle, the back end recognizes that the number is warp-uniform.
  warp = NVVM::ShflOp::create(builder, loc, builder.getI32Type(), i32(kWholeWarp), number, i32(0), i32(kShuffleClamp),
                              NVVM::ShflKind::idx, UnitAttr());
  Value isOfLaunch = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ult, warp, i32(launchWarps));
  OpBuilder::InsertPoint branch = builder.saveInsertionPoint();

  Location ofKernel = loc;
  leave = newBlock();
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  Block *begin = course ? emitStaticDispatch(*course) : emitDynamicDispatch(starts, clusterArrivals, returns);
  for (auto [start, end] : llvm::zip_equal(starts, joins)) {
    builder.setInsertionPoint(end);
    loc = end.getLoc();
    barrierOfBlock();
    if (std::optional<ArrayRef<int32_t>> registers = start.getRegisters())
      setRegisters(registers->front(), *start.getEntryRegisters());
  }
  loc = ofKernel;
  builder.restoreInsertionPoint(branch);
  LLVM::CondBrOp::create(builder, loc, isOfLaunch, main, begin);
  for (lane::StartWorkersOp start : starts)
    start.erase();
  for (lane::JoinWorkersOp end : joins)
    end.erase();
  hk::kPartitionAttr.remove(kernel);
  return success();
}

struct JoinPartitionsPass : impl::JoinPartitionsBase<JoinPartitionsPass> {
  void runOnOperation() override {
    auto isKernel = [](LLVM::LLVMFuncOp function) {
      hk::PartitionAttr partition = hk::partitionOf(function);
      return partition && partition.getFirstWarp() == 0;
    };
    bool isChanged = false;
    for (auto kernel : llvm::to_vector(llvm::make_filter_range(getOperation().getOps<LLVM::LLVMFuncOp>(), isKernel))) {
      isChanged = true;
      if (failed(PartitionJoiner(kernel).join()))
        return signalPassFailure();
    }
    if (!isChanged)
      markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace hocket
