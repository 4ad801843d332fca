//===- OutstandingWgmmas.cpp - Outstanding wgmmas of warpgroups --------------------------------===//
#include "emulator/block/OutstandingWgmmas.h"

#include "emulator/block/WarpWgmma.h"
#include "target/WgmmaInstructions.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace hocket::emulator {

/// Maximum number of wgmmas whose results are kept after a wait has replaced their tickets (OutstandingWgmmas.h),
/// because registers may still contain copies of the tickets. For example, if the program copies a ticket before a
/// wait, the wait may replace only one of the two copies.
static constexpr size_t kMostExchanged = Ticket::kNumbers / 2;

OutstandingWgmmas::OutstandingWgmmas(const EmulatedLaunch &launch, LaneRunner &lanes, BlockFaults &faults,
                                     SharedMemory &shared)
    : program(launch.program), seed(launch.options.seed), completion(launch.options.completion), lanes(lanes),
      faults(faults), shared(shared), races(shared.races()) {
  auto multiplies = [](const Site &site) { return site.kind == host_abi::SiteKind::SharedOperand; };
  if (std::ranges::none_of(program.sites, multiplies))
    return;
  queues.resize(lanes.warpCount());
  sequences.resize(size_t(groupsOfCta()) * program.numCtas);
  parts.resize(program.blockSize());
}

OutstandingWgmmas::~OutstandingWgmmas() = default;

uint32_t OutstandingWgmmas::groupsOfCta() const {
  return (program.warpsOfCta() + kWarpsPerWarpgroup - 1) / kWarpsPerWarpgroup;
}

void OutstandingWgmmas::begin(uint64_t block) {
  for (size_t warp = 0; warp < queues.size(); ++warp) {
    for (const WgmmaRef &wgmma : queues[warp].inFlight)
      wgmma->forEachPiece([&](uint32_t offset) { races.dropRead(offset, DescribedOperand::kPieceBytes); });
    queues[warp] = Queue();
    queues[warp].byTicket.resize(Ticket::kNumbers);
    queues[warp].random.seed(unsigned(seed * 0x9e3779b9 + block * queues.size() + warp + 1));
  }
  for (Sequence &sequence : sequences) {
    sequence = Sequence();
    sequence.started.resize(kWarpsPerWarpgroup);
  }
}

void OutstandingWgmmas::multiply(Lane &lane, const host_abi::WarpgroupMma &what, const Part &part, uint32_t site) {
  partOf(lane.warp, lane.lane) = part;
  LaneMask group = lanes.converge(lane, site);
  if (!group)
    return;
  Queue &queue = queues[lane.warp];
  step(queue);
  if (group != lanes.wholeWarp)
    faults.fail(lane, FailureKind::NotUniform, site, 0);
  checkUniform(lane, site);
  checkSequence(lane, site);
  WgmmaRef wgmma = makeWgmma(lane, what, site);
  queue.inFlight.push_back(wgmma);
  wgmma->forEachPiece([&](uint32_t offset) {
    if (offset + DescribedOperand::kPieceBytes > program.sharedBytes)
      faults.fail(lane, FailureKind::OutOfBounds, site, offset);
    races.beginRead(lane, offset, DescribedOperand::kPieceBytes, site);
  });
  giveTickets(queue, lane, wgmma);
  if (completion == Completion::Now)
    compute(*wgmma);
  lanes.part(lane, group);
}

/// Checks that all lanes of the warp pass the same descriptors and the same `useAcc`.
void OutstandingWgmmas::checkUniform(Lane &leader, uint32_t site) {
  const Part &first = partOf(leader.warp, 0);
  for (unsigned lane = 1; lane < lanes.warpSize; ++lane)
    if (const Part &part = partOf(leader.warp, lane);
        part.a != first.a || part.b != first.b || part.useAcc != first.useAcc)
      faults.fail(leader, {.kind = FailureKind::NotUniform,
                           .site = site,
                           .thread = lanes.lane(leader.warp, lane).thread,
                           .address = 0});
}

/// Checks that all warps of a warpgroup start the same wgmmas in the same order.
void OutstandingWgmmas::checkSequence(Lane &leader, uint32_t site) {
  uint32_t inCta = leader.warp % program.warpsOfCta(), inGroup = inCta % kWarpsPerWarpgroup;
  Sequence &sequence = sequences[leader.rank * groupsOfCta() + inCta / kWarpsPerWarpgroup];
  const Part &part = partOf(leader.warp, 0);
  Sequence::Entry entry = {site, part.a, part.b, part.useAcc};
  uint64_t index = sequence.started[inGroup]++ - sequence.first;
  if (index == sequence.entries.size())
    sequence.entries.push_back(entry);
  else if (sequence.entries[index] != entry)
    faults.fail(leader, FailureKind::NotUniform, site, 0);
  if (std::ranges::min(sequence.started) > sequence.first) {
    sequence.entries.pop_front();
    ++sequence.first;
  }
}

std::optional<BlockFault> OutstandingWgmmas::findParted() const {
  for (uint32_t group = 0; group < sequences.size(); ++group) {
    const Sequence &sequence = sequences[group];
    for (uint32_t warp = 0; warp < kWarpsPerWarpgroup && !sequence.entries.empty(); ++warp)
      if (sequence.started[warp] == sequence.first)
        return BlockFault{.kind = FailureKind::NotUniform,
                          .site = sequence.entries.front().site,
                          .thread = (group / groupsOfCta() * program.warpsOfCta() +
                                     group % groupsOfCta() * kWarpsPerWarpgroup + warp) *
                                    lanes.warpSize};
  }
  return std::nullopt;
}

OutstandingWgmmas::WgmmaRef OutstandingWgmmas::makeWgmma(Lane &leader, const host_abi::WarpgroupMma &what,
                                                         uint32_t site) {
  Queue &queue = queues[leader.warp];
  const Part &first = partOf(leader.warp, 0);
  auto wgmma = std::make_shared<WarpWgmma>(
      WarpWgmma{.what = &what,
                .a = first.a,
                .b = first.b,
                .warpInGroup = leader.warp % program.warpsOfCta() % kWarpsPerWarpgroup,
                .useAcc = first.useAcc,
                .site = site,
                .group = queue.openGroup,
                .ownShared = uint32_t(leader.ownShared),
                .sharedOfBlock = program.numCtas > 1 ? uint32_t(program.sharedBytesOfCta()) : 0});
  uint32_t count = wgmma->wordsPerLane();
  wgmma->sums.resize(size_t(WarpWgmma::kRows) * what.columns);
  if (first.shadows)
    wgmma->undefined.resize(wgmma->sums.size());
  if (what.isAInRegisters)
    for (unsigned lane = 0; lane < WarpWgmma::kLanes; ++lane) {
      const uint32_t *words = partOf(leader.warp, lane).operands + count;
      wgmma->wordsOfA.insert(wgmma->wordsOfA.end(), words, words + kWgmmaWordsOfA);
      if (const uint32_t *shadows = partOf(leader.warp, lane).shadows)
        wgmma->noteUndefinedA(lane, shadows + count);
    }
  if (first.useAcc)
    takeAccumulators(queue, leader.warp, *wgmma);
  return wgmma;
}

/// True if `wgmma` may add to register `reg` of the result of `other`, whose ticket the lanes pass as accumulator
/// register `own`. While `other` is in flight, both wgmmas must have the same shape and the same register, because the
/// hardware orders accumulator accesses only between wgmmas of the same shape.
static bool mayAddTo(const WarpWgmma &wgmma, uint32_t own, const WarpWgmma &other, uint32_t reg) {
  if (other.isPaired() != wgmma.isPaired() || reg >= other.wordsPerLane())
    return false;
  return other.isFinished || (other.what->columns == wgmma.what->columns && reg == own);
}

/// All lanes of the warp must pass the same tickets, so only the tickets of lane 0 are decoded.
void OutstandingWgmmas::takeAccumulators(Queue &queue, uint32_t warp, WarpWgmma &wgmma) {
  wgmma.summands.resize(wgmma.wordsPerLane());
  for (const auto &[reg, summand] : llvm::enumerate(wgmma.summands)) {
    std::optional<Ticket> ticket = Ticket::decode(partOf(warp, 0).operands[reg]);
    WgmmaRef known = ticket && ticket->number < Ticket::kNumbers ? queue.byTicket[ticket->number] : nullptr;
    if (known && mayAddTo(wgmma, uint32_t(reg), *known, ticket->reg)) {
      summand = {known, ticket->reg};
      noteExchanged(queue, ticket->number);
      continue;
    }
    for (unsigned lane = 0; lane < WarpWgmma::kLanes; ++lane) {
      const Part &part = partOf(warp, lane);
      wgmma.setWord(lane, uint32_t(reg), part.operands[reg]);
      if (part.shadows && part.shadows[reg])
        wgmma.noteUndefinedSum(lane, uint32_t(reg), ~0u);
    }
  }
}

void OutstandingWgmmas::giveTickets(Queue &queue, Lane &leader, const WgmmaRef &wgmma) {
  auto next = [&] { return queue.nextTicket = (queue.nextTicket + 1) % Ticket::kNumbers; };
  // If all ticket numbers are in use, the most recent number is reused, and the result of its wgmma is dropped.
  uint32_t number = next();
  for (uint32_t tried = 1; queue.byTicket[number] && tried < Ticket::kNumbers; ++tried)
    number = next();
  queue.byTicket[number] = wgmma;
  wgmma->number = number;
  for (unsigned lane = 0; lane < WarpWgmma::kLanes; ++lane)
    for (uint32_t reg = 0; reg < wgmma->wordsPerLane(); ++reg) {
      Part &part = partOf(leader.warp, lane);
      part.operands[reg] = Ticket{number, reg}.encode();
      if (part.shadows)
        part.shadows[reg] = ~0u;
    }
}

void OutstandingWgmmas::noteExchanged(Queue &queue, uint32_t number) {
  if (!queue.exchanged.empty() && queue.exchanged.back() == number) // the last replaced ticket is of the same wgmma
    return;
  std::erase(queue.exchanged, number); // tickets of a wgmma before a loop may be replaced in each iteration
  queue.exchanged.push_back(number);
  if (queue.exchanged.size() <= kMostExchanged)
    return;
  queue.byTicket[queue.exchanged.front()].reset();
  queue.exchanged.pop_front();
}

void OutstandingWgmmas::commit(Lane &lane, uint32_t site) {
  if (queues.empty())
    return;
  if (LaneMask group = lanes.converge(lane, site)) {
    step(queues[lane.warp]);
    ++queues[lane.warp].openGroup;
    lanes.part(lane, group);
  }
}

void OutstandingWgmmas::wait(Lane &lane, const Part &part, uint32_t count, uint32_t outstanding, uint32_t site) {
  if (queues.empty())
    return;
  partOf(lane.warp, lane.lane) = part;
  LaneMask group = lanes.converge(lane, site);
  if (!group)
    return;
  Queue &queue = queues[lane.warp];
  step(queue);
  while (!queue.inFlight.empty() && queue.inFlight.front()->group + outstanding < queue.openGroup) {
    WarpWgmma &wgmma = *queue.inFlight.front();
    if (!wgmma.isComputed)
      compute(wgmma);
    wgmma.isFinished = true;
    wgmma.forEachPiece(
        [&](uint32_t offset) { races.endRead(lane, offset, DescribedOperand::kPieceBytes, wgmma.site); });
    queue.inFlight.pop_front();
  }
  forEachLane(group, [&](unsigned waiting) { exchange(queue, waiting, partOf(lane.warp, waiting), count); });
  lanes.part(lane, group);
}

void OutstandingWgmmas::exchange(Queue &queue, unsigned lane, const Part &part, uint32_t count) {
  uint32_t *words = part.operands;
  for (uint32_t i = 0; i < count; ++i) {
    std::optional<Ticket> ticket = Ticket::decode(words[i]);
    if (!ticket || ticket->number >= Ticket::kNumbers)
      continue;
    const WgmmaRef &wgmma = queue.byTicket[ticket->number];
    if (!wgmma || !wgmma->isFinished || ticket->reg >= wgmma->wordsPerLane())
      continue;
    words[i] = wgmma->word(lane, ticket->reg);
    if (part.shadows)
      part.shadows[i] = wgmma->shadowWord(lane, ticket->reg);
    bool isLastOfIt = i + 1 == count || ticket->reg + 1 == wgmma->wordsPerLane();
    if (isLastOfIt && lane == 0)
      noteExchanged(queue, ticket->number);
  }
}

void OutstandingWgmmas::compute(WarpWgmma &wgmma) const {
  for (const WarpWgmma::Summand &summand : wgmma.summands)
    if (summand.wgmma && !summand.wgmma->isComputed)
      compute(*summand.wgmma);
  wgmma.compute(shared.bytes(), shared.shadows());
}

void OutstandingWgmmas::step(Queue &queue) const {
  if (completion != Completion::Random)
    return;
  constexpr uint32_t kOneIn = 6;
  auto next = std::ranges::find_if(queue.inFlight, [](const WgmmaRef &wgmma) { return !wgmma->isComputed; });
  if (next != queue.inFlight.end() && queue.random() % kOneIn == 0)
    compute(**next);
}

} // namespace hocket::emulator
