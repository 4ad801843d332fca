//===- CachePolicies.h - Cache hints of memory accesses ----------------------------===//
//
// Given by keywords (cache_modifier, eviction_policy), or by an ampere.CachePolicy, which can express more.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_MEMORY_CACHEPOLICIES_H
#define HOCKET_FRONTEND_SEMANTICS_MEMORY_CACHEPOLICIES_H

#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

struct CacheHints {
  hk::CacheModifier modifier = hk::CacheModifier::None;
  hk::CachePolicyAttr policy; ///< null if there is no hint
};

/// Kinds of accesses, which support different hints.
enum class CachedAccess { Load, Store, Copy };

/// Indices of a builtin's cache arguments.
struct CacheArguments {
  size_t modifier, eviction, policy;
};

CacheHints cacheHintsAt(Emitter &e, const Arguments &args, CachedAccess access, CacheArguments at);

/// Returns argument `index`, an ampere.CachePolicy or None, of a bulk copy, which uses only the L2; null for None.
hk::CachePolicyAttr bulkPolicyAt(Emitter &e, const Arguments &args, size_t index);

/// Returns argument `index`, the cache modifier of a load or of a store; None is "".
hk::CacheModifier loadCacheAt(Emitter &e, const Arguments &args, size_t index);
hk::CacheModifier storeCacheAt(Emitter &e, const Arguments &args, size_t index);

} // namespace hocket::frontend

#endif
