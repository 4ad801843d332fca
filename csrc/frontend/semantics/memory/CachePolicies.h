//===- CachePolicies.h - Cache hints of memory accesses ----------------------------===//
//
// Cache hints are given by the keywords cache_modifier and eviction_policy, or by an ampere.CachePolicy, which can
// express more hints than the keywords.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_MEMORY_CACHEPOLICIES_H
#define HOCKET_FRONTEND_SEMANTICS_MEMORY_CACHEPOLICIES_H

#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

struct CacheHints {
  hk::CacheModifier modifier = hk::CacheModifier::None;
  hk::CachePolicyAttr policy; ///< eviction priorities and prefetch size; null if none is set
};

/// Kinds of accesses that support different cache hints.
enum class CachedAccess { Load, Store, Copy };

/// Returns the hints given by the arguments `cache_modifier`, `eviction_policy` and `cache_policy`.
CacheHints cacheHintsAt(Emitter &e, const Arguments &args, CachedAccess access);

/// Returns argument `parameter` of a bulk copy: an ampere.CachePolicy that sets only `l2`, because bulk copies do not
/// use the L1 cache. Returns null for None.
hk::CachePolicyAttr bulkPolicyAt(Emitter &e, const Arguments &args, ParameterName parameter);

/// Returns argument `parameter`, the cache modifier of a load or of a store; None means no modifier.
hk::CacheModifier loadCacheAt(Emitter &e, const Arguments &args, ParameterName parameter);
hk::CacheModifier storeCacheAt(Emitter &e, const Arguments &args, ParameterName parameter);

} // namespace hocket::frontend

#endif
