//===- EmulatedLaunch.cpp - State that all blocks of one launch share ------------------------------===//
#include "emulator/run/EmulatedLaunch.h"

#include "emulator/faults/DescribeAccess.h"
#include "emulator/races/GlobalRaces.h"
#include "support/UsableCores.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstring>

namespace hocket {

const ArrayArgument *arrayOf(const Argument &argument) {
  if (const auto *wide = std::get_if<WideArgument>(&argument))
    return wide->array ? &*wide->array : nullptr;
  return std::get_if<ArrayArgument>(&argument);
}

} // namespace hocket

namespace hocket::emulator {

EmulatedLaunch::EmulatedLaunch(const Program &program, Grid grid, llvm::ArrayRef<Argument> arguments,
                               const LaunchOptions &options)
    : program(program), grid(grid), arguments(arguments), options(options),
      sequence(uint64_t(grid[0]) * grid[1] * grid[2], options.recordedBlocks || options.keepsTime ? 0 : options.seed),
      nextPoll(std::chrono::steady_clock::now() + kPollInterval) {
  for (const Argument &argument : arguments) {
    arrays.emplace_back();
    if (const ArrayArgument *array = arrayOf(argument))
      allow(*array);
    if (const auto *array = std::get_if<ArrayArgument>(&argument)) {
      slots.push_back(reinterpret_cast<uintptr_t>(array->data));
    } else if (const auto *wide = std::get_if<WideArgument>(&argument)) {
      auto &copy = wideValues.emplace_back(llvm::divideCeil(wide->bytes.size(), sizeof(WideChunk)));
      std::memcpy(copy.data(), wide->bytes.data(), wide->bytes.size());
      slots.push_back(reinterpret_cast<uintptr_t>(copy.data()));
    } else {
      slots.push_back(std::get<ScalarArgument>(argument).bits);
    }
  }
  if (!looksForRaces() || (blockCount() < 2 && program.numWarps < 2))
    return;
  races = std::make_unique<GlobalRaces>(*this);
  if (!races->arePossible())
    races = nullptr;
}

EmulatedLaunch::~EmulatedLaunch() = default;

void EmulatedLaunch::allow(const ArrayArgument &array) {
  auto address = reinterpret_cast<uintptr_t>(array.data);
  arrays.back() = {address - array.bytesBefore, array.bytesBefore + array.bytes, array.writable};
  if (auto memory = program.tracksUndefined ? UnwrittenMemory::find(arrays.back().begin) : nullptr) {
    memory->update();
    unwritten.push_back(std::move(memory));
  }
  if (!array.dimensions.empty())
    arrays.back().gaps.emplace(array.dimensions, elementBytes(array.dtype));
}

Grid EmulatedLaunch::blockIndex(uint64_t number) const {
  return {uint32_t(number % grid[0]), uint32_t(number / grid[0] % grid[1]), uint32_t(number / grid[0] / grid[1])};
}

uint64_t EmulatedLaunch::threadCount() const {
  uint64_t wanted = options.threads ? options.threads : usableCores();
  return std::min(wanted, blockCount());
}

static constexpr std::chrono::seconds kGraceAfterFailure{1};

void EmulatedLaunch::fail(uint64_t position) {
  std::chrono::steady_clock::time_point never;
  firstFailure.compare_exchange_strong(never, std::chrono::steady_clock::now());
  uint64_t lowest = failed.load();
  while (position < lowest && !failed.compare_exchange_weak(lowest, position))
    ;
}

bool EmulatedLaunch::failedLongAgo() const {
  return firstFailed() != ~uint64_t(0) && std::chrono::steady_clock::now() - firstFailure.load() > kGraceAfterFailure;
}

void EmulatedLaunch::poll() {
  if (!options.shouldStop)
    return;
  auto now = std::chrono::steady_clock::now();
  if (now < nextPoll)
    return;
  if (options.shouldStop())
    stop.store(true, std::memory_order_relaxed);
  nextPoll = std::chrono::steady_clock::now() + kPollInterval;
}

} // namespace hocket::emulator
