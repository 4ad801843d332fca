//===- Atomics.cpp - Expands lane.atomic_rmw and lane.atomic_cas for NVIDIA -----------------===//
//
//   atom{.sem}{.scope}.global.op.type     PTX ISA 9.7.13.5: 32 and 64 bits, f16 add; with a predicate
//   atom{.sem}{.scope}.global.cas.bN      16, 32, 64 bits
//   llvm.atomicrmw between fences         bf16 add, exchange of 16 bits: LLVM selects the instruction if there is
//                                         one (sm_90: bf16 add) and a loop of compare-and-swap otherwise
//
// Inline PTX is used because LLVM's NVPTX back end drops the ordering of llvm.atomicrmw. If llvm.atomicrmw is used,
// fences replace the ordering.
//
//===------------------------------------------------------------------------------===//
#include "conversion/lane_to_llvm/Atomics.h"
#include "conversion/lane_to_llvm/Expansion.h"
#include "conversion/lane_to_nvvm/Expansions.h"
#include "conversion/lane_to_nvvm/Ptx.h"

using namespace mlir;

namespace hocket::nvvm {
namespace {

constexpr ScopeNames kScopes{"block", "device", ""};

std::string ordering(hk::MemSemantic semantic, hk::MemScope scope) {
  return ("." + hk::stringifyMemSemantic(semantic) + "." + hk::stringifyMemScope(scope) + ".global").str();
}

/// Returns the PTX suffix of operation and type, such as ".add.u32" or ".min.s64"; empty if some NVIDIA target lacks
/// the instruction.
std::string operationSuffix(hk::AtomicOp op, Type type) {
  unsigned bits = lane::accessBits(type);
  if (op == hk::AtomicOp::FAdd)
    return type.isF32() ? ".add.f32" : type.isF64() ? ".add.f64" : type.isF16() ? ".add.noftz.f16" : "";
  if (bits != 32 && bits != 64)
    return "";
  std::string width = std::to_string(bits);
  switch (op) {
  case hk::AtomicOp::And:
    return ".and.b" + width;
  case hk::AtomicOp::Or:
    return ".or.b" + width;
  case hk::AtomicOp::Xor:
    return ".xor.b" + width;
  case hk::AtomicOp::Add:
    return ".add.u" + width;
  case hk::AtomicOp::Max:
    return ".max.s" + width;
  case hk::AtomicOp::Min:
    return ".min.s" + width;
  case hk::AtomicOp::UMax:
    return ".max.u" + width;
  case hk::AtomicOp::UMin:
    return ".min.u" + width;
  case hk::AtomicOp::Xchg:
    return ".exch.b" + width;
  case hk::AtomicOp::FAdd:
    break;
  }
  llvm_unreachable("all operations are handled");
}

StringRef registerKind(Type type) {
  if (type.isF32())
    return "f";
  if (type.isF64())
    return "d";
  unsigned bits = lane::accessBits(type);
  return bits == 64 ? "l" : bits == 32 ? "r" : "h";
}

/// Emits the fence before (release) or after (acquire) an atomic whose ordering LLVM drops.
void emitFence(IRRewriter &rewriter, Location loc, hk::MemSemantic semantic, hk::MemSemantic half, StringRef scope) {
  if (semantic == half || semantic == hk::MemSemantic::AcqRel)
    LLVM::FenceOp::create(rewriter, loc, LLVM::AtomicOrdering::acq_rel, scope);
}

} // namespace

LogicalResult expandAtomicRmw(IRRewriter &rewriter, lane::AtomicRmwOp op) {
  Location loc = op.getLoc();
  Type type = op.getType();
  std::string operation = operationSuffix(op.getOp(), type);
  if (operation.empty()) {
    StringRef scope = kScopes.of(op.getScope());
    Value result = emitWhere(rewriter, loc, op.getPred(), Value(), [&]() -> Value {
      emitFence(rewriter, loc, op.getSem(), hk::MemSemantic::Release, scope);
      Value old = emitAtomicRmw(rewriter, op, op.getPtr(), LLVM::AtomicOrdering::monotonic, scope);
      emitFence(rewriter, loc, op.getSem(), hk::MemSemantic::Acquire, scope);
      return old;
    });
    rewriter.replaceOp(op, result);
    return success();
  }
  Ptx ptx;
  std::string old = ptx.output(registerKind(type));
  std::string address = ptx.input(op.getPtr(), "l");
  std::string value = ptx.input(op.getValue(), registerKind(type));
  ptx.predicate(op.getPred());
  ptx.text +=
      "atom" + ordering(op.getSem(), op.getScope()) + operation + " " + old + ", [" + address + "], " + value + ";";
  rewriter.replaceOp(op, ptx.emit(rewriter, loc, type, true).getRes());
  return success();
}

LogicalResult expandAtomicCas(IRRewriter &rewriter, lane::AtomicCasOp op) {
  Type type = op.getType();
  Ptx ptx;
  StringRef kind = registerKind(type);
  std::string old = ptx.output(kind);
  std::string address = ptx.input(op.getPtr(), "l");
  std::string compare = ptx.input(op.getCompare(), kind);
  std::string value = ptx.input(op.getValue(), kind);
  ptx.predicate(op.getPred());
  ptx.text += "atom" + ordering(op.getSem(), op.getScope()) + ".cas.b" + std::to_string(lane::accessBits(type)) + " " +
              old + ", [" + address + "], " + compare + ", " + value + ";";
  rewriter.replaceOp(op, ptx.emit(rewriter, op.getLoc(), type, true).getRes());
  return success();
}

} // namespace hocket::nvvm
