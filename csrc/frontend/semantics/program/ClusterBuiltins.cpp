//===- ClusterBuiltins.cpp - nvidia.hopper.cluster: barriers between blocks ---------------------===//
#include "frontend/semantics/RequiredFeatures.h"
#include "frontend/semantics/program/Clusters.h"

#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/BuiltinTables.h"

namespace hocket::frontend {

void requireClusters(Emitter &e, SourceRange where, const std::string &what, const std::string &hint) {
  requireFeature(e, where, what + " needs", kClusters, hint);
}

/// Raises an error if the call is in a partition of warp_specialize, because all threads of the cluster must arrive at
/// the cluster barrier of the hardware.
static void requireAllWarps(Emitter &e, const std::string &what) {
  if (e.isInPartition)
    e.errorAt(e.here(), what + " inside warp_specialize: the barrier of a cluster is for all warps of all its blocks",
              {{}, "call cluster.barrier(), for which the warps of this partition in all blocks wait"});
}

static constexpr const char *kLeaveOut = "remove it: a program is one block";

template <typename OpTy>
static Value arrive(Emitter &e, Arguments &args) {
  requireClusters(e, e.here(), std::string(args.function), kLeaveOut);
  if constexpr (!std::is_same_v<OpTy, hk::ClusterBarrierOp>)
    requireAllWarps(e, std::string(args.function));
  e.create<OpTy>(args.boolAt(e, "relaxed"));
  return Value::none();
}

static Value wait(Emitter &e, Arguments &args) {
  requireClusters(e, e.here(), std::string(args.function), kLeaveOut);
  requireAllWarps(e, std::string(args.function));
  e.create<hk::ClusterWaitOp>();
  return Value::none();
}

static Value ctaRank(Emitter &e, Arguments &args) {
  requireClusters(e, e.here(), std::string(args.function), kLeaveOut);
  return e.make<hk::CtaRankOp>(DType::Int32, e.builder.getI32Type());
}

std::span<const BuiltinEntry> clusterBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"nvidia.hopper.cluster.arrive", arrive<hk::ClusterArriveOp>, "(relaxed=False)"},
      {"nvidia.hopper.cluster.barrier", arrive<hk::ClusterBarrierOp>, "(relaxed=False)"},
      {"nvidia.hopper.cluster.cta_rank", ctaRank, "()"},
      {"nvidia.hopper.cluster.wait", wait, "()"},
  };
  return entries;
}

} // namespace hocket::frontend
