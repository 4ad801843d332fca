//===- TimedEvents.cpp - The table of timed events for the emulator's virtual clock -----===//
#include "emulator_abi/TimedEvents.h"

#include "dialect/hk/facts/Locations.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace hocket {

static TimedEvent readEvent(DictionaryAttr entry) {
  auto number = [&](StringRef name, int64_t otherwise) {
    auto attr = entry.getAs<IntegerAttr>(name);
    return attr ? attr.getInt() : otherwise;
  };
  TimedEvent event;
  std::string_view kind = entry.getAs<StringAttr>("kind").getValue();
  event.kind = TimedKind(llvm::find(kTimedKindNames, kind) - std::begin(kTimedKindNames));
  event.unit = TimedUnit(number("unit", 0));
  event.issue = uint32_t(number("issue", 0));
  event.busy = uint32_t(number("busy", 0));
  event.latency = uint32_t(number("latency", 0));
  event.result = int32_t(number("result", -1));
  event.operand = uint32_t(number("operand", 0));
  event.counter = host_abi::CopyCounter(number("counter", 0));
  if (auto uses = entry.getAs<DenseI32ArrayAttr>("uses"))
    event.uses.assign(uses.asArrayRef().begin(), uses.asArrayRef().end());
  if (auto label = entry.getAs<StringAttr>("label"))
    event.label = label.str();
  Diagnostic place = hk::diagnosticAt(Location(entry.getAs<LocationAttr>("loc")));
  event.file = place.file;
  event.line = place.line;
  return event;
}

std::vector<TimedEvent> readTimedEvents(ModuleOp module) {
  std::vector<TimedEvent> events;
  if (auto table = module->getAttrOfType<ArrayAttr>(host_abi::kEventsAttr))
    for (auto entry : table.getAsRange<DictionaryAttr>())
      events.push_back(readEvent(entry));
  return events;
}

} // namespace hocket
