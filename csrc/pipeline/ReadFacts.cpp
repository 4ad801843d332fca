//===- ReadFacts.cpp - Reads the properties of a kernel that passes recorded ----------===//
#include "pipeline/ReadFacts.h"

#include "dialect/hk/facts/Facts.h"
#include "dialect/hk/facts/ImplicitArguments.h"
#include "dialect/hk/facts/Locations.h"
#include "dialect/hk/facts/ModuleFacts.h"
#include "dialect/prof/ProfDialect.h"
#include "transforms/SyncRecord.h"

using namespace mlir;

namespace hocket {

// Each overload of `read` converts an attribute to the C++ type of one kind of kernel property.

static std::string read(StringAttr text) { return text.str(); }

static MessageSite read(hk::MessageSiteAttr attr) {
  MessageSite site;
  if (!attr.getFailsAt())
    site.format = attr.getText().str();
  else {
    site.failure = hk::diagnosticAt(Location(attr.getFailsAt()));
    site.failure.message = attr.getText().str();
  }
  site.showsIndex = attr.getShowsIndex();
  return site;
}

static SyncSite read(hk::SyncSiteAttr attr) {
  auto placeOf = [](LocationAttr location) {
    if (!location)
      return SyncPlace{};
    Diagnostic at = hk::diagnosticAt(Location(location));
    return SyncPlace{at.file, at.line};
  };
  return {attr.getWhat().str(),  placeOf(attr.getAt()),        attr.getWritten(),          attr.getEarlier().str(),
          attr.getLater().str(), placeOf(attr.getEarlierAt()), placeOf(attr.getLaterAt()), attr.getWhy().str()};
}

static void readFact(ModuleOp module, const hk::IntFact &attribute, int &fact) {
  fact = static_cast<int>(attribute.get(module).value_or(0));
}
static void readFact(ModuleOp module, const hk::TextFact &attribute, std::string &fact) {
  fact = attribute.get(module).str();
}
template <typename AttrT, typename T>
static void readFact(ModuleOp module, const hk::ListFact<AttrT> &attribute, std::vector<T> &fact) {
  for (AttrT element : attribute.get(module))
    fact.push_back(read(element));
}
template <typename T>
static void readFact(ModuleOp, const hk::NoFact &, T &) {}

/// Returns the kind of an implicit argument for the runtime. `isProfile`: true if the argument is the profiler's record
/// buffer, which has the kind Scratch in the IR.
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
