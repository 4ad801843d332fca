//===- Program.cpp - A kernel as host code, with what is known about it -----------------===//
#include "emulator/Program.h"

#include "emulator/BlockRunner.h"
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

void RunnerPool::give(std::unique_ptr<BlockRunner> runner) {
  std::lock_guard lock(mutex);
  idle.push_back(std::move(runner));
}

Program::Program() = default;
Program::~Program() = default;

} // namespace hocket::emulator
