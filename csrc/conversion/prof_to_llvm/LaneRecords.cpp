//===- LaneRecords.cpp - Emits the code that writes records -----------------------------------===//
//
// dialect/prof/RecordLayout.h defines the layout of records. Lane 0 of each warp writes the records; warps do not wait
// for each other.
//
// A record with a clock of 32 bits costs, on NVIDIA: a read of the clock, a bitwise AND, an address computation, an
// addition and one predicated store of 8 bytes. Two records in a pair need two clock reads, but share all other
// instructions. The shared store has 16 bytes. Recording also occupies three registers and a predicate in the whole
// kernel.
//
//===----------------------------------------------------------------------------------------===//
#include "conversion/prof_to_llvm/LaneRecords.h"
#include "conversion/hk_to_lane/passes/LoweringContext.h"
#include "conversion/hk_to_lane/patterns/EmitIf.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/lane/LaneDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Transforms/Mem2Reg.h"
#include "target/Vendors.h"

using namespace mlir;

namespace hocket {

static prof::Space spaceOf(prof::BufferAllocOp alloc) {
  return cast<prof::RecordsAttr>(cast<hk::MemDescType>(alloc.getType()).getLayout()).getSpace();
}

LaneRecords::LaneRecords(IRRewriter &rewriter, LLVM::LLVMFuncOp kernel, prof::BufferAllocOp alloc,
                         prof::ConfigAttr config, const TargetLowering &lowering, const Clocks &clocks, Value buffer,
                         int firstIndex)
    : rewriter(rewriter), kernel(kernel), alloc(alloc), config(config), lowering(lowering), clocks(clocks),
      loc(kernel.getLoc()), space(spaceOf(alloc)), units(int64_t(alloc.getWarps().size())),
      bytesPerUnit(cast<hk::MemDescType>(alloc.getType()).getShape()[1] * 4),
      capacity(bytesPerUnit / prof::kRecordBytes), staging(alloc.getStaging().value_or(0)), firstIndex(firstIndex),
      ringBytes(space == prof::Space::Shared ? bytesPerUnit : staging) {
  if (Operation *variable = buffer.getDefiningOp())
    rewriter.setInsertionPointAfter(variable);
  else
    rewriter.setInsertionPointToStart(&kernel.getBody().front());
  findUnit();
  findMemory(buffer);
}

// Helpers ------------------------------------------------------------------------------------------------------------

Value LaneRecords::i32(int64_t value) {
  return LLVM::ConstantOp::create(rewriter, loc, rewriter.getI32Type(), rewriter.getI32IntegerAttr(int32_t(value)));
}

Value LaneRecords::at(Value base, Value bytes) {
  return LLVM::GEPOp::create(rewriter, loc, base.getType(), rewriter.getI8Type(), base, bytes);
}

Value LaneRecords::at(Value base, int64_t bytes) {
  return LLVM::GEPOp::create(rewriter, loc, base.getType(), rewriter.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
}

/// Returns a vector of `words`, whose first word has the lowest address in memory.
Value LaneRecords::pack(ArrayRef<Value> words) {
  Value vector = LLVM::PoisonOp::create(rewriter, loc, VectorType::get(int64_t(words.size()), rewriter.getI32Type()));
  for (auto [index, word] : llvm::enumerate(words))
    vector = LLVM::InsertElementOp::create(rewriter, loc, vector, word, i32(int64_t(index)));
  return vector;
}

Value LaneRecords::pair(Value low, Value high) { return pack({low, high}); }

/// Returns the logical conjunction of the conditions `a` and `b`. A null condition means true.
Value LaneRecords::both(Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return LLVM::AndOp::create(rewriter, loc, a, b);
}

void LaneRecords::storeGlobal(Value address, Value value, Value pred) {
  lane::StoreOp::create(rewriter, loc, address, value, pred, hk::CacheModifier::None, hk::CachePolicyAttr());
}

// Beginning of the kernel --------------------------------------------------------------------------------------------

void LaneRecords::findUnit() {
  const int warpSize = lowering.target.warpSize;
  const int blockWarps = hk::blockWarpsOf(kernel->getParentOfType<ModuleOp>());
  Value thread = lowering.threadId(rewriter, loc, blockWarps * warpSize);
  lane = LLVM::AndOp::create(rewriter, loc, thread, i32(warpSize - 1));
  warp = LLVM::LShrOp::create(rewriter, loc, thread, i32(llvm::Log2_32(uint32_t(warpSize))));
  warp = lowering.uniform(rewriter, loc, warp);
  isFirst = LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::eq, thread, i32(0));
  writes = LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::eq, lane, i32(0));
  ArrayRef<int32_t> warps = alloc.getWarps();
  if (int(warps.size()) == blockWarps) {
    unit = warp;
    return;
  }
  // The index of the unit is the number of recorded warps with a lower index.
  unit = i32(0);
  for (auto [index, recorded] : llvm::enumerate(warps)) {
    Value is = LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::eq, warp, i32(recorded));
    isUnit = isUnit ? LLVM::OrOp::create(rewriter, loc, isUnit, is).getResult() : is;
    if (index > 0)
      unit = LLVM::SelectOp::create(rewriter, loc, is, i32(int64_t(index)), unit);
  }
  writes = both(writes, isUnit);
}

void LaneRecords::findMemory(Value buffer) {
  cta = lowering.programId(rewriter, loc, 2);
  for (unsigned axis : {1, 0}) {
    cta = LLVM::MulOp::create(rewriter, loc, cta, lowering.numPrograms(rewriter, loc, axis));
    cta = LLVM::AddOp::create(rewriter, loc, cta, lowering.programId(rewriter, loc, axis));
  }
  auto onlyWhere = [&](Value condition) {
    writes = both(writes, condition);
    isFirst = both(isFirst, condition);
    isUnit = both(isUnit, condition);
  };
  if (config.getMaxCtas() > 0)
    onlyWhere(LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::ult, cta, i32(config.getMaxCtas())));
  // A cluster is one program; only its first block records.
  if (int blocks = hk::numCtasOf(kernel); blocks > 1)
    onlyWhere(LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::eq, lowering.blockRank(rewriter, loc, blocks),
                                   i32(0)));
  Type i64 = rewriter.getI64Type();
  Value bytes = LLVM::ConstantOp::create(rewriter, loc, i64, prof::bytesPerCta(units, bytesPerUnit));
  Value offset = LLVM::MulOp::create(rewriter, loc, LLVM::ZExtOp::create(rewriter, loc, i64, cta), bytes);
  block = at(buffer, offset);
  Value ofUnit = LLVM::MulOp::create(rewriter, loc, unit, i32(bytesPerUnit));
  deviceRecords = at(at(block, prof::recordsOffset(units)), ofUnit);
  records = deviceRecords;
  if (inShared()) {
    Value shared = LoweringContext(kernel, lowering).sharedAddress(rewriter, loc, *alloc.getOffset());
    records = at(shared, LLVM::MulOp::create(rewriter, loc, unit, i32(ringBytes)));
    spare = at(at(shared, units * ringBytes), LLVM::MulOp::create(rewriter, loc, warp, i32(prof::kSpareBytes)));
    target = LLVM::SelectOp::create(rewriter, loc, writes, records, spare);
    places = LLVM::SelectOp::create(rewriter, loc, writes, i32(ringBytes / prof::kRecordBytes - 1), i32(0));
  }
  auto stack = LLVM::LLVMPointerType::get(rewriter.getContext(), infoOf(lowering.target.vendor).stackAddressSpace);
  number = LLVM::AllocaOp::create(rewriter, loc, stack, rewriter.getI32Type(), i32(1));
  LLVM::StoreOp::create(rewriter, loc, i32(firstIndex), number);
}

void LaneRecords::writeBeginning() {
  uint32_t flags = uint32_t(prof::kVersion) | (config.getClock() == 44 ? prof::kClock44Flag : 0) |
                   (config.getPolicy() == prof::Policy::KeepFirst ? prof::kKeepFirstFlag : 0) |
                   (config.getPolicy() == prof::Policy::Flush ? prof::kFlushFlag : 0) |
                   (firstIndex == 1 ? prof::kFirstIndexFlag : 0) |
                   (space == prof::Space::Shared ? prof::kSharedFlag : 0) |
                   (space == prof::Space::Static ? prof::kStaticFlag : 0);
  emitIf(rewriter, loc, isFirst, [&] {
    storeGlobal(at(block, prof::kMagicOffset), pair(i32(prof::kMagic), i32(flags)));
    storeGlobal(at(block, prof::kCtaOffset), pair(cta, clocks.hardwareUnit(rewriter, loc)));
    storeGlobal(at(block, prof::kUnitsOffset), pair(i32(units), i32(bytesPerUnit)));
    writeTimes(block, prof::kBeginOffset);
  });
}

void LaneRecords::writeTimes(Value header, int64_t offset) {
  storeGlobal(at(header, offset), clocks.steady(rewriter, loc));
  storeGlobal(at(header, offset + 8), clocks.cycles(rewriter, loc, rewriter.getI64Type()));
}

// Records ------------------------------------------------------------------------------------------------------------

/// Returns the two words of a record.
SmallVector<Value> LaneRecords::wordsOf(Value tag, Value clock) {
  if (clock.getType().isInteger(32))
    return {tag, clock};
  Type i32Type = rewriter.getI32Type();
  Value high =
      LLVM::LShrOp::create(rewriter, loc, clock, LLVM::ConstantOp::create(rewriter, loc, rewriter.getI64Type(), 32));
  high = LLVM::AndOp::create(rewriter, loc, LLVM::TruncOp::create(rewriter, loc, i32Type, high),
                             i32((1 << prof::kWideClockBits) - 1));
  return {LLVM::OrOp::create(rewriter, loc, tag, high), LLVM::TruncOp::create(rewriter, loc, i32Type, clock)};
}

void LaneRecords::write(prof::StoreRecordOp op, prof::StoreRecordOp first, bool isChecked) {
  loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  Type i32Type = rewriter.getI32Type();
  SmallVector<Value> words = first ? wordsOf(first.getTag(), first.getClock()) : SmallVector<Value>();
  words.append(wordsOf(op.getTag(), op.getClock()));
  Value count = LLVM::LoadOp::create(rewriter, loc, i32Type, number), pred = op.getPred();
  if (staging && !unchecked)
    unchecked = count;
  Value next = i32(first ? 2 : 1);
  if (pred)
    next = LLVM::SelectOp::create(rewriter, loc, pred, next, i32(0));
  LLVM::StoreOp::create(rewriter, loc, LLVM::AddOp::create(rewriter, loc, count, next), number);
  if (config.getPolicy() == prof::Policy::KeepFirst)
    pred = both(pred, LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::ult, count, i32(capacity)));
  if (inShared()) {
    storeShared(count, pack(words), pred);
  } else {
    Value place = LLVM::AndOp::create(rewriter, loc, count, i32(capacity - 1));
    Value address = at(records, LLVM::MulOp::create(rewriter, loc, place, i32(prof::kRecordBytes)));
    storeGlobal(address, pack(words), both(writes, pred));
    clocks.keepBranchesApart(rewriter, loc);
  }
  if (staging && isChecked)
    flushIfFull();
  if (first)
    rewriter.eraseOp(first);
  rewriter.eraseOp(op);
}

/// Emits a store that all lanes execute, so that no branch is needed. Lanes without a record store to a dummy record,
/// which has room for a pair.
void LaneRecords::storeShared(Value count, Value words, Value pred) {
  Value place = LLVM::AndOp::create(rewriter, loc, count, places);
  Value address = at(target, LLVM::MulOp::create(rewriter, loc, place, i32(prof::kRecordBytes)));
  if (pred)
    address = LLVM::SelectOp::create(rewriter, loc, pred, address, spare);
  const int64_t alignment = cast<VectorType>(words.getType()).getNumElements() * 4;
  LLVM::StoreOp::create(rewriter, loc, words, address, unsigned(alignment));
}

// End of a warp ------------------------------------------------------------------------------------------------------

/// A pointer to the block's header would occupy two more registers in the whole kernel. All addresses are therefore
/// derived from `deviceRecords`, which points to the records of the warp (unit) in global memory. The first thread of
/// the block belongs to unit 0, whose records follow the headers of all units.
void LaneRecords::writeEnd(bool isKernels) {
  loc = kernel.getLoc();
  const int64_t first = prof::recordsOffset(units);
  Value header = isKernels ? at(deviceRecords, -first) : Value();
  if (isKernels)
    emitIf(rewriter, loc, isFirst, [&] { writeTimes(header, prof::kEndOffset); });
  Value count = LLVM::LoadOp::create(rewriter, loc, rewriter.getI32Type(), number);
  Value between = LLVM::MulOp::create(rewriter, loc, unit, i32(prof::kUnitBytes - bytesPerUnit));
  Value place = at(at(deviceRecords, between), prof::kHeaderBytes - first);
  Value written = firstIndex ? LLVM::SubOp::create(rewriter, loc, count, i32(firstIndex)).getResult() : count;
  storeGlobal(place, pair(written, clocks.hardwareSlot(rewriter, loc)), writes);
  if (staging)
    copyStaged(count);
  else if (inShared())
    copyToDevice(count);
  if (isKernels)
    emitIf(rewriter, loc, isFirst,
           [&] { storeGlobal(at(header, prof::kFlushedOffset), clocks.steady(rewriter, loc)); });
}

/// Emits `for (i = first index + lane; i < end; i += lanes) device[i mod capacity] = shared[i mod capacity]`, for the
/// warps that record. `end` is at most the capacity plus the first index, which is 0 with keep_first.
void LaneRecords::copyToDevice(Value count) {
  lowering.warpBarrier(rewriter, loc); // makes the stores of lane 0 visible
  Type i32Type = rewriter.getI32Type();
  Value most = i32(capacity + firstIndex);
  Value fits = LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::ult, count, most);
  Value left = LLVM::SelectOp::create(rewriter, loc, fits, count, most);
  if (isUnit)
    left = LLVM::SelectOp::create(rewriter, loc, isUnit, left, i32(0));
  Value begin = firstIndex ? LLVM::AddOp::create(rewriter, loc, lane, i32(firstIndex)).getResult() : lane;

  Block *before = rewriter.getInsertionBlock();
  Block *after = rewriter.splitBlock(before, rewriter.getInsertionPoint());
  Block *head = rewriter.createBlock(after, {i32Type}, {loc});
  Block *body = rewriter.createBlock(after);
  rewriter.setInsertionPointToEnd(before);
  LLVM::BrOp::create(rewriter, loc, begin, head);
  rewriter.setInsertionPointToEnd(head);
  Value index = head->getArgument(0);
  Value isLeft = LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::ult, index, left);
  LLVM::CondBrOp::create(rewriter, loc, isLeft, body, after);
  rewriter.setInsertionPointToEnd(body);
  Value place = firstIndex ? LLVM::AndOp::create(rewriter, loc, index, i32(capacity - 1)).getResult() : index;
  Value bytes = LLVM::MulOp::create(rewriter, loc, place, i32(prof::kRecordBytes));
  Value words = LLVM::LoadOp::create(rewriter, loc, VectorType::get(2, i32Type), at(records, bytes),
                                     /*alignment=*/prof::kRecordBytes);
  storeGlobal(at(deviceRecords, bytes), words);
  LLVM::BrOp::create(rewriter, loc,
                     ValueRange(LLVM::AddOp::create(rewriter, loc, index, i32(lowering.target.warpSize))), head);
  rewriter.setInsertionPointToStart(after);
}

// Staged records -----------------------------------------------------------------------------------------------------

/// The warp records the copy of a segment to device memory as a scope of the profile. Both clocks are read before the
/// two records are stored, so that the scope contains only the copy. If device memory has no room for the segment, its
/// records are only counted.
void LaneRecords::flushIfFull() {
  Type i32Type = rewriter.getI32Type();
  Value before = std::exchange(unchecked, Value()), count = LLVM::LoadOp::create(rewriter, loc, i32Type, number);
  Value changed = LLVM::AndOp::create(rewriter, loc, LLVM::XOrOp::create(rewriter, loc, before, count), i32(segment()));
  Value isFull = LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::ne, changed, i32(0));
  emitIf(rewriter, loc, both(isFull, isUnit), [&] {
    Value begin = readClock();
    Value current = LLVM::AndOp::create(rewriter, loc, count, i32(-segment()));
    Value first = LLVM::SubOp::create(rewriter, loc, current, i32(segment()));
    lowering.warpBarrier(rewriter, loc); // makes the stores of lane 0 visible
    Value hasRoom = LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::ult, first, i32(capacity));
    emitIf(rewriter, loc, hasRoom, [&] { copyRecordOfLane(first); });
    lowering.warpBarrier(rewriter, loc); // lane 0 overwrites the segment only after all lanes have read it
    Value end = readClock();
    writeFlushRecord(prof::RecordKind::Begin, begin);
    writeFlushRecord(prof::RecordKind::End, end);
  });
}

/// Emits a clock read across which the back end schedules no operations.
Value LaneRecords::readClock() {
  lowering.schedBarrier(rewriter, loc, 0);
  Value now = clocks.cycles(rewriter, loc, rewriter.getIntegerType(config.getClock() == 32 ? 32 : 64));
  lowering.schedBarrier(rewriter, loc, 0);
  return now;
}

void LaneRecords::copyRecordOfLane(Value first) {
  auto bytesOf = [&](Value index) {
    return LLVM::MulOp::create(rewriter, loc, LLVM::AddOp::create(rewriter, loc, index, lane), i32(prof::kRecordBytes));
  };
  Value inRing = LLVM::AndOp::create(rewriter, loc, first, i32(ringBytes / prof::kRecordBytes - 1));
  Value words = LLVM::LoadOp::create(rewriter, loc, VectorType::get(2, rewriter.getI32Type()),
                                     at(records, bytesOf(inRing)), /*alignment=*/prof::kRecordBytes);
  storeGlobal(at(deviceRecords, bytesOf(first)), words);
}

/// Only lanes of a recording warp execute the emitted code, so all of these lanes increment the running index.
void LaneRecords::writeFlushRecord(prof::RecordKind kind, Value clock) {
  Value count = LLVM::LoadOp::create(rewriter, loc, rewriter.getI32Type(), number);
  LLVM::StoreOp::create(rewriter, loc, LLVM::AddOp::create(rewriter, loc, count, i32(1)), number);
  Value tag = i32(int64_t(uint32_t(kind) << prof::kKindShift | *alloc.getFlushSite() << prof::kSiteShift));
  storeShared(count, pack(wordsOf(tag, clock)), Value());
}

/// Emits the copy of the records of the last segment, which is not full.
void LaneRecords::copyStaged(Value count) {
  lowering.warpBarrier(rewriter, loc); // makes the stores of lane 0 visible
  Value left = LLVM::AndOp::create(rewriter, loc, count, i32(segment() - 1));
  Value first = LLVM::AndOp::create(rewriter, loc, count, i32(-segment()));
  Value isLeft = LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::ult, lane, left);
  Value hasRoom = LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::ult, first, i32(capacity));
  emitIf(rewriter, loc, both(both(isLeft, hasRoom), isUnit), [&] { copyRecordOfLane(first); });
}

LogicalResult LaneRecords::promoteNumber() {
  auto slot = cast<PromotableAllocationOpInterface>(number.getDefiningOp());
  DominanceInfo dominance(kernel);
  return tryToPromoteMemorySlots(slot, rewriter, DataLayout::closest(kernel), dominance);
}

} // namespace hocket
