//===- TimedEvents.cpp - The table of timed events for the emulator's virtual clock -----===//
#include "emulator_abi/TimedEvents.h"

#include "dialect/hk/facts/Locations.h"
#include "emulator_abi/TableFields.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace hocket {

Attribute encodeEvent(const TimedEvent &event, Location loc) {
  FieldWriter fields(loc.getContext());
  fields.addText("kind", kTimedKindNames[size_t(event.kind)]);
  fields.addLocation(loc);
  fields.addNumber("unit", int64_t(event.unit));
  fields.addNumber("issue", event.issue);
  fields.addNumber("busy", event.busy);
  fields.addNumber("latency", event.latency);
  fields.addNumber("result", event.result, /*otherwise=*/-1);
  fields.addNumber("operand", event.operand);
  fields.addNumber("counter", int64_t(event.counter));
  if (!event.uses.empty())
    fields.add("uses", DenseI32ArrayAttr::get(loc.getContext(), llvm::to_vector_of<int32_t>(event.uses)));
  fields.addText("label", event.label);
  return fields.get();
}

static TimedEvent readEvent(DictionaryAttr entry) {
  FieldReader fields(entry);
  TimedEvent event;
  event.kind = TimedKind(llvm::find(kTimedKindNames, fields.text("kind")) - std::begin(kTimedKindNames));
  event.unit = TimedUnit(fields.number("unit"));
  event.issue = uint32_t(fields.number("issue"));
  event.busy = uint32_t(fields.number("busy"));
  event.latency = uint32_t(fields.number("latency"));
  event.result = int32_t(fields.number("result", /*otherwise=*/-1));
  event.operand = uint32_t(fields.number("operand"));
  event.counter = host_abi::CopyCounter(fields.number("counter"));
  if (auto uses = entry.getAs<DenseI32ArrayAttr>("uses"))
    event.uses.assign(uses.asArrayRef().begin(), uses.asArrayRef().end());
  event.label = fields.text("label");
  Diagnostic place = hk::diagnosticAt(fields.location());
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
