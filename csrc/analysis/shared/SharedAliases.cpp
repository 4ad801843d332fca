//===- SharedAliases.cpp - What a memory descriptor may refer to ------------------===//
#include "analysis/shared/SharedAliases.h"

#include "dialect/hk_amd/HkAmdDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace hocket {

/// More regions than this are summed up as the buffers they belong to; also what bounds the iteration for loops that
/// keep slicing what they carry.
static constexpr unsigned kMaxRegions = 32;

SharedAliases::SharedAliases(Operation *function) {
  do {
    gained = false;
    function->walk<WalkOrder::PreOrder>([&](Operation *op) { visit(op); });
  } while (gained);
}

ArrayRef<SharedRegion> SharedAliases::lookup(Value handle) const {
  auto found = regions.find(handle);
  return found == regions.end() ? ArrayRef<SharedRegion>() : ArrayRef<SharedRegion>(found->second);
}

void SharedAliases::add(Value handle, const SharedRegion &region) {
  auto [entry, isNew] = regions.try_emplace(handle);
  if (isNew)
    order.push_back(handle);
  SmallVector<SharedRegion, 1> &known = entry->second;
  const SharedRegion &added = known.size() < kMaxRegions ? region : region.somewhereInBuffer();
  if (!llvm::is_contained(known, added))
    known.push_back(added);
}

void SharedAliases::flow(Value source, Value handle) {
  if (source == handle || !isa<hk::MemDescType>(handle.getType()))
    return;
  // A copy: adding may move the map's entries.
  for (const SharedRegion &region : llvm::to_vector(lookup(source)))
    add(handle, region);
}

void SharedAliases::flow(ValueRange sources, ValueRange targets) {
  for (auto [source, target] : llvm::zip_equal(sources, targets))
    flow(source, target);
}

void SharedAliases::flowBack(ValueRange sources, ValueRange variables) {
  for (auto [source, variable] : llvm::zip_equal(sources, variables)) {
    size_t before = lookup(variable).size();
    flow(source, variable);
    gained |= lookup(variable).size() != before;
  }
}

void SharedAliases::visit(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](hk::LocalAllocOp alloc) { add(alloc.getResult(), SharedRegion::ofBuffer(alloc)); })
      .Case<hk::MemDescIndexOp, hk::MemDescSliceOp, hk::MemDescPermuteOp, hk::MemDescReshapeOp,
            hk::MemDescReinterpretOp>([&](auto view) {
        for (const SharedRegion &region : llvm::to_vector(lookup(view.getSrc())))
          add(view.getResult(), region.viewedBy(view));
      })
      .Case([&](arith::SelectOp select) {
        flow(select.getTrueValue(), select.getResult());
        flow(select.getFalseValue(), select.getResult());
      })
      .Case([&](scf::ForOp loop) {
        flow(loop.getInitArgs(), loop.getRegionIterArgs());
        flow(loop.getInitArgs(), loop.getResults());
      })
      .Case([&](scf::WhileOp loop) { flow(loop.getInits(), loop.getBeforeArguments()); })
      .Case([&](scf::ConditionOp condition) {
        auto loop = cast<scf::WhileOp>(condition->getParentOp());
        flow(condition.getArgs(), loop.getAfterArguments());
        flow(condition.getArgs(), loop.getResults());
      })
      .Case([&](hk_amd::StageYieldOp yield) { flow(yield.getValues(), yield->getParentOp()->getResults()); })
      .Case([&](scf::YieldOp yield) {
        Operation *parent = yield->getParentOp();
        if (auto loop = dyn_cast<scf::ForOp>(parent))
          flowBack(yield.getOperands(), loop.getRegionIterArgs());
        if (auto loop = dyn_cast<scf::WhileOp>(parent))
          flowBack(yield.getOperands(), loop.getBeforeArguments());
        else
          flow(yield.getOperands(), parent->getResults());
      });
}

SmallVector<SharedUse, 1> SharedAliases::usesOf(Operation *op) const {
  SmallVector<SharedUse, 1> uses;
  auto memory = dyn_cast<MemoryEffectOpInterface>(op);
  if (!memory)
    return uses;
  SmallVector<MemoryEffects::EffectInstance> instances;
  memory.getEffects(instances);
  for (const MemoryEffects::EffectInstance &instance : instances) {
    bool writes = isa<MemoryEffects::Write>(instance.getEffect());
    if (!instance.getValue() || !(writes || isa<MemoryEffects::Read>(instance.getEffect())))
      continue;
    if (ArrayRef<SharedRegion> found = lookup(instance.getValue()); !found.empty())
      uses.push_back({instance.getValue(), found, writes});
  }
  return uses;
}

} // namespace hocket
