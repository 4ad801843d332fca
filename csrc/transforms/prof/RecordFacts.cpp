//===- RecordFacts.cpp - Facts about a kernel's records, as JSON ---------------------===//
#include "transforms/prof/RecordFacts.h"
#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/hk/facts/PartitionPlan.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace hocket {

namespace {
/// The partition of each warp of a block, and the first warp of each partition.
struct Partitions {
  llvm::json::Array names, groups;

  Partitions(ModuleOp module, int blockWarps) {
    SmallVector<std::pair<std::string, int>> of(blockWarps, {"", 0});
    for (hk::WorkerAttr worker : hk::kWorkersAttr.get(module)) {
      int first = worker.getFirstWarp();
      for (int warp = first; warp < std::min(first + worker.getNumWarps(), blockWarps); ++warp)
        if (of[warp].first.empty())
          of[warp] = {worker.getName().str(), first};
    }
    for (int warp = 0; warp < blockWarps; ++warp) {
      names.push_back(of[warp].first);
      groups.push_back((warp - of[warp].second) / kWarpsPerWarpgroup);
    }
  }
};
} // namespace

static llvm::json::Array sitesOf(ModuleOp module) {
  llvm::json::Array sites;
  for (prof::SiteAttr site : prof::kSitesAttr.get(module)) {
    sites.push_back(llvm::json::Object{{"id", int64_t(sites.size())},
                                       {"name", site.getName()},
                                       {"parent", site.getParent()},
                                       {"file", site.getFile()},
                                       {"line", site.getLine()},
                                       {"kind", stringifySiteKind(site.getKind())},
                                       {"stage", site.getStage()},
                                       {"payload", site.getPayload()},
                                       {"exclusive", site.getExclusive()}});
  }
  return sites;
}

std::string writeFacts(ModuleOp module, prof::ConfigAttr config, const RecordPlan &plan) {
  auto units = int64_t(plan.warps.size());
  bool isStatic = plan.space == prof::Space::Static;
  Partitions partitions(module, plan.blockWarps);
  llvm::json::Object facts{
      {"version", prof::kVersion},
      {"units", units},
      {"unit_warps", llvm::json::Array(plan.warps)},
      {"group_of_warp", std::move(partitions.groups)},
      {"partition_of_warp", std::move(partitions.names)},
      {"warps", plan.blockWarps},
      {"bytes_per_unit", plan.bytesPerUnit},
      {"bytes_per_cta", prof::bytesPerCta(units, plan.bytesPerUnit)},
      {"clock_bits", config.getClock()},
      {"policy", stringifyPolicy(config.getPolicy())},
      {"space", plan.space == prof::Space::Shared ? "shared" : "device"},
      {"staging", plan.stagingBytes},
      {"origin", isStatic ? "static" : "launch"},
      {"symbol", plan.symbol},
      {"max_ctas", config.getMaxCtas()},
      {"steady_ns", hk::targetOf(module).steadyClockNs},
      {"note", plan.note},
      {"sites", sitesOf(module)},
  };
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(facts));
  return text;
}

} // namespace hocket
