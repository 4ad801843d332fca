//===- Features.cpp - Features that some targets lack, for checks and messages -------===//
#include "target/Features.h"

#include <vector>

namespace hocket {

static std::vector<const TargetInfo *> targetsWith(const Feature &feature) {
  std::vector<const TargetInfo *> targets;
  for (const TargetInfo &target : allTargets())
    if (feature.isOn(target))
      targets.push_back(&target);
  return targets;
}

std::string Feature::targets() const {
  std::vector<const TargetInfo *> targets = targetsWith(*this);
  if (targets.empty())
    return "no target";
  std::string text;
  for (size_t i = 0; i < targets.size(); ++i)
    text += (i == 0                    ? ""
             : i + 1 == targets.size() ? " and "
                                       : ", ") +
            std::string(targets[i]->family) + " (" + std::string(targets[i]->name) + ")";
  return text;
}

std::string Feature::describe() const {
  return std::string(name) + ", which " + targets() + (targetsWith(*this).size() > 1 ? " have" : " has");
}

} // namespace hocket
