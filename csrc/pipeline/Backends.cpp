//===- Backends.cpp - The list of back ends -------------------------------------------===//
#include "pipeline/Backend.h"

#include <algorithm>

namespace hocket {

static constexpr const Backend *kBackends[] = {&kNvidiaBackend, &kAmdBackend};

std::span<const Backend *const> allBackends() { return kBackends; }

const Backend &backendOf(const TargetInfo &target) {
  return **std::ranges::find(kBackends, target.vendor, &Backend::vendor);
}

std::unique_ptr<TargetLowering> createTargetLowering(const TargetInfo &target) {
  return backendOf(target).createTargetLowering(target);
}

std::unique_ptr<Clocks> createClocks(const TargetInfo &target) { return backendOf(target).createClocks(); }

} // namespace hocket
