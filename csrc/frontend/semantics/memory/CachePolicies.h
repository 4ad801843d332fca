//===- CachePolicies.h - What accesses say about caches ----------------------------===//
//
// Either by words (cache_modifier, eviction_policy), or by an ampere.CachePolicy, which may say more.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_MEMORY_CACHEPOLICIES_H
#define HOCKET_FRONTEND_SEMANTICS_MEMORY_CACHEPOLICIES_H

#include "dialect/hk/HkDialect.h"
#include "frontend/semantics/Builtins.h"

namespace hocket::frontend {

struct CacheHints {
  hk::CacheModifier modifier = hk::CacheModifier::None;
  hk::CachePolicyAttr policy; ///< null where there is nothing to say
};

/// Which hints an access can have.
enum class CachedAccess { Load, Store, Copy };

/// Where the arguments of a builtin stand that speak of caches.
struct CacheArguments {
  size_t modifier, eviction, policy;
};

CacheHints cacheHintsAt(Emitter &e, const Arguments &args, CachedAccess access, CacheArguments at);

/// Argument `index`, an ampere.CachePolicy or None, of a bulk copy, which goes through the L2 alone; null for None.
hk::CachePolicyAttr bulkPolicyAt(Emitter &e, const Arguments &args, size_t index);

/// Argument `index`, the cache modifier of a load or of a store; None is "".
hk::CacheModifier loadCacheAt(Emitter &e, const Arguments &args, size_t index);
hk::CacheModifier storeCacheAt(Emitter &e, const Arguments &args, size_t index);

} // namespace hocket::frontend

#endif
