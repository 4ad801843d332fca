//===- TargetInfo.cpp - Queries of the table of targets --------------------------===//
#include "target/TargetInfo.h"

namespace hocket {

const TargetInfo *findTarget(std::string_view name) {
  for (const TargetInfo &target : allTargets())
    if (target.name == name)
      return &target;
  return nullptr;
}

const TargetInfo *targetOfCapability(int major, int minor) {
  const int capability = 10 * major + minor;
  const TargetInfo *best = nullptr;
  for (const TargetInfo &target : allTargets()) {
    bool runs =
        target.isArchitectureSpecific ? target.computeCapability == capability : target.computeCapability <= capability;
    if (target.computeCapability > 0 && runs && (!best || target.computeCapability > best->computeCapability))
      best = &target;
  }
  return best;
}

} // namespace hocket
