//===- ExpandRecords.cpp - Expands records to a clock read and a store ------------------------===//
//
//   prof.record begin "x" payload %p when %c site 3   %k = prof.read_clock
//                                                     prof.store_record (3 << 20 | %p's bits) at %k when %c
//   %t = prof.begin "x" when %c site 4                the same; %t = 1 << 30 | the stored word, or 0 if %c is false
//   prof.end %t                                       the same with %t, when %t != 0
//
// A token (%t) is the first word of the record that ends the scope, so any warp can write that record.
//
// A scope can begin and end in one basic block, without another record in between. In this case, the begin record is
// stored after the clock read of the end, so that the measured interval contains no store.
//
//===----------------------------------------------------------------------------------------===//
#include "conversion/prof_to_llvm/Passes.h"
#include "dialect/lane/LaneFacts.h"
#include "dialect/prof/ProfConfig.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_EXPANDRECORDS
#include "conversion/prof_to_llvm/Passes.h.inc"

namespace {
class RecordExpander : OpBuilder::Listener {
public:
  explicit RecordExpander(prof::ConfigAttr config)
      : clockBits(int(config.getClock())), builder(config.getContext(), this) {}

  void expand(prof::RecordOp op) {
    builder.setInsertionPoint(op);
    Record now = read(op.getLoc(), tag(op.getLoc(), op.getKind(), *op.getSite(), op.getPayload()), op.getPred());
    if (auto waiting = delayed.find(op); waiting != delayed.end())
      store(waiting->second);
    if (prof::RecordOp end = endRightAfter(op))
      delayed.try_emplace(end, now);
    else
      store(now);
    op.erase();
  }

  void expand(prof::BeginOp op) {
    Location loc = op.getLoc();
    builder.setInsertionPoint(op);
    Value begin = tag(loc, prof::RecordKind::Begin, *op.getSite(), op.getPayload());
    store(read(loc, begin, op.getPred()));
    Value token =
        LLVM::OrOp::create(builder, loc, begin, i32(loc, uint32_t(prof::RecordKind::End) << prof::kKindShift));
    if (op.getPred())
      token = LLVM::SelectOp::create(builder, loc, op.getPred(), token, i32(loc, 0));
    op.replaceAllUsesWith(token);
    op.erase();
  }

  void expand(prof::EndOp op) {
    builder.setInsertionPoint(op);
    Value isGiven =
        LLVM::ICmpOp::create(builder, op.getLoc(), LLVM::ICmpPredicate::ne, op.getToken(), i32(op.getLoc(), 0));
    store(read(op.getLoc(), op.getToken(), isGiven));
    op.erase();
  }

private:
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override { lane::kUntimedAttr.set(op); }

  Value i32(Location loc, uint32_t value) {
    return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), builder.getI32IntegerAttr(int32_t(value)));
  }

  Value tag(Location loc, prof::RecordKind kind, uint32_t site, Value payload) {
    Value tag = i32(loc, uint32_t(kind) << prof::kKindShift | site << prof::kSiteShift);
    if (!payload)
      return tag;
    const int bits = prof::payloadBits(clockBits), shift = prof::payloadShift(clockBits);
    payload = LLVM::AndOp::create(builder, loc, payload, i32(loc, (uint32_t(1) << bits) - 1));
    if (shift)
      payload = LLVM::ShlOp::create(builder, loc, payload, i32(loc, uint32_t(shift)));
    return LLVM::OrOp::create(builder, loc, tag, payload);
  }

  struct Record {
    Location loc;
    Value tag, clock, pred;
  };

  Record read(Location loc, Value tag, Value pred) {
    Type type = builder.getIntegerType(clockBits == 32 ? 32 : 64);
    return {loc, tag, prof::ReadClockOp::create(builder, loc, type), pred};
  }

  void store(const Record &record) {
    prof::StoreRecordOp::create(builder, record.loc, record.tag, record.clock, record.pred);
  }

  /// Returns the end of the scope that begins with `op`, if this end is the next record of the basic block; null
  /// otherwise.
  static prof::RecordOp endRightAfter(prof::RecordOp op) {
    if (op.getKind() != prof::RecordKind::Begin)
      return {};
    Operation *next = op->getNextNode();
    while (next && !isa<prof::RecordOp, prof::BeginOp, prof::EndOp>(next))
      next = next->getNextNode();
    auto record = dyn_cast_or_null<prof::RecordOp>(next);
    return record && record.getKind() == prof::RecordKind::End && record.getSite() == op.getSite() ? record
                                                                                                   : prof::RecordOp();
  }

  int clockBits;
  llvm::DenseMap<Operation *, Record> delayed; ///< maps the end of a scope to its begin record
  OpBuilder builder;
};

struct ExpandRecords : impl::ExpandRecordsBase<ExpandRecords> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    prof::ConfigAttr config = prof::configOf(module);
    if (!config)
      return markAllAnalysesPreserved();
    RecordExpander expander(config);
    module.walk([&](Operation *op) {
      if (auto record = dyn_cast<prof::RecordOp>(op))
        expander.expand(record);
      else if (auto begin = dyn_cast<prof::BeginOp>(op))
        expander.expand(begin);
      else if (auto end = dyn_cast<prof::EndOp>(op))
        expander.expand(end);
    });
  }
};
} // namespace

} // namespace hocket
