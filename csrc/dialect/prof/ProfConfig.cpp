//===- ProfConfig.cpp - The launch option `profile` as an attribute ---------------===//
#include "dialect/prof/ProfConfig.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace hocket::prof {

static std::optional<int64_t> numberIn(StringRef text) {
  int64_t number = 0;
  return text.getAsInteger(10, number) ? std::nullopt : std::optional(number);
}

ConfigAttr parseConfig(MLIRContext *context, StringRef text) {
  llvm::StringMap<StringRef> fields;
  for (StringRef field : llvm::split(text, ';')) {
    auto [name, value] = field.split('=');
    fields[name] = value;
  }
  SmallVector<int64_t> warps;
  if (StringRef list = fields.lookup("warps"); !list.empty())
    for (StringRef warp : llvm::split(list, ',')) {
      std::optional<int64_t> number = numberIn(warp);
      if (!number)
        return {};
      warps.push_back(*number);
    }
  std::optional<Space> space = symbolizeSpace(fields.lookup("space"));
  std::optional<Policy> policy = symbolizePolicy(fields.lookup("policy"));
  std::optional<Units> units = symbolizeUnits(fields.lookup("units"));
  std::optional<int64_t> clock = numberIn(fields.lookup("clock")), bytes = numberIn(fields.lookup("bytes")),
                         stages = numberIn(fields.lookup("stages")), maxCtas = numberIn(fields.lookup("max_ctas"));
  std::optional<Waits> waits = symbolizeWaits(fields.lookup("waits"));
  if (!space || !policy || !units || !clock || !bytes || !stages || !maxCtas || !waits)
    return {};
  auto silent = [] { return InFlightDiagnostic(); };
  return ConfigAttr::getChecked(llvm::function_ref<InFlightDiagnostic()>(silent), context, *space, *policy, *clock,
                                *units, ArrayRef<int64_t>(warps), *bytes, *stages != 0, *maxCtas, *waits);
}

ConfigAttr configOf(Operation *module) { return kConfigAttr.getAttr(module); }

} // namespace hocket::prof
