//===- RequiredFeatures.h - Rejects calls that the target cannot run -----------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_REQUIREDFEATURES_H
#define HOCKET_FRONTEND_SEMANTICS_REQUIREDFEATURES_H

#include "frontend/semantics/Emitter.h"
#include "target/Features.h"

namespace hocket::frontend {

/// Raises an error unless the target has `feature`. `user` is the subject and verb of the message, such as
/// "tma.store_wait needs".
inline void requireFeature(Emitter &e, SourceRange where, const std::string &user, const Feature &feature,
                           std::string hint) {
  if (!feature.isOn(e.target))
    e.errorAt(where, user + " " + feature.describe() + "; this kernel is compiled for " + std::string(e.target.name),
              {{}, std::move(hint)});
}

} // namespace hocket::frontend

#endif
