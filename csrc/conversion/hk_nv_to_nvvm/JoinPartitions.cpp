//===- JoinPartitions.cpp - One kernel of the functions of all partitions --------------===//
//
//     launch's warps                                workers' warps
//
//     ^entry:  cond_br warp < launch's, ^main, ^wait
//     ^main:   ..                                   ^wait:   barrier 1
//              number of start -> shared memory              switch number in shared memory
//              barrier 1                                       0: ^dispatch0 .. default: ^leave
//              ..                                   ^dispatch0: switch warp  4, 5, 6, 7: ^load  8: ^store ..
//              barrier 1                            ^load:   ..            br ^done
//              ..                                   ^done:   barrier 1     br ^wait
//              -1 -> shared memory
//              barrier 1                            ^leave:  return
//              return
//
// Workers wait at a barrier rather than run the code between partitions with the others: that code belongs to layouts
// that give them nothing to hold, and its barriers count the launch's warps. Asking shared memory what comes next lets
// workers be started in loops and branches whose course they do not know. Barrier 1 counts all threads of the block.
//
// The barrier of a cluster counts all threads, too. Where the launch's warps come to it, workers find the number of a
// meeting: they wait at barrier 1 once more, so that the number has been read, arrive at the cluster's barrier and
// wait.
//
// Mostly the launch's warps come to each start and each meeting once, one after the other, whatever they do. Then
// workers need no number: they wait, do what comes first, wait, do what comes next, and leave.
//
//     ^entry:  cond_br warp < launch's, ^main, ^wait0           ^wait0: barrier 1   switch warp  4: ^load ..
//     ^main:   ..   barrier 1   ..   barrier 1   ..   return    ^load:  ..   ^done: barrier 1   return
//
// Register budgets: warps take theirs after the first barrier of a start and give it back after the last, so that all
// of a warpgroup are between the same two changes, as PTX demands. A warpgroup changes as one, before its warps part.
// Paths of different budgets do not meet in between: ptxas would ignore all budgets of the kernel (C7507). Nobody gives
// back before the last barrier: warps without work, which come to it at once, could take for good the registers that
// others wait for at the start.
//
// Input:   lane form with lane.start_workers, lane.join_workers, and a function for each worker.
// Output:  lane form of one kernel, without either.
// PTX ISA 9.0, "barrier", "setmaxnreg".
//
//===------------------------------------------------------------------------------===//
#include "conversion/hk_nv_to_nvvm/JoinPartitions.h"

#include "conversion/hk_nv_to_nvvm/HandOver.h"
#include "conversion/hk_nv_to_nvvm/WorkerCourse.h"
#include "dialect/hk/HkDialect.h"
#include "dialect/hk/ModuleFacts.h"
#include "dialect/hk/PartitionPlan.h"
#include "dialect/lane/LaneDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace hocket {
namespace {

/// What workers find in place of a start's number when the kernel ends.
constexpr int32_t kLeave = -1;
/// And where the launch's warps come to the barrier of the cluster.
constexpr int32_t kMeet = -2;
constexpr int32_t kWholeWarp = -1, kShuffleClamp = 31;

struct Member {
  LLVM::LLVMFuncOp worker;
  ValueRange captures;
};

/// Warps that change their registers together, and the workers they run; without budgets, all warps but the launch's.
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
  /// What workers do where they know what comes: the block in which they begin.
  Block *emitCourse(ArrayRef<Operation *> course);
  /// What they do where they have to ask.
  Block *emitQuestions(ArrayRef<lane::StartWorkersOp> starts, ArrayRef<Operation *> meetings,
                       ArrayRef<LLVM::ReturnOp> returns);
  /// What the launch's warps do where workers start. `number`: of the start, if workers ask for it.
  void joinStart(lane::StartWorkersOp start, const HandOver &handOver, std::optional<int32_t> number);
  SmallVector<Team> teamsOf(lane::StartWorkersOp start);
  Block *emitDispatch(lane::StartWorkersOp start, HandOver &handOver);
  /// The body of a worker, from a new block on that makes what it captures; goes on to `done`.
  Block *moveBody(LLVM::LLVMFuncOp worker, ValueRange captures, HandOver &handOver, Block *done);
  /// What warps of one budget do once they have done their work.
  Block *emitDone(lane::StartWorkersOp start, int32_t registers);
  void emitLeave(LLVM::ReturnOp op);
  /// Workers take part in the barrier of the cluster at which `arrive` arrives.
  void joinMeeting(Operation *arrive);
  Block *emitMeeting(bool isAsked);

  Block *newBlock() { return builder.createBlock(&kernel.getBody(), kernel.getBody().end()); }
  Value i32(int32_t value) { return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), value); }
  void barrierOfBlock() {
    NVVM::BarrierOp::create(builder, loc, Type(), i32(hk::kBlockBarrier), i32(blockWarps * target.warpSize), {},
                            Value());
  }
  /// Runs `emit` in one thread of the launch's warps; afterwards `builder` is where all of them go on.
  void emitForOne(llvm::function_ref<void()> emit);
  /// Branches on a number that is the same in all lanes of a warp.
  void emitSwitch(Value number, Block *otherwise, ArrayRef<std::pair<int32_t, Block *>> cases);
  void setRegisters(int32_t before, int32_t after);

  LLVM::LLVMFuncOp kernel;
  ModuleOp module;
  const TargetInfo &target;
  const int launchWarps, blockWarps;
  OpBuilder builder;
  Location loc;
  Value thread, warp;
  Block *leave = nullptr; ///< where workers end
  Block *next = nullptr;  ///< where they go on when they have done what is being emitted
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
      int32_t group = first / hk::kWarpsOfWarpgroup;
      int32_t budget = (*registers)[1 + group - launchWarps / hk::kWarpsOfWarpgroup];
      teams.push_back({group * hk::kWarpsOfWarpgroup, std::max(numWarps, hk::kWarpsOfWarpgroup), budget, {}});
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

void PartitionJoiner::joinMeeting(Operation *arrive) {
  builder.setInsertionPoint(arrive);
  loc = arrive->getLoc();
  emitForOne([&] { HandOver(kernel, offset).giveNumber(builder, loc, kMeet); });
  barrierOfBlock();
  barrierOfBlock();
}

Block *PartitionJoiner::emitMeeting(bool isAsked) {
  Block *meeting = newBlock();
  if (isAsked)
    barrierOfBlock();
  NVVM::ClusterArriveOp::create(builder, loc, builder.getUnitAttr());
  NVVM::ClusterWaitOp::create(builder, loc, builder.getUnitAttr());
  LLVM::BrOp::create(builder, loc, ValueRange(), next);
  return meeting;
}

Block *PartitionJoiner::emitCourse(ArrayRef<Operation *> course) {
  next = leave;
  for (Operation *op : llvm::reverse(course)) {
    loc = op->getLoc();
    auto start = dyn_cast<lane::StartWorkersOp>(op);
    if (!start) {
      next = emitMeeting(/*isAsked=*/false);
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

Block *PartitionJoiner::emitQuestions(ArrayRef<lane::StartWorkersOp> starts, ArrayRef<Operation *> meetings,
                                      ArrayRef<LLVM::ReturnOp> returns) {
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
  for (Operation *arrive : meetings)
    joinMeeting(arrive);
  if (!meetings.empty())
    dispatches.push_back({kMeet, emitMeeting(/*isAsked=*/true)});
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
  SmallVector<Operation *> meetings;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto start = dyn_cast<lane::StartWorkersOp>(op))
      starts.push_back(start);
    if (auto end = dyn_cast<lane::JoinWorkersOp>(op))
      joins.push_back(end);
    if (auto end = dyn_cast<LLVM::ReturnOp>(op))
      returns.push_back(end);
    if (isa<NVVM::ClusterArriveOp, NVVM::ClusterArriveRelaxedOp>(op))
      meetings.push_back(op);
  });
  if (starts.empty() || starts.size() != joins.size())
    return kernel.emitError("needs a lane.join_workers for each lane.start_workers");
  offset = starts.front().getOffset();
  SmallVector<Operation *> events(starts.begin(), starts.end());
  llvm::append_range(events, meetings);
  std::optional<SmallVector<Operation *>> course = findCourse(kernel, events);

  Block *entry = &kernel.getBody().front();
  Block *main = entry->splitBlock(entry->begin());
  builder.setInsertionPointToEnd(entry);
  thread = NVVM::ThreadIdXOp::create(
      builder, loc, builder.getI32Type(),
      LLVM::ConstantRangeAttr::get(builder.getContext(), 32, 0, blockWarps * target.warpSize));
  Value number = LLVM::LShrOp::create(builder, loc, thread, i32(int32_t(llvm::Log2_32(target.warpSize))));
  // So that the back end knows it to be the same in all lanes.
  warp = NVVM::ShflOp::create(builder, loc, builder.getI32Type(), i32(kWholeWarp), number, i32(0), i32(kShuffleClamp),
                              NVVM::ShflKind::idx, UnitAttr());
  Value isOfLaunch = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ult, warp, i32(launchWarps));
  OpBuilder::InsertPoint branch = builder.saveInsertionPoint();

  Location ofKernel = loc;
  leave = newBlock();
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  Block *begin = course ? emitCourse(*course) : emitQuestions(starts, meetings, returns);
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
  kernel->removeAttr(hk::HkDialect::kPartitionAttr);
  return success();
}

struct JoinPartitions : PassWrapper<JoinPartitions, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(JoinPartitions)

  StringRef getArgument() const override { return "hocket-join-partitions"; }
  StringRef getDescription() const override { return "Make one kernel of the functions of all partitions of warps"; }
  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<NVVM::NVVMDialect>(); }
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

std::unique_ptr<Pass> createJoinPartitionsPass() { return std::make_unique<JoinPartitions>(); }

} // namespace hocket
