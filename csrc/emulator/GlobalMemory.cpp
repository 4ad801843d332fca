//===- GlobalMemory.cpp - Which accesses of global memory are allowed -----------------------===//
//
// A site whose pointer comes from one kernel parameter may access that parameter's array only. For other sites all
// arrays are looked at, and the one that was hit is tried first the next time.
//
//===------------------------------------------------------------------------------===//
#include "emulator/BlockRunner.h"

#include <bit>

namespace hocket::emulator {

using host_abi::SiteKind;

static bool writes(SiteKind kind) { return kind != SiteKind::Read; }

void BlockRunner::attach(const Launch &owner) {
  allowed.resize(program.sites.size());
  for (size_t i = 0; i < allowed.size(); ++i) {
    const Site &site = program.sites[i];
    // Nothing is allowed but what cannot do harm; the slow path takes it from there.
    allowed[i] = {reinterpret_cast<uintptr_t>(discarded.data()), 0, site.bytes ? site.bytes - 1 : 0};
    if (site.argument < 0)
      continue;
    const ArrayRange &array = owner.arrays[size_t(site.argument)];
    if (array.bytes >= site.bytes && (array.writable || !writes(site.kind)))
      allowed[i] = {array.begin, array.bytes - site.bytes, allowed[i].misaligned};
  }
}

void *BlockRunner::checkGlobal(Lane &lane, void *address, uint32_t site, bool predicate) {
  if (!predicate) [[unlikely]]
    return program.sites[site].kind == SiteKind::Read ? masked.data() : discarded.data();
  const Allowed &here = allowed[site];
  auto place = reinterpret_cast<uintptr_t>(address);
  if (place - here.begin <= here.span && !(place & here.misaligned)) [[likely]]
    return address;
  return checkGlobalSlowly(lane, place, site);
}

void *BlockRunner::checkGlobalSlowly(Lane &lane, uintptr_t address, uint32_t number) {
  const Site &site = program.sites[number];
  const ArrayRange *found = nullptr;
  if (site.argument >= 0) {
    const ArrayRange &array = launch->arrays[size_t(site.argument)];
    found = array.contains(address, site.bytes) ? &array : nullptr;
  } else {
    // Arrays may overlap: one that may be written is preferred.
    for (const ArrayRange &array : launch->arrays)
      if (array.contains(address, site.bytes) && (!found || !found->writable))
        found = &array;
  }
  if (!found)
    fail(lane, FailureKind::OutOfBounds, number, address);
  if (writes(site.kind) && !found->writable)
    fail(lane, FailureKind::ReadOnly, number, address);
  if (address & allowed[number].misaligned)
    fail(lane, FailureKind::Misaligned, number, address);
  allowed[number].begin = found->begin;
  allowed[number].span = found->bytes - site.bytes;
  return reinterpret_cast<void *>(address);
}

} // namespace hocket::emulator
