//===- Program.cpp - A kernel as host code, with what is known about it -----------------===//
#include "emulator/Program.h"

#include "emulator/BlockRunner.h"
#include "emulator/Fiber.h"
#include "emulator/HostCode.h"

namespace hocket::emulator {

RunnerPool::RunnerPool() = default;
RunnerPool::~RunnerPool() = default;

std::unique_ptr<BlockRunner> RunnerPool::take(const Program &program) {
  {
    std::lock_guard lock(mutex);
    if (!idle.empty()) {
      std::unique_ptr<BlockRunner> runner = std::move(idle.back());
      idle.pop_back();
      return runner;
    }
  }
  return std::make_unique<BlockRunner>(program);
}

/// Stacks that idle runners of all kernels may keep: a quarter of the mappings that Linux allows by default.
static constexpr size_t kMaxKeptStacks = 8192;

void RunnerPool::give(std::unique_ptr<BlockRunner> runner) {
  if (Stack::count() > kMaxKeptStacks)
    return;
  std::lock_guard lock(mutex);
  idle.push_back(std::move(runner));
}

Program::Program() = default;
Program::~Program() = default;

} // namespace hocket::emulator
