//===- Clusters.h - Common check of cluster builtins ----------------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_CLUSTERS_H
#define HOCKET_FRONTEND_SEMANTICS_CLUSTERS_H

#include "frontend/semantics/Emitter.h"

namespace hocket::frontend {

/// Raises an error at `where` if the target does not support clusters.
void requireClusters(Emitter &e, SourceRange where, const std::string &what, const std::string &hint);

} // namespace hocket::frontend

#endif
