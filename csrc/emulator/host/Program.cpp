//===- Program.cpp - A kernel compiled to host code, with its metadata ------------------===//
#include "emulator/host/Program.h"

#include "emulator/host/HostCode.h" // the destructor needs the complete type

namespace hocket::emulator {

Program::Program() = default;
Program::~Program() = default;

std::string nameOf(const std::vector<SharedBuffer> &buffers, uint64_t byte) {
  std::string names;
  for (const SharedBuffer &buffer : buffers)
    if (buffer.contains(byte))
      names += (names.empty() ? "" : " or ") + buffer.name;
  return names.empty() ? "shared memory" : names;
}

std::string workerOf(const std::vector<Worker> &workers, uint32_t warp) {
  std::string names;
  for (const Worker &worker : workers)
    if (warp >= worker.firstWarp && warp < worker.firstWarp + worker.numWarps)
      names += (names.empty() ? "`" : " or `") + worker.name + "`";
  return names;
}

} // namespace hocket::emulator
