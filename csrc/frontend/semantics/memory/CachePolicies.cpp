//===- CachePolicies.cpp - Cache hints of memory accesses --------------------------===//
#include "frontend/semantics/memory/CachePolicies.h"
#include "frontend/semantics/memory/MemoryAccess.h"
#include "frontend/values/LanguageObjects.h"

namespace hocket::frontend {

using hk::CacheModifier;
using hk::EvictionPolicy;

using Modifiers = std::initializer_list<std::pair<std::string_view, CacheModifier>>;
static constexpr Modifiers kLoadModifiers = {{"", CacheModifier::None},
                                             {".ca", CacheModifier::CA},
                                             {".cg", CacheModifier::CG},
                                             {".cs", CacheModifier::CS},
                                             {".cv", CacheModifier::CV}};
static constexpr Modifiers kStoreModifiers = {{"", CacheModifier::None},
                                              {".wb", CacheModifier::WB},
                                              {".cg", CacheModifier::CG},
                                              {".cs", CacheModifier::CS},
                                              {".wt", CacheModifier::WT}};
/// The cache modifiers of cp.async: caching at all levels, or bypassing L1.
static constexpr Modifiers kCopyModifiers = {
    {"", CacheModifier::None}, {".ca", CacheModifier::CA}, {".cg", CacheModifier::CG}};

static Modifiers modifiersOf(CachedAccess access) {
  return access == CachedAccess::Load    ? kLoadModifiers
         : access == CachedAccess::Store ? kStoreModifiers
                                         : kCopyModifiers;
}

static CacheModifier modifierAt(Emitter &e, const Arguments &args, ParameterName parameter, Modifiers known) {
  return args[parameter].isNone() ? CacheModifier::None : enumAt<CacheModifier>(e, args, parameter, known);
}

CacheModifier loadCacheAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  return modifierAt(e, args, parameter, kLoadModifiers);
}

CacheModifier storeCacheAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  return modifierAt(e, args, parameter, kStoreModifiers);
}

// Objects -------------------------------------------------------------------------------------------------------------

static EvictionPolicy priorityNamed(py::handle name) {
  return name.is_none() ? EvictionPolicy::None : *hk::symbolizeEvictionPolicy(name.cast<std::string>());
}

/// Returns argument `parameter`, which must be an ampere.CachePolicy or None; null for None.
static py::object policyObjectAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  if (args[parameter].isNone())
    return {};
  py::object policy = args.constexprAt(e, parameter);
  if (!py::isinstance(policy, languageObject("nvidia.ampere.CachePolicy")))
    e.errorAt(args.where(parameter),
              args.what(parameter) + " must be an ampere.CachePolicy, but is " + args[parameter].describe());
  return policy;
}

/// Converts an ampere.CachePolicy to an attribute; null if all fields are the default. The Python class has already
/// verified the fields of the policy.
static hk::CachePolicyAttr policyFromPython(Emitter &e, py::handle policy) {
  EvictionPolicy l1 = priorityNamed(policy.attr("l1")), l2 = EvictionPolicy::None, secondary = EvictionPolicy::None;
  mlir::FloatAttr fraction;
  if (py::object fractional = policy.attr("l2"); !fractional.is_none()) {
    l2 = priorityNamed(fractional.attr("primary"));
    auto part = fractional.attr("fraction").cast<double>();
    if (part != 1.0) {
      fraction = e.builder.getF32FloatAttr(static_cast<float>(part));
      secondary = priorityNamed(fractional.attr("secondary"));
    } else if (l2 == EvictionPolicy::EvictNormal) {
      l2 = EvictionPolicy::None;
    }
  }
  if (l1 == EvictionPolicy::EvictNormal)
    l1 = EvictionPolicy::None;
  py::object prefetched = policy.attr("l2_prefetch_size");
  int64_t prefetch = prefetched.is_none() ? 0 : prefetched.cast<int64_t>();
  if (l1 == EvictionPolicy::None && l2 == EvictionPolicy::None && prefetch == 0)
    return {};
  return hk::CachePolicyAttr::get(e.context(), l1, l2, fraction, secondary, prefetch);
}

/// Raises an error with `reason` if the policy sets the field `part`.
static void refusePart(Emitter &e, const Arguments &args, ParameterName parameter, py::handle policy, const char *part,
                       const std::string &reason, const std::string &hint) {
  if (!policy.attr(part).is_none())
    e.errorAt(args.where(parameter), args.what(parameter) + " has `" + part + "`, but " + reason, {{}, hint});
}

// Arguments -----------------------------------------------------------------------------------------------------------

static CacheHints hintsFromPolicy(Emitter &e, const Arguments &args, CachedAccess access, const py::object &policy) {
  for (ParameterName other : {ParameterName("cache_modifier"), ParameterName("eviction_policy")})
    if (!args[other].isNone() && !args.stringAt(e, other).empty())
      e.errorAt(args.where("cache_policy"),
                args.what("cache_policy") + " and `" + std::string(other.text) +
                    "` both set the cache policy of the access",
                {{}, "put it into the policy: CachePolicy(cache_modifier=..., l1=..., l2=...)"});
  if (access == CachedAccess::Store)
    refusePart(e, args, "cache_policy", policy, "l2_prefetch_size", "only loads can prefetch", "leave it out");
  if (access == CachedAccess::Copy)
    refusePart(e, args, "cache_policy", policy, "l1", "asynchronous copies have no eviction priority in the L1 cache",
               "set `l2`, or cache_modifier=\".cg\" to bypass the L1 cache");
  CacheHints hints{CacheModifier::None, policyFromPython(e, policy)};
  py::object modifier = policy.attr("cache_modifier");
  if (modifier.is_none())
    return hints;
  auto name = modifier.cast<std::string>();
  std::string known;
  for (auto [text, value] : modifiersOf(access)) {
    if (text == name) {
      hints.modifier = value;
      return hints;
    }
    known += (known.empty() ? "\"" : ", \"") + std::string(text) + "\"";
  }
  e.errorAt(args.where("cache_policy"), "`cache_modifier` in " + args.what("cache_policy") + " must be one of " +
                                            known + ", but is \"" + name + "\"");
}

CacheHints cacheHintsAt(Emitter &e, const Arguments &args, CachedAccess access) {
  if (py::object policy = policyObjectAt(e, args, "cache_policy"))
    return hintsFromPolicy(e, args, access, policy);
  CacheHints hints{modifierAt(e, args, "cache_modifier", modifiersOf(access)), {}};
  if (args["eviction_policy"].isNone())
    return hints;
  auto priority = enumAt<EvictionPolicy>(e, args, "eviction_policy",
                                         {{"", EvictionPolicy::None},
                                          {"evict_first", EvictionPolicy::EvictFirst},
                                          {"evict_last", EvictionPolicy::EvictLast},
                                          {"evict_normal", EvictionPolicy::None}});
  if (priority == EvictionPolicy::None)
    return hints;
  // The keyword eviction_policy sets the eviction priority in L1 and L2. cp.async and accesses with a cache modifier
  // have no eviction priority in L1.
  bool hasL1 = access != CachedAccess::Copy && hints.modifier == CacheModifier::None;
  hints.policy = hk::CachePolicyAttr::get(e.context(), hasL1 ? priority : EvictionPolicy::None, priority);
  return hints;
}

hk::CachePolicyAttr bulkPolicyAt(Emitter &e, const Arguments &args, ParameterName parameter) {
  py::object policy = policyObjectAt(e, args, parameter);
  if (!policy)
    return {};
  for (const char *part : {"cache_modifier", "l1", "l2_prefetch_size"})
    refusePart(e, args, parameter, policy, part, "TMA does not use the L1 cache", "set only `l2`");
  return policyFromPython(e, policy);
}

} // namespace hocket::frontend
