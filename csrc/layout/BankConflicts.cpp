//===- BankConflicts.cpp - Counts bank conflicts of shared memory accesses --------===//
#include "layout/BankConflicts.h"

#include "layout/MatrixAccess.h"
#include "layout/TransposedRead.h"
#include "layout/VectorAccess.h"

#include <algorithm>

namespace hocket {

/// Counts the wavefronts of one phase, whose lanes access `bytes` bytes at each of `addresses`. The number of
/// wavefronts is the largest number of different words that the lanes access in one bank.
static Wavefronts countPhase(const std::vector<int64_t> &addresses, int32_t bytes, int32_t banks) {
  std::vector<int64_t> words;
  for (int64_t address : addresses)
    for (int64_t word = address / 4; word <= (address + bytes - 1) / 4; ++word)
      words.push_back(word);
  std::ranges::sort(words);
  words.erase(std::ranges::unique(words).begin(), words.end());
  std::vector<int64_t> wordsOfBank(size_t(banks), 0);
  Wavefronts result;
  for (int64_t word : words)
    result.actual = std::max(result.actual, ++wordsOfBank[size_t(word % banks)]);
  result.ideal = (int64_t(words.size()) + banks - 1) / banks;
  return result;
}

/// Returns, for each phase of one access by a warp of `lanes` lanes, the lanes of the phase.
static std::vector<std::vector<int32_t>> phasesOfWarp(const LanePhases &phases, int32_t lanes) {
  std::vector<std::vector<int32_t>> result;
  std::vector<bool> served(size_t(lanes), false);
  for (int32_t first = 0; first < lanes; ++first) {
    if (served[size_t(first)])
      continue;
    std::vector<int32_t> phase = {first};
    for (uint8_t direction : phases.together)
      if (direction != 0 && direction < lanes)
        for (size_t i = 0, count = phase.size(); i < count; ++i)
          phase.push_back(phase[i] ^ direction);
    for (int32_t lane : phase)
      served[size_t(lane)] = true;
    result.push_back(std::move(phase));
  }
  return result;
}

namespace {
/// The shared memory accesses with which one warp loads or stores all of its registers.
struct Accesses {
  SharedAccess kind;
  int32_t bytes;
  LinearLayout toOffset;
  /// Number of lanes that provide an address of the access.
  int32_t lanes;
  /// One pair for each access: the register index from which `toOffset` computes the address, and the first register
  /// that the access loads or stores.
  std::vector<std::pair<int32_t, int32_t>> registers;
};
} // namespace

static Accesses planAccesses(const SharedTileAccess &tile, SharedAccess kind, const SharedBanks &banks) {
  int32_t elementBytes = std::max(1, tile.elementBits / 8);
  if (kind == SharedAccess::Load && banks.transposesLoads)
    if (auto read = planTransposedRead(tile.toOffset, tile.elementBits, tile.paddings, tile.startBits)) {
      int32_t width = int32_t(read->groups.front().size());
      Accesses accesses{
          SharedAccess::TransposedLoad, width * elementBytes, read->source, read->source.getInDimSize(Dim::Lane), {}};
      for (int32_t i = 0; i < int32_t(read->groups.size()); ++i)
        accesses.registers.emplace_back(i, read->groups[size_t(i)].front());
      return accesses;
    }
  if (kind == SharedAccess::Load ? banks.loadsMatrices : banks.storesMatrices)
    if (auto move = planMatrixAccess(tile.toOffset, tile.elementBits, tile.paddings, tile.startBits)) {
      Accesses accesses{kind, kMatrixRowBytes, move->rows, kMatrixRows * move->matrices, {}};
      for (int32_t i = 0; i < int32_t(move->words.size()); ++i)
        accesses.registers.emplace_back(i, move->words[size_t(i)].front().front());
      return accesses;
    }
  int32_t maxWidth = widestVector(banks.maxAccessBits, tile.elementBits, tile.paddings, tile.startBits);
  VectorAccess plan = planVectorAccess(tile.toOffset, maxWidth);
  Accesses accesses{kind, plan.width * elementBytes, tile.toOffset, tile.toOffset.getInDimSize(Dim::Lane), {}};
  for (const std::vector<int32_t> &group : plan.groups)
    accesses.registers.emplace_back(group.front(), group.front());
  return accesses;
}

std::vector<Phase> phasesOf(const SharedTileAccess &tile, int32_t warp, SharedAccess kind, const SharedBanks &banks) {
  Accesses accesses = planAccesses(tile, kind, banks);
  const LanePhases &service = banks.phasesOf(accesses.kind, accesses.bytes);
  auto lanesOfPhases = phasesOfWarp(service, accesses.lanes);
  int32_t elementBytes = std::max(1, tile.elementBits / 8);

  // The layout is linear, so a lane contributes the same XOR term to the offsets of all registers.
  auto offsetOf = [&](int32_t reg, int32_t lane) {
    return accesses.toOffset.apply({{Dim::Register, reg}, {Dim::Lane, lane}, {Dim::Warp, warp}})[Dim::Offset];
  };
  std::vector<int64_t> ofLane;
  for (int32_t lane = 0; lane < accesses.lanes; ++lane)
    ofLane.push_back(offsetOf(0, lane) ^ offsetOf(0, 0));

  std::vector<Phase> phases;
  for (auto [reg, firstMoved] : accesses.registers) {
    int64_t ofRegister = offsetOf(reg, 0);
    for (const std::vector<int32_t> &lanes : lanesOfPhases) {
      Phase &phase = phases.emplace_back(Phase{firstMoved, accesses.bytes, service.banks, lanes, {}, {}});
      for (int32_t lane : lanes)
        phase.addresses.push_back(paddedOffset(ofRegister ^ ofLane[size_t(lane)], tile.paddings) * elementBytes);
      phase.wavefronts = countPhase(phase.addresses, accesses.bytes, service.banks);
    }
  }
  return phases;
}

std::vector<Wavefronts> countWavefronts(const SharedTileAccess &tile, SharedAccess access, const SharedBanks &banks) {
  auto countWarp = [&](int32_t warp) {
    Wavefronts total;
    for (const Phase &phase : phasesOf(tile, warp, access, banks))
      total += phase.wavefronts;
    return total;
  };
  std::vector<Wavefronts> warps(size_t(tile.toOffset.getInDimSize(Dim::Warp)), countWarp(0));
  if (!tile.paddings.empty())
    for (int32_t warp = 1; warp < int32_t(warps.size()); ++warp)
      warps[size_t(warp)] = countWarp(warp);
  return warps;
}

Wavefronts sumOf(const std::vector<Wavefronts> &warps) {
  Wavefronts total;
  for (const Wavefronts &warp : warps)
    total += warp;
  return total;
}

} // namespace hocket
