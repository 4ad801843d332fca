//===- Clusters.h - What every builtin about clusters checks --------------------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_CLUSTERS_H
#define HOCKET_FRONTEND_SEMANTICS_CLUSTERS_H

#include "frontend/emit/Emitter.h"

namespace hocket::frontend {

/// Stops, with an error at `where`, if the target's blocks form no clusters.
void requireClusters(Emitter &e, SourceRange where, const std::string &what, const std::string &hint);

} // namespace hocket::frontend

#endif
