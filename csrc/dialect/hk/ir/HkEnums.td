// Enumerations of the `hk` dialect: hints and orderings of memory accesses, shared with the `lane` dialect; groups of
// warps.
#ifndef HOCKET_DIALECT_HK_IR_HKENUMS_TD
#define HOCKET_DIALECT_HK_IR_HKENUMS_TD

include "dialect/hk/ir/HkDialect.td"
include "mlir/IR/EnumAttr.td"

class HK_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::hocket::hk";
  let genSpecializedAttr = 0;
}
class HK_EnumAttr<EnumAttrInfo info, string mnemonic> : EnumAttr<Hk_Dialect, info, mnemonic>;

def HK_CacheModifier : HK_Enum<"CacheModifier", "cache level hint of a global access", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"CA", 1, "ca">, I32EnumAttrCase<"CG", 2, "cg">,
  I32EnumAttrCase<"CS", 3, "cs">, I32EnumAttrCase<"CV", 4, "cv">, I32EnumAttrCase<"WB", 5, "wb">,
  I32EnumAttrCase<"WT", 6, "wt">]>;
def HK_CacheModifierAttr : HK_EnumAttr<HK_CacheModifier, "cache">;

def HK_EvictionPolicy : HK_Enum<"EvictionPolicy", "eviction priority in a cache", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"EvictFirst", 1, "evict_first">,
  I32EnumAttrCase<"EvictLast", 2, "evict_last">, I32EnumAttrCase<"EvictNormal", 3, "evict_normal">,
  I32EnumAttrCase<"EvictUnchanged", 4, "evict_unchanged">, I32EnumAttrCase<"NoAllocate", 5, "no_allocate">]>;

def HK_AtomicOp : HK_Enum<"AtomicOp", "operation of an atomic read-modify-write", [
  I32EnumAttrCase<"And", 0, "and">, I32EnumAttrCase<"Or", 1, "or">, I32EnumAttrCase<"Xor", 2, "xor">,
  I32EnumAttrCase<"Add", 3, "add">, I32EnumAttrCase<"FAdd", 4, "fadd">, I32EnumAttrCase<"Max", 5, "max">,
  I32EnumAttrCase<"Min", 6, "min">, I32EnumAttrCase<"UMax", 7, "umax">, I32EnumAttrCase<"UMin", 8, "umin">,
  I32EnumAttrCase<"Xchg", 9, "xchg">]>;
def HK_AtomicOpAttr : HK_EnumAttr<HK_AtomicOp, "atomic_op">;

def HK_MemSemantic : HK_Enum<"MemSemantic", "memory ordering of an atomic", [
  I32EnumAttrCase<"Relaxed", 0, "relaxed">, I32EnumAttrCase<"Acquire", 1, "acquire">,
  I32EnumAttrCase<"Release", 2, "release">, I32EnumAttrCase<"AcqRel", 3, "acq_rel">]>;
def HK_MemSemanticAttr : HK_EnumAttr<HK_MemSemantic, "sem">;

def HK_MemScope : HK_Enum<"MemScope", "threads that an atomic is ordered with", [
  I32EnumAttrCase<"Cta", 0, "cta">, I32EnumAttrCase<"Gpu", 1, "gpu">, I32EnumAttrCase<"Sys", 2, "sys">]>;
def HK_MemScopeAttr : HK_EnumAttr<HK_MemScope, "scope">;

def HK_WarpGroup : HK_Enum<"WarpGroup", "group of warps of a warp pipeline", [
  I32EnumAttrCase<"Low", 0, "low">, I32EnumAttrCase<"High", 1, "high">]>;
def HK_WarpGroupAttr : HK_EnumAttr<HK_WarpGroup, "warp_group">;

def HK_ImplicitKind : HK_Enum<"ImplicitKind", "kind of an argument that the runtime passes", [
  I32EnumAttrCase<"Scratch", 0, "scratch">, I32EnumAttrCase<"Messages", 1, "messages">]>;

#endif
