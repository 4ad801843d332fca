//===- BlockFaults.cpp - Collects the faults of the running block ------------------------------===//
#include "emulator/faults/BlockFaults.h"

namespace hocket::emulator {

/// True if `fault` takes precedence over `other`. A race takes precedence over a use of an undefined value, because the
/// race may explain the use. Otherwise the fault of the thread with the lower number takes precedence.
static bool explainsMore(const BlockFault &fault, const BlockFault &other) {
  bool isUndefined = fault.kind == FailureKind::Undefined, isOtherUndefined = other.kind == FailureKind::Undefined;
  if (isUndefined != isOtherUndefined && (isUndefined ? other : fault).kind == FailureKind::Race)
    return isOtherUndefined;
  return fault.thread < other.thread;
}

void BlockFaults::fail(Lane &lane, BlockFault fault) {
  report(std::move(fault));
  lanes.suspend(lane);
  __builtin_unreachable();
}

void BlockFaults::report(BlockFault fault) {
  if (!lowest || explainsMore(fault, *lowest))
    lowest = std::move(fault);
}

void BlockFaults::fail(Lane &lane, FailureKind kind, uint32_t site, uint64_t address) {
  fail(lane, {.kind = kind, .site = site, .thread = lane.thread, .address = address});
}

void BlockFaults::failAt(Lane &lane, uint32_t number, uint64_t detail) {
  const Site &site = program.sites[number];
  switch (site.kind) {
  case host_abi::SiteKind::Division:
    fail(lane, FailureKind::DivisionByZero, number, 0);
  case host_abi::SiteKind::Undefined:
    fail(lane, FailureKind::Undefined, number, 0);
  case host_abi::SiteKind::Index:
    fail(lane, FailureKind::Index, number, detail);
  case host_abi::SiteKind::Assert:
    fail(lane, FailureKind::Assertion, number, 0);
  default:
    uint64_t size = program.sharedBytesOfCta(), own = detail - lane.ownShared;
    bool inside = own + site.bytes <= size && own + site.bytes >= own;
    fail(lane, inside ? FailureKind::Misaligned : FailureKind::OutOfBounds, number, detail);
  }
}

void BlockFaults::end(uint64_t block) {
  if (lowest)
    lowest->block = block;
}

} // namespace hocket::emulator
