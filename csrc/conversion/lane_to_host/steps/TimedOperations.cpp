//===- TimedOperations.cpp - Timing costs of operations in lane form --------------------===//
//
//   loads and stores of shared memory, transposed reads   Shared: one clock per phase, without bank conflicts
//   shuffles through shared memory's crossbar             Shared: as accesses of 4 bytes
//   global and buffer accesses, atomics, copies           Memory: by the bytes of a warp
//   MFMA, mma.sync                                        Matrix: by passes
//   wgmma                                                 Matrix: as N / 8 mma.sync; the warp continues
//   bulk copies (TMA)                                     Memory: by the bytes of the tile; the warp continues
//   fences, groups of copies, stages of warp pipelines    no unit
//
// Shuffles within rows of lanes (dpp), readlane and votes count as arithmetic.
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_host/steps/TimedOperations.h"

#include "conversion/lane_to_host/Conversions.h"
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/lane/AddressSpaces.h"
#include "dialect/lane/LaneDialect.h"
#include "dialect/lane/LaneFacts.h"
#include "emulator_abi/MatrixOperations.h"
#include "layout/MatrixAccess.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/Matchers.h"
#include "target/WgmmaInstructions.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hocket {

using Event = std::optional<TimedEvent>;

namespace {

/// Creates events with the costs of one target.
class Costs {
public:
  explicit Costs(const TargetInfo &target) : target(target), costs(*target.costs) {}

  Event shared(TimedKind kind, SharedAccess access, int bytes) const {
    return TimedEvent{.kind = kind,
                      .unit = TimedUnit::Shared,
                      .issue = uint32_t(costs.issue),
                      .busy = uint32_t(sharedClocks(target, access, bytes)),
                      .latency = uint32_t(costs.sharedLatency)};
  }
  Event memory(TimedKind kind, int bytes) const {
    return TimedEvent{.kind = kind,
                      .unit = TimedUnit::Memory,
                      .issue = uint32_t(costs.issue),
                      .busy = uint32_t(memoryClocks(target, bytes)),
                      .latency = uint32_t(costs.memoryLatency)};
  }
  Event matrix(int passes) const {
    return TimedEvent{.kind = TimedKind::Matrix,
                      .unit = TimedUnit::Matrix,
                      .issue = uint32_t(costs.issue),
                      .busy = uint32_t(passes * costs.matrixPass),
                      .latency = uint32_t(costs.matrixLatency)};
  }

  /// Returns the event of a wgmma with `columns` columns of the result.
  Event wgmma(int columns) const {
    Event event = matrix(columns / kColumnsOfPass);
    event->kind = TimedKind::Wgmma;
    return event;
  }
  Event bulk() const {
    return TimedEvent{.kind = TimedKind::Bulk,
                      .unit = TimedUnit::Vector,
                      .issue = uint32_t(costs.issue),
                      .busy = uint32_t(costs.issue)};
  }

  /// Number of columns of the result of an mma.sync. One warp executes its part of a wgmma at the rate of mma.sync.
  static constexpr int kColumnsOfPass = 8;

  const TargetInfo &target;
  const CostTable &costs;
};

} // namespace

static int bytesOf(Type type) { return int(llvm::divideCeil(bitWidthOf(type), 8)); }

static bool isShared(Type type) {
  auto pointer = dyn_cast<LLVM::LLVMPointerType>(type);
  return pointer && pointer.getAddressSpace() == kSharedAddressSpace;
}

/// Operands 3 and 4 of a scaled MFMA are the formats of A and B; formats 0 and 1 have 8 bits.
static MatrixRate scaledRate(Operation *op) {
  for (unsigned number : {3, 4}) {
    APInt format;
    if (!matchPattern(op->getOperand(number), m_ConstantInt(&format)) || format.ult(2))
      return MatrixRate::Scaled8;
  }
  return MatrixRate::Scaled;
}

static Event matrixEvent(const Costs &costs, Operation *op) {
  if (isa<lane::MmaOp>(op)) // each mma.sync has 32 bytes of each operand along K
    return costs.matrix(/*passes=*/1);
  if (auto wgmma = dyn_cast<lane::WgmmaOp>(op))
    return costs.wgmma(findWgmma(wgmma.getInstruction())->n);
  StringRef name = op->getName().getStringRef();
  if (!name.consume_front("rocdl.") || !name.starts_with("mfma."))
    return std::nullopt;
  for (const host_abi::MatrixOperation &operation : host_abi::matrixOperations()) {
    if (name != StringRef(operation.name))
      continue;
    MatrixRate rate = operation.isScaled                 ? scaledRate(op)
                      : operation.a == NumberFormat::F64 ? MatrixRate::F64
                      : operation.a == NumberFormat::F32 ? MatrixRate::F32
                                                         : MatrixRate::Narrow;
    return costs.matrix(matrixPasses(costs.target, int(operation.m), int(operation.blocks), rate));
  }
  return std::nullopt;
}

static Event sharedEvent(const Costs &costs, Operation *op) {
  if (auto load = dyn_cast<LLVM::LoadOp>(op); load && isShared(load.getAddr().getType()))
    return costs.shared(TimedKind::SharedLoad, SharedAccess::Load, bytesOf(load.getType()));
  if (auto store = dyn_cast<LLVM::StoreOp>(op); store && isShared(store.getAddr().getType()))
    return costs.shared(TimedKind::SharedStore, SharedAccess::Store, bytesOf(store.getValue().getType()));
  if (auto atomic = dyn_cast<LLVM::AtomicRMWOp>(op); atomic && isShared(atomic.getPtr().getType()))
    return costs.shared(TimedKind::Atomic, SharedAccess::Store, bytesOf(atomic.getVal().getType()));
  if (op->getName().getStringRef().starts_with("rocdl.ds.read.tr"))
    return costs.shared(TimedKind::SharedLoad, SharedAccess::TransposedLoad, bytesOf(op->getResult(0).getType()));
  if (isa<NVVM::LdMatrixOp>(op))
    return costs.shared(TimedKind::SharedLoad, SharedAccess::Load, kMatrixRowBytes);
  if (isa<NVVM::StMatrixOp>(op))
    return costs.shared(TimedKind::SharedStore, SharedAccess::Store, kMatrixRowBytes);
  if (isa<ROCDL::DsBpermuteOp, ROCDL::DsSwizzleOp, NVVM::ShflOp, NVVM::ReduxOp, NVVM::MatchSyncOp>(op))
    return costs.shared(TimedKind::Shuffle, SharedAccess::Load, 4);
  return std::nullopt;
}

static Event memoryEvent(const Costs &costs, Operation *op) {
  auto constant = [](Value value) {
    APInt number;
    return matchPattern(value, m_ConstantInt(&number)) ? int(number.getZExtValue()) : 4;
  };
  StringRef name = op->getName().getStringRef();
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
    name = call.getIntrin();
  if (name.contains("buffer.atomic"))
    return costs.memory(TimedKind::Atomic, bytesOf(op->getOperand(0).getType()));
  return llvm::TypeSwitch<Operation *, Event>(op)
      .Case([&](lane::LoadOp load) { return costs.memory(TimedKind::GlobalLoad, bytesOf(load.getResult().getType())); })
      .Case([&](lane::StoreOp store) {
        return costs.memory(TimedKind::GlobalStore, bytesOf(store.getValue().getType()));
      })
      .Case<lane::AtomicRmwOp, lane::AtomicCasOp>(
          [&](auto atomic) { return costs.memory(TimedKind::Atomic, bytesOf(atomic.getValue().getType())); })
      .Case([&](ROCDL::RawPtrBufferLoadOp load) {
        return costs.memory(TimedKind::GlobalLoad, bytesOf(load.getRes().getType()));
      })
      .Case([&](ROCDL::RawPtrBufferStoreOp store) {
        return costs.memory(TimedKind::GlobalStore, bytesOf(store.getVdata().getType()));
      })
      .Case<ROCDL::GlobalLoadLDSOp, ROCDL::LoadToLDSOp>(
          [&](auto load) { return costs.memory(TimedKind::Copy, int(load.getSize())); })
      .Case([&](NVVM::CpAsyncOp copy) { return costs.memory(TimedKind::Copy, int(copy.getSize())); })
      .Case([&](ROCDL::RawPtrBufferLoadLdsOp load) { return costs.memory(TimedKind::Copy, constant(load.getSize())); })
      .Default([](Operation *) { return std::nullopt; });
}

/// Returns the event of a fence. On AMD, a fence waits for accesses. On NVIDIA, only a barrier waits for accesses.
static Event fenceEvent(Operation *op) {
  if (auto fence = dyn_cast<LLVM::FenceOp>(op)) {
    bool releases = fence.getOrdering() != LLVM::AtomicOrdering::acquire;
    uint32_t memories =
        (concernsMemory(fence, "local") ? kFencesShared : 0u) | (concernsMemory(fence, "global") ? kFencesGlobal : 0u);
    if (releases && memories)
      return TimedEvent{.kind = TimedKind::Fence, .operand = memories};
  }
  if (isa<NVVM::Barrier0Op, NVVM::BarrierOp, NVVM::BarrierArriveOp>(op))
    return TimedEvent{.kind = TimedKind::Fence, .operand = kFencesShared};
  if (isa<ROCDL::BarrierOp>(op))
    return TimedEvent{.kind = TimedKind::Fence, .operand = kFencesShared | kFencesGlobal};
  return std::nullopt;
}

static Event bulkEvent(const Costs &costs, Operation *op) {
  if (isa<NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp, NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp,
          NVVM::CpAsyncBulkTensorReduceOp>(op))
    return costs.bulk();
  if (isa<NVVM::CpAsyncBulkCommitGroupOp>(op))
    return TimedEvent{.kind = TimedKind::CommitStores};
  if (auto wait = dyn_cast<NVVM::CpAsyncBulkWaitGroupOp>(op))
    return TimedEvent{.kind = TimedKind::WaitForStores,
                      .operand = uint32_t(wait.getGroup()) * 2 + bool(wait.getRead())};
  return std::nullopt;
}

static Event markEvent(Operation *op) {
  if (auto stage = lane::kStageAttr.getAttr(op))
    return TimedEvent{.kind = TimedKind::Stage, .label = stage.str()};
  if (isa<NVVM::WgmmaGroupSyncAlignedOp>(op))
    return TimedEvent{.kind = TimedKind::CommitWgmmas};
  if (auto wait = dyn_cast<lane::WgmmaWaitOp>(op))
    return TimedEvent{.kind = TimedKind::WaitForWgmmas, .operand = uint32_t(wait.getOutstanding())};
  if (isa<lane::AsyncCommitGroupOp>(op))
    return TimedEvent{.kind = TimedKind::CommitCopies};
  if (auto wait = dyn_cast<lane::AsyncWaitGroupOp>(op))
    return TimedEvent{.kind = TimedKind::WaitForCopies, .operand = uint32_t(wait.getOutstanding())};
  return std::nullopt;
}

Event timedEventOf(Operation *op, const TargetInfo &target) {
  Costs costs(target);
  if (Event event = matrixEvent(costs, op))
    return event;
  if (Event event = sharedEvent(costs, op))
    return event;
  if (Event event = memoryEvent(costs, op))
    return event;
  if (Event event = bulkEvent(costs, op))
    return event;
  if (Event event = fenceEvent(op))
    return event;
  return markEvent(op);
}

} // namespace hocket
