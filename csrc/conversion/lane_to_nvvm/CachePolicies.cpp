//===- CachePolicies.cpp - Cache modifiers and policies in PTX -------------------------------===//
#include "conversion/lane_to_nvvm/CachePolicies.h"

using namespace mlir;

namespace hocket::nvvm {

using hk::EvictionPolicy;

StringRef cacheSuffix(hk::CacheModifier cache) {
  switch (cache) {
  case hk::CacheModifier::None:
    return "";
  case hk::CacheModifier::CA:
    return ".ca";
  case hk::CacheModifier::CG:
    return ".cg";
  case hk::CacheModifier::CS:
    return ".cs";
  case hk::CacheModifier::CV:
    return ".cv";
  case hk::CacheModifier::WB:
    return ".wb";
  case hk::CacheModifier::WT:
    return ".wt";
  }
  llvm_unreachable("all modifiers are handled");
}

static bool hasPolicyOfL2(hk::CachePolicyAttr policy) { return policy && policy.getL2() != EvictionPolicy::None; }

std::string cacheSuffixes(hk::CacheModifier cache, hk::CachePolicyAttr policy, bool isRead) {
  std::string text = cacheSuffix(cache).str();
  if (!policy)
    return text;
  if (text.empty() && policy.getL1() != EvictionPolicy::None)
    text += (".L1::" + hk::stringifyEvictionPolicy(policy.getL1())).str();
  if (hasPolicyOfL2(policy))
    text += ".L2::cache_hint";
  if (isRead && policy.getPrefetch())
    text += ".L2::" + std::to_string(policy.getPrefetch()) + "B";
  return text;
}

void appendPolicyOperand(Ptx &ptx, OpBuilder &builder, Location loc, hk::CachePolicyAttr policy) {
  if (hasPolicyOfL2(policy))
    ptx.text += ", " + ptx.input(emitPolicyOfL2(builder, loc, policy), "l");
}

/// Returns the PTX text of a fraction, such as "1.0" or "0.25".
static std::string fractionText(FloatAttr fraction) {
  if (!fraction)
    return "1.0";
  SmallString<16> text;
  fraction.getValue().toString(text, /*FormatPrecision=*/6, /*FormatMaxPadding=*/8);
  bool hasPoint = text.str().contains('.') || text.str().contains('E');
  return text.str().str() + (hasPoint ? "" : ".0");
}

Value emitPolicyOfL2(OpBuilder &builder, Location loc, hk::CachePolicyAttr policy) {
  Ptx ptx;
  std::string result = ptx.output("l");
  ptx.text = ("createpolicy.fractional.L2::" + hk::stringifyEvictionPolicy(policy.getL2())).str();
  if (policy.getSecondary() != EvictionPolicy::None)
    ptx.text += (".L2::" + hk::stringifyEvictionPolicy(policy.getSecondary())).str();
  ptx.text += ".b64 " + result + ", " + fractionText(policy.getFraction()) + ";";
  return ptx.emit(builder, loc, builder.getI64Type(), /*hasSideEffects=*/false).getRes();
}

} // namespace hocket::nvvm
