//===- AmdSchedulingBuiltins.cpp - amd.cdna3: scheduling hints and priorities ------------===//
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/hk_amd/HkAmdDialect.h"
#include "frontend/semantics/BuiltinTables.h"

namespace hocket::frontend {

/// Union of all kinds of instructions, the bits of hk.sched_barrier.
static constexpr int64_t kMostKinds = 0xfff;

static int64_t numberAt(Emitter &e, const Arguments &args, size_t index, int64_t most) {
  int64_t value = args.intAt(e, index);
  if (value < 0 || value > most)
    e.errorAt(args.where(index),
              args.what(index) + " must be 0 to " + std::to_string(most) + ", but is " + std::to_string(value));
  return value;
}

/// sched_barrier(mask=0)
static Value schedBarrier(Emitter &e, Arguments &args) {
  e.create<hk::SchedBarrierOp>(uint32_t(numberAt(e, args, 0, kMostKinds)));
  return Value::none();
}

/// sched_group_barrier(mask, size, group_id=0)
static Value schedGroupBarrier(Emitter &e, Arguments &args) {
  constexpr int64_t kMost = INT32_MAX;
  e.create<hk_amd::SchedGroupBarrierOp>(uint32_t(numberAt(e, args, 0, kMostKinds)),
                                        uint32_t(numberAt(e, args, 1, kMost)), uint32_t(numberAt(e, args, 2, kMost)));
  return Value::none();
}

/// set_prio(priority)
static Value setPriority(Emitter &e, Arguments &args) {
  constexpr int64_t kHighest = 3;
  e.create<hk_amd::SetPriorityOp>(uint32_t(numberAt(e, args, 0, kHighest)));
  return Value::none();
}

std::span<const BuiltinEntry> amdSchedulingBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"amd.cdna3.sched_barrier", schedBarrier},
      {"amd.cdna3.sched_group_barrier", schedGroupBarrier},
      {"amd.cdna3.set_prio", setPriority},
  };
  return entries;
}

} // namespace hocket::frontend
