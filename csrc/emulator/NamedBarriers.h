//===- NamedBarriers.h - Number of named barriers of an emulated block -------------===//
#ifndef HOCKET_EMULATOR_NAMEDBARRIERS_H
#define HOCKET_EMULATOR_NAMEDBARRIERS_H

namespace hocket::emulator {

/// Maximum of TargetInfo::namedBarriers over all targets.
inline constexpr unsigned kMaxNamedBarriers = 16;

} // namespace hocket::emulator

#endif
