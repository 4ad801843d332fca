//===- WriteMessages.cpp - Writes prints and failed assertions to host memory -----------------===//
//
// Input:   lane form of a module with kWritesMessagesAttr.
// Output:  lane form without lane.print; an implicit argument of kind `messages`, and hk::kMessagesAttr.
// Method:  an atomic addition to a counter of the buffer (support/MessageBuffer.h) reserves a record. A record that
//          does not fit is counted as lost. Every value is written as 64 bits, a float as a double, as C's printf
//          requires. A failed assertion writes its record before it stops the warp. Atomics have system scope, because
//          the buffer is in host memory. The host reads the buffer after the launch: the end of a kernel releases all
//          of its writes.
// Cost:    one atomic operation and four or more stores over the bus for each printed line, in a separate basic block.
//
//===------------------------------------------------------------------------------------------===//
#include "conversion/lane_to_llvm/Expansion.h"
#include "conversion/lane_to_rocdl/Passes.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/facts/ImplicitArguments.h"
#include "dialect/hk/facts/PrintText.h"
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/lane/LaneDialect.h"
#include "support/MessageBuffer.h"

using namespace mlir;

namespace hocket {

#define GEN_PASS_DEF_WRITEMESSAGES
#include "conversion/lane_to_rocdl/Passes.h.inc"

namespace {

class MessageWriter {
public:
  MessageWriter(ModuleOp module, LLVM::LLVMFuncOp function)
      : module(module), rewriter(module.getContext()),
        global(LLVM::LLVMPointerType::get(module.getContext(), /*addressSpace=*/1)) {
    auto what = hk::ImplicitAttr::get(module.getContext(), hk::ImplicitKind::Messages, kMessageBytes, 0);
    appendArgument(function, rewriter.getDictionaryAttr(
                                 {rewriter.getNamedAttr(hk::kImplicitAttr.getName(), what),
                                  rewriter.getNamedAttr(LLVM::LLVMDialect::getAlignAttrName(),
                                                        rewriter.getI64IntegerAttr(hk::kImplicitAlignment))}));
  }

  void write(lane::PrintOp op) {
    rewriter.setInsertionPoint(op);
    std::string format = hk::printedElement(op.getElement().size());
    format += *hk::printfFormat(op.getText(), llvm::to_vector(op.getValues().getTypes()));
    int64_t site = addSite(hk::MessageSiteAttr::get(rewriter.getContext(), format, LocationAttr(), false));
    SmallVector<Value> values(op.getElement());
    llvm::append_range(values, op.getValues());
    writeWhere(op.getLoc(), op.getPred(), kLineArea, site, values);
    rewriter.eraseOp(op);
  }

  void write(lane::AssertOp op) {
    Location loc = op.getLoc();
    rewriter.setInsertionPoint(op);
    bool isIndex = bool(op.getIndex());
    std::string message = op.getMessage().str();
    if (!isIndex)
      message = "device assertion failed" + (message.empty() ? "" : ": " + message);
    int64_t site = addSite(hk::MessageSiteAttr::get(rewriter.getContext(), message, loc, isIndex));
    Value one = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI1Type(), rewriter.getBoolAttr(true));
    Value fails = LLVM::XOrOp::create(rewriter, loc, op.getCondition(), one);
    writeWhere(loc, fails, kFailureArea, site, isIndex ? ValueRange(op.getIndex()) : ValueRange());
  }

  void finish() { hk::kMessagesAttr.set(module, sites); }

private:
  /// Appends an argument to an LLVM function. FunctionOpInterface::insertArgument cannot be used, because it fails for
  /// LLVM functions without a result.
  void appendArgument(LLVM::LLVMFuncOp function, DictionaryAttr facts) {
    SmallVector<Attribute> allFacts(function.getNumArguments(), rewriter.getDictionaryAttr({}));
    if (ArrayAttr given = function.getAllArgAttrs())
      llvm::copy(given, allFacts.begin());
    SmallVector<Type> types(function.getArgumentTypes());
    types.push_back(global);
    allFacts.push_back(facts);
    buffer = function.getBody().addArgument(global, function.getLoc());
    function.setFunctionType(LLVM::LLVMFunctionType::get(function.getFunctionType().getReturnType(), types));
    function.setAllArgAttrs(allFacts);
  }

  int64_t addSite(hk::MessageSiteAttr site) {
    auto found = llvm::find(sites, site);
    if (found == sites.end())
      return sites.push_back(site), int64_t(sites.size()) - 1;
    return found - sites.begin();
  }

  Value i64(Location loc, int64_t value) {
    return LLVM::ConstantOp::create(rewriter, loc, rewriter.getI64Type(), value);
  }
  Value at(Location loc, Value base, Value bytes) {
    return LLVM::GEPOp::create(rewriter, loc, global, rewriter.getI8Type(), base, bytes);
  }
  Value at(Location loc, Value base, int64_t bytes) {
    return LLVM::GEPOp::create(rewriter, loc, global, rewriter.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
  }

  /// Emits an atomic addition of `amount` to the counter at offset `counter`, and returns the old value of the counter.
  Value add(Location loc, int64_t counter, int64_t amount) {
    return lane::AtomicRmwOp::create(rewriter, loc, rewriter.getI64Type(), hk::AtomicOp::Add, at(loc, buffer, counter),
                                     i64(loc, amount), Value(), hk::MemSemantic::Relaxed, hk::MemScope::Sys);
  }

  /// Returns the bits of `value` as a 64-bit integer.
  Value wordOf(Location loc, Value value) {
    if (value.getType().isF32())
      value = LLVM::FPExtOp::create(rewriter, loc, rewriter.getF64Type(), value);
    if (value.getType().isF64())
      return LLVM::BitcastOp::create(rewriter, loc, rewriter.getI64Type(), value);
    if (value.getType().isInteger(32))
      return LLVM::ZExtOp::create(rewriter, loc, rewriter.getI64Type(), value);
    return value;
  }
  Value wordOf(Location loc, Value low, Value high) {
    Value shifted = LLVM::ShlOp::create(rewriter, loc, wordOf(loc, high), i64(loc, 32));
    return LLVM::OrOp::create(rewriter, loc, wordOf(loc, low), shifted);
  }

  SmallVector<Value> recordOf(Location loc, int64_t site, ValueRange values) {
    Type i32 = rewriter.getI32Type();
    auto constant = [&](int64_t value) -> Value { return LLVM::ConstantOp::create(rewriter, loc, i32, value); };
    Value length = constant(kRecordHeaderWords + int64_t(values.size()));
    SmallVector<Value> words = {
        wordOf(loc, constant(site), ROCDL::ThreadIdXOp::create(rewriter, loc, i32)),
        wordOf(loc, ROCDL::BlockIdXOp::create(rewriter, loc, i32), ROCDL::BlockIdYOp::create(rewriter, loc, i32)),
        wordOf(loc, ROCDL::BlockIdZOp::create(rewriter, loc, i32), length)};
    for (Value value : values)
      words.push_back(wordOf(loc, value));
    return words;
  }

  void writeWhere(Location loc, Value pred, const MessageArea &area, int64_t site, ValueRange values) {
    emitWhere(rewriter, loc, pred, Value(), [&]() -> Value {
      int64_t length = kRecordHeaderWords + int64_t(values.size());
      Value place = add(loc, area.counters, length);
      Value hasRoom =
          LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::ule, place, i64(loc, area.words - length));
      emitWhere(rewriter, loc, hasRoom, Value(), [&]() -> Value {
        Value bytes = LLVM::ShlOp::create(rewriter, loc, place, i64(loc, 3));
        Value record = at(loc, at(loc, buffer, area.begin), bytes);
        for (auto [i, word] : llvm::enumerate(recordOf(loc, site, values)))
          lane::StoreOp::create(rewriter, loc, at(loc, record, int64_t(8 * i)), word, Value(), hk::CacheModifier::None,
                                hk::CachePolicyAttr());
        return Value();
      });
      Value one = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI1Type(), rewriter.getBoolAttr(true));
      emitWhere(rewriter, loc, LLVM::XOrOp::create(rewriter, loc, hasRoom, one), Value(), [&]() -> Value {
        add(loc, area.counters + 8, 1);
        return Value();
      });
      return Value();
    });
  }

  ModuleOp module;
  IRRewriter rewriter;
  Type global;
  BlockArgument buffer;
  SmallVector<hk::MessageSiteAttr> sites;
};

struct WriteMessages : impl::WriteMessagesBase<WriteMessages> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<Operation *> messages;
    if (hk::kWritesMessagesAttr.isOn(module))
      module.walk([&](Operation *op) {
        if (isa<lane::PrintOp, lane::AssertOp>(op))
          messages.push_back(op);
      });
    if (messages.empty())
      return markAllAnalysesPreserved();
    MessageWriter writer(module, messages.front()->getParentOfType<LLVM::LLVMFuncOp>());
    for (Operation *op : messages) {
      if (auto print = dyn_cast<lane::PrintOp>(op))
        writer.write(print);
      else
        writer.write(cast<lane::AssertOp>(op));
    }
    writer.finish();
  }
};

} // namespace
} // namespace hocket
