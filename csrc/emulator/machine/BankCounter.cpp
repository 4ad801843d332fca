//===- BankCounter.cpp - Counts bank conflicts from the addresses that lanes use -------------===//
#include "emulator/machine/BankCounter.h"

#include <algorithm>
#include <bit>

namespace hocket::emulator {

using host_abi::SiteKind;

static constexpr uint64_t kWordBytes = 4;

static bool isLoad(const Site &site) { return site.kind == SiteKind::SharedRead; }

BankCounter::BankCounter(const Program &program)
    : program(program),
      wholeWarp(program.warpSize() == kMaxWarpSize ? ~uint64_t(0) : (uint64_t(1) << program.warpSize()) - 1),
      streams(program.sites.size() * program.numWarps), tallies(program.sites.size()) {
  for (const Site &site : program.sites)
    services.push_back(serviceOf(site));
}

BankCounter::Service BankCounter::serviceOf(const Site &site) const {
  Service service;
  if (!site.bytes)
    return service;
  auto bytes = int32_t(std::min<uint32_t>(std::bit_ceil(site.bytes), 16));
  const LanePhases &phases = program.target->sharedPhases->phasesOf(
      isLoad(site) ? hocket::SharedAccess::Load : hocket::SharedAccess::Store, bytes);
  service.banks = uint32_t(phases.banks);
  // A phase is identified by its lowest lane.
  for (unsigned lane = 0; lane < program.warpSize(); ++lane) {
    uint8_t name = uint8_t(lane);
    for (unsigned choice = 0; choice < 1u << phases.together.size(); ++choice) {
      unsigned other = lane;
      for (unsigned bit = 0; bit < phases.together.size(); ++bit)
        other ^= choice >> bit & 1 ? phases.together[bit] : 0u;
      name = std::min(name, uint8_t(other));
    }
    service.phaseOf[lane] = name;
  }
  return service;
}

void BankCounter::access(uint32_t warp, uint32_t lane, uint32_t site, uint64_t offset) {
  Stream &stream = streams[size_t(site) * program.numWarps + warp];
  uint64_t number = stream.done[lane]++ - stream.begin;
  while (stream.groups.size() <= number)
    stream.groups.emplace_back();
  Group &group = stream.groups[number];
  group.lanes |= uint64_t(1) << lane;
  group.offsets[lane] = offset;
  // A lane makes its accesses in order, so the first group is complete before all later groups.
  while (!stream.groups.empty() && stream.groups.front().lanes == wholeWarp) {
    count(stream.groups.front(), site);
    stream.groups.pop_front();
    ++stream.begin;
  }
}

void BankCounter::count(const Group &group, uint32_t site) {
  const Service &service = services[site];
  BankTally &tally = tallies[site];
  ++tally.accesses;
  for (uint64_t rest = group.lanes; rest;) {
    uint8_t phase = service.phaseOf[size_t(std::countr_zero(rest))];
    words.clear();
    for (uint64_t lanes = rest; lanes; lanes &= lanes - 1) {
      auto lane = size_t(std::countr_zero(lanes));
      if (service.phaseOf[lane] != phase)
        continue;
      rest &= ~(uint64_t(1) << lane);
      uint64_t first = group.offsets[lane] / kWordBytes;
      uint64_t last = (group.offsets[lane] + program.sites[site].bytes - 1) / kWordBytes;
      for (uint64_t word = first; word <= last; ++word)
        words.push_back(word);
    }
    // Sorts the words by bank, so that equal words are adjacent and the words of each bank are consecutive.
    std::ranges::sort(words, {}, [&](uint64_t word) { return std::pair(word % service.banks, word); });
    auto repeated = std::ranges::unique(words);
    words.erase(repeated.begin(), repeated.end());
    uint64_t busiest = 0, run = 0;
    for (size_t i = 0; i < words.size(); ++i) {
      run = i && words[i] % service.banks == words[i - 1] % service.banks ? run + 1 : 1;
      busiest = std::max(busiest, run);
    }
    tally.actual += busiest;
    tally.ideal += (words.size() + service.banks - 1) / service.banks;
  }
}

void BankCounter::endBlock(BankTotals &totals) {
  for (size_t index = 0; index < streams.size(); ++index) {
    for (const Group &group : streams[index].groups)
      count(group, uint32_t(index / program.numWarps));
    streams[index] = Stream();
  }
  totals.add(tallies);
  std::ranges::fill(tallies, BankTally());
}

void BankTotals::add(const std::vector<BankTally> &ofBlock) {
  std::lock_guard lock(mutex);
  tallies.resize(ofBlock.size());
  for (size_t site = 0; site < ofBlock.size(); ++site)
    tallies[site] += ofBlock[site];
}

std::vector<BankCount> BankTotals::read(const Program &program) const {
  std::vector<BankCount> counts;
  for (size_t number = 0; number < tallies.size(); ++number) {
    const Site &site = program.sites[number];
    const BankTally &tally = tallies[number];
    if (tally.accesses)
      counts.push_back({.file = site.diagnostic.file,
                        .line = site.diagnostic.line,
                        .isLoad = isLoad(site),
                        .bytes = site.bytes,
                        .accesses = tally.accesses,
                        .actual = tally.actual,
                        .ideal = tally.ideal});
  }
  return counts;
}

} // namespace hocket::emulator
