//===- BackendsTest.cpp - Every target has a back end ---------------------------------------===//
#include "pipeline/Backend.h"

#include "gtest/gtest.h"
#include <algorithm>

using namespace hocket;

namespace {

TEST(Backends, EachVendorHasOne) {
  ASSERT_EQ(allBackends().size(), allVendors().size());
  for (const VendorInfo &vendor : allVendors())
    EXPECT_EQ(std::ranges::count(allBackends(), vendor.vendor, &Backend::vendor), 1) << vendor.name;
}

TEST(Backends, ArtifactsOfOneVendorAreUnknownToOthers) {
  for (const TargetInfo &target : allTargets())
    for (const Backend *backend : allBackends()) {
      bool isOwn = backend == &backendOf(target);
      for (Artifact artifact : {backend->assembly, backend->machineCode}) {
        std::optional<Artifact> found = findArtifact(artifactName(artifact), target);
        EXPECT_EQ(found.has_value(), isOwn) << target.name << " " << artifactName(artifact);
      }
    }
  for (const TargetInfo &target : allTargets())
    EXPECT_EQ(findArtifact("lane", target), Artifact::Lane);
}

} // namespace
