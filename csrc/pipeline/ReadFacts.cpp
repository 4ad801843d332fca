//===- ReadFacts.cpp - Reads the facts that passes recorded about a kernel ---------===//
#include "pipeline/ReadFacts.h"

#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/facts/ImplicitArguments.h"
#include "dialect/hk/facts/Locations.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/prof/ProfDialect.h"
#include "transforms/SyncRecord.h"

using namespace mlir;

namespace hocket {

// Conversions of attributes to facts, one for each type of fact, including types that no fact uses. Lists are array
// attributes.

static void readAttribute(Attribute attribute, int &fact) {
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    fact = static_cast<int>(integer.getInt());
}

static void readAttribute(Attribute attribute, std::string &fact) {
  if (auto text = dyn_cast<StringAttr>(attribute))
    fact = text.str();
}

/// Reads the attribute hk::kMessagesAttr.
static void readAttribute(Attribute attribute, MessageSite &site) {
  auto fields = dyn_cast<DictionaryAttr>(attribute);
  if (!fields)
    return;
  if (auto format = fields.getAs<StringAttr>("format"))
    site.format = format.str();
  if (auto where = fields.getAs<LocationAttr>("where"))
    site.failure = hk::diagnosticAt(where);
  if (auto message = fields.getAs<StringAttr>("message"))
    site.failure.message = message.str();
  site.showsIndex = bool(fields.get("index"));
}

/// Reads an attribute in the format that transforms/SyncRecord.h defines.
static void readAttribute(Attribute attribute, SyncSite &site) {
  auto fields = dyn_cast<DictionaryAttr>(attribute);
  if (!fields)
    return;
  auto text = [&](const std::string &name) {
    auto value = fields.getAs<StringAttr>(name);
    return value ? value.str() : std::string();
  };
  auto place = [&](const std::string &prefix) {
    auto line = fields.getAs<IntegerAttr>(prefix + "line");
    return SyncPlace{text(prefix + "file"), line ? int(line.getInt()) : 0};
  };
  site = {text("what"),    place(""),  bool(fields.get("written")), text("earlier"), text("later"), place("earlier_"),
          place("later_"), text("why")};
}

template <typename T>
static void readAttribute(Attribute attribute, std::vector<T> &fact) {
  if (auto array = dyn_cast<ArrayAttr>(attribute))
    for (Attribute element : array)
      readAttribute(element, fact.emplace_back());
}

template <typename AttrT, typename T>
static void readFact(ModuleOp module, const hk::Fact<AttrT> &attribute, T &fact) {
  if (Attribute value = attribute.getAttr(module))
    readAttribute(value, fact);
}
template <typename T>
static void readFact(ModuleOp, const hk::NoFact &, T &) {}

/// Returns the kind of an implicit argument. The profiler's buffer is scratch memory whose size the host may choose.
static ImplicitKind kindOf(hk::ImplicitKind kind, bool isProfile) {
  if (isProfile)
    return ImplicitKind::Profile;
  switch (kind) {
  case hk::ImplicitKind::Scratch:
    return ImplicitKind::Scratch;
  case hk::ImplicitKind::Messages:
    return ImplicitKind::Messages;
  }
  llvm_unreachable("unknown kind of implicit argument");
}

std::vector<SyncSite> takeSynchronization(ModuleOp module) {
  std::vector<SyncSite> sites;
  readFact(module, hk::kSynchronizationAttr, sites);
  hk::kSynchronizationAttr.remove(module);
  return sites;
}

KernelFacts readFacts(ModuleOp module) {
  KernelFacts facts;
#define FACT(type, member, pythonName, attribute, description) readFact(module, attribute, facts.member);
#include "runtime/KernelFacts.def"
  const TargetInfo &target = hk::targetOf(module);
  facts.target = target.name;
  facts.warpSize = target.warpSize;
  facts.numWarps = hk::numWarpsAt(module);
  facts.numCtas = hk::numCtasOf(module);
  for (auto function : module.getOps<FunctionOpInterface>()) {
    if (!function.isPublic() || function.isExternal())
      continue;
    facts.name = function.getName().str();
    const unsigned written = function.getNumArguments() - unsigned(hk::implicitArgumentsOf(function).size());
    for (auto [i, what] : llvm::enumerate(hk::implicitArgumentsOf(function))) {
      bool isProfile = bool(prof::kBufferAttr.getAttrOfArgument(function, written + i));
      facts.implicitArguments.push_back(
          {kindOf(what.getKind(), isProfile), what.getBytesPerLaunch(), what.getBytesPerBlock()});
    }
  }
  return facts;
}

} // namespace hocket
