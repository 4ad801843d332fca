//===- ProgramTables.cpp - Reads the tables that the compiler recorded on a module -----------===//
#include "emulator/host/ProgramTables.h"

#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/facts/Locations.h"
#include "dialect/hk/facts/PartitionPlan.h"
#include "dialect/hk/ir/HkDialect.h"
#include "emulator_abi/Sites.h"

using namespace mlir;

namespace hocket::emulator {

std::vector<Site> readSites(ModuleOp module) {
  std::vector<Site> sites;
  for (const LocatedSite &entry : decodeSites(module))
    sites.push_back({.kind = entry.kind,
                     .bytes = uint32_t(entry.bytes),
                     .alignment = uint32_t(entry.alignment ? entry.alignment : entry.bytes),
                     .argument = entry.argument ? int32_t(*entry.argument) : -1,
                     .message = entry.message,
                     .from = entry.from,
                     .stage = entry.stage,
                     .order = entry.order,
                     .unusedCopies = uint32_t(entry.unusedCopies),
                     .blockScope = entry.blockScope,
                     .isStore = entry.isStore,
                     .fenced = entry.fenced,
                     .diagnostic = hk::diagnosticAt(entry.loc)});
  return sites;
}

std::vector<SharedBuffer> readBuffers(ModuleOp module) {
  std::vector<SharedBuffer> buffers;
  auto addStrings = [](ArrayAttr from, std::vector<std::string> &to) {
    for (auto text : from.getAsRange<StringAttr>())
      to.push_back(text.str());
  };
  for (hk::BufferAttr attr : hk::kBuffersAttr.get(module)) {
    SharedBuffer buffer{attr.getName().str(), uint64_t(attr.getOffset()), uint64_t(attr.getBytes())};
    if (attr.getArrivals()) {
      buffer.holdsMbarriers = true;
      addStrings(attr.getArrivals(), buffer.arrivals);
      addStrings(attr.getCopies(), buffer.copies);
    }
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

std::vector<Worker> readWorkers(ModuleOp module) {
  std::vector<Worker> workers;
  for (hk::WorkerAttr worker : hk::kWorkersAttr.get(module))
    workers.push_back({worker.getName().str(), uint32_t(worker.getFirstWarp()), uint32_t(worker.getNumWarps())});
  return workers;
}

} // namespace hocket::emulator
