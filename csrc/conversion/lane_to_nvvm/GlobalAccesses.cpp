//===- GlobalAccesses.cpp - Expands lane.load and lane.store for NVIDIA ---------------------===//
//
//   unpredicated, no hints     llvm.load, llvm.store: LLVM schedules them and folds addresses
//   otherwise                  @p ld.global{.cop|.L1::priority}{.L2::cache_hint}{.vec}.b32   PTX ISA 9.7.9.8
//                              @p st.global...                                                PTX ISA 9.7.9.11
//
// The inline PTX loads or stores words of 32 bits. 64-bit elements are words of 64 bits, and an access of less than 32
// bits is one word of 8 or 16 bits. The outputs of a predicated load are tied to inputs with the value `other`, which
// the destination registers keep if the predicate is false.
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_llvm/Expansion.h"
#include "conversion/lane_to_nvvm/CachePolicies.h"
#include "conversion/lane_to_nvvm/Expansions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include <string>

using namespace mlir;

namespace hocket::nvvm {
namespace {

/// The words into which an access is split.
struct Words {
  unsigned bits;  ///< bits of each word
  unsigned count; ///< number of words: 1, 2 or 4

  explicit Words(Type type) {
    unsigned total = lane::accessBits(type);
    auto vector = dyn_cast<VectorType>(type);
    bool wide = total >= 64 && lane::accessBits(vector ? vector.getElementType() : type) == 64;
    bits = wide ? 64 : std::min(total, 32u);
    count = total / bits;
  }
  IntegerType type(OpBuilder &builder) const { return builder.getIntegerType(std::max(bits, 16u)); }
  /// Returns the constraint for PTX registers: "h" for 16 bits, "r" for 32, "l" for 64. Inline PTX has no 8-bit
  /// registers.
  StringRef constraint() const { return bits == 64 ? "l" : bits == 32 ? "r" : "h"; }
  std::string suffix() const {
    return (count == 1 ? ".b" : ".v" + std::to_string(count) + ".b") + std::to_string(bits);
  }
};

/// Returns the words of `value`.
SmallVector<Value> toWords(OpBuilder &builder, Location loc, Value value, const Words &words) {
  Type type = value.getType();
  Type word = builder.getIntegerType(words.bits);
  if (words.count == 1) {
    if (isa<LLVM::LLVMPointerType>(type))
      value = LLVM::PtrToIntOp::create(builder, loc, word, value);
    else if (type != word)
      value = LLVM::BitcastOp::create(builder, loc, word, value);
    if (words.bits < 16)
      value = LLVM::ZExtOp::create(builder, loc, words.type(builder), value);
    return {value};
  }
  Value vector = LLVM::BitcastOp::create(builder, loc, VectorType::get(words.count, word), value);
  SmallVector<Value> result;
  for (unsigned i = 0; i < words.count; ++i) {
    Value index = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), i);
    result.push_back(LLVM::ExtractElementOp::create(builder, loc, vector, index));
  }
  return result;
}

/// Returns the value of `type` that consists of the words.
Value fromWords(OpBuilder &builder, Location loc, ArrayRef<Value> values, Type type, const Words &words) {
  Type word = builder.getIntegerType(words.bits);
  if (words.count == 1) {
    Value value = values.front();
    if (words.bits < 16)
      value = LLVM::TruncOp::create(builder, loc, word, value);
    if (isa<LLVM::LLVMPointerType>(type))
      return LLVM::IntToPtrOp::create(builder, loc, type, value);
    return type == word ? value : LLVM::BitcastOp::create(builder, loc, type, value);
  }
  Value vector = LLVM::PoisonOp::create(builder, loc, VectorType::get(words.count, word));
  for (auto [i, value] : llvm::enumerate(values)) {
    Value index = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), static_cast<int32_t>(i));
    vector = LLVM::InsertElementOp::create(builder, loc, vector, value, index);
  }
  return LLVM::BitcastOp::create(builder, loc, type, vector);
}

/// Returns the names as a PTX vector, such as "{$0, $1}"; a single name without braces.
std::string braces(ArrayRef<std::string> names) {
  return names.size() == 1 ? names.front() : "{" + llvm::join(names, ", ") + "}";
}

bool isPlain(Value pred, hk::CacheModifier cache, hk::CachePolicyAttr policy) {
  return isAlways(pred) && cache == hk::CacheModifier::None && !policy;
}

} // namespace

LogicalResult expandLoad(IRRewriter &rewriter, lane::LoadOp op) {
  Location loc = op.getLoc();
  Type type = op.getType();
  hk::CacheModifier cache = op.getCache();
  if (cache == hk::CacheModifier::WB || cache == hk::CacheModifier::WT)
    return emitError(op.getLoc()) << "cache modifier '" << cacheSuffix(cache) << "' is for stores";
  if (isPlain(op.getPred(), cache, op.getPolicyAttr())) {
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, type, op.getPtr(), lane::accessBits(type) / 8, op.getIsVolatile());
    return success();
  }

  Words words(type);
  Ptx ptx;
  SmallVector<std::string> outputs;
  for (unsigned i = 0; i < words.count; ++i)
    outputs.push_back(ptx.output(words.constraint()));
  if (op.getOther() && !isAlways(op.getPred()))
    for (auto [i, word] : llvm::enumerate(toWords(rewriter, loc, op.getOther(), words)))
      ptx.tie(word, i);
  std::string address = ptx.input(op.getPtr(), "l");
  ptx.predicate(op.getPred());
  // A volatile access cannot have hints.
  hk::CachePolicyAttr policy = op.getIsVolatile() ? hk::CachePolicyAttr() : op.getPolicyAttr();
  std::string kind =
      op.getIsVolatile() ? "ld.volatile.global" : "ld.global" + cacheSuffixes(cache, policy, /*isRead=*/true);
  ptx.text += kind + words.suffix() + " " + braces(outputs) + ", [" + address + "]";
  appendPolicyOperand(ptx, rewriter, loc, policy);
  ptx.text += ";";

  Type word = words.type(rewriter);
  SmallVector<Value> loaded;
  if (words.count == 1) {
    loaded.push_back(ptx.emit(rewriter, loc, word, true).getRes());
  } else {
    auto all = LLVM::LLVMStructType::getLiteral(op.getContext(), SmallVector<Type>(words.count, word));
    Value result = ptx.emit(rewriter, loc, all, true).getRes();
    for (unsigned i = 0; i < words.count; ++i)
      loaded.push_back(LLVM::ExtractValueOp::create(rewriter, loc, result, i));
  }
  rewriter.replaceOp(op, fromWords(rewriter, loc, loaded, type, words));
  return success();
}

LogicalResult expandStore(IRRewriter &rewriter, lane::StoreOp op) {
  Location loc = op.getLoc();
  Type type = op.getValue().getType();
  hk::CacheModifier cache = op.getCache();
  if (cache == hk::CacheModifier::CA || cache == hk::CacheModifier::CV)
    return emitError(op.getLoc()) << "cache modifier '" << cacheSuffix(cache) << "' is for loads";
  if (isPlain(op.getPred(), cache, op.getPolicyAttr())) {
    LLVM::StoreOp::create(rewriter, loc, op.getValue(), op.getPtr(), lane::accessBits(type) / 8);
    rewriter.eraseOp(op);
    return success();
  }

  Words words(type);
  Ptx ptx;
  std::string address = ptx.input(op.getPtr(), "l");
  SmallVector<std::string> inputs;
  for (Value word : toWords(rewriter, loc, op.getValue(), words))
    inputs.push_back(ptx.input(word, words.constraint()));
  ptx.predicate(op.getPred());
  ptx.text += "st.global" + cacheSuffixes(cache, op.getPolicyAttr(), /*isRead=*/false) + words.suffix() + " [" +
              address + "], " + braces(inputs);
  appendPolicyOperand(ptx, rewriter, loc, op.getPolicyAttr());
  ptx.text += ";";
  ptx.emit(rewriter, loc, Type(), true);
  rewriter.eraseOp(op);
  return success();
}

} // namespace hocket::nvvm
