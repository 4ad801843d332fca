//===- AmdSchedulingBuiltins.cpp - amd.cdna3: scheduling hints and priorities ------------===//
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/hk_amd/HkAmdDialect.h"
#include "frontend/semantics/BuiltinTables.h"

namespace hocket::frontend {

/// Mask of all kinds of instructions; each kind is one bit of the mask of hk.sched_barrier.
static constexpr int64_t kMostKinds = 0xfff;

static int64_t numberAt(Emitter &e, const Arguments &args, ParameterName parameter, int64_t most) {
  int64_t value = args.intAt(e, parameter);
  if (value < 0 || value > most)
    e.errorAt(args.where(parameter),
              args.what(parameter) + " must be 0 to " + std::to_string(most) + ", but is " + std::to_string(value));
  return value;
}

static Value schedBarrier(Emitter &e, Arguments &args) {
  e.create<hk::SchedBarrierOp>(uint32_t(numberAt(e, args, "mask", kMostKinds)));
  return Value::none();
}

static Value schedGroupBarrier(Emitter &e, Arguments &args) {
  constexpr int64_t kMost = INT32_MAX;
  e.create<hk_amd::SchedGroupBarrierOp>(uint32_t(numberAt(e, args, "mask", kMostKinds)),
                                        uint32_t(numberAt(e, args, "size", kMost)),
                                        uint32_t(numberAt(e, args, "group_id", kMost)));
  return Value::none();
}

static Value setPriority(Emitter &e, Arguments &args) {
  constexpr int64_t kHighest = 3;
  e.create<hk::SetPriorityOp>(uint32_t(numberAt(e, args, "priority", kHighest)));
  return Value::none();
}

std::span<const BuiltinEntry> amdSchedulingBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"amd.cdna3.sched_barrier", schedBarrier, "(mask=0)"},
      {"amd.cdna3.sched_group_barrier", schedGroupBarrier, "(mask, size, group_id=0)"},
      {"amd.cdna3.set_prio", setPriority, "(priority)"},
  };
  return entries;
}

} // namespace hocket::frontend
