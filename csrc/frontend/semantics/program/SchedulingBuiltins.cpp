//===- SchedulingBuiltins.cpp - Requests to the instruction scheduler, and priorities of warps -===//
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/hk_amd/HkAmdDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "target/Features.h"

namespace hocket::frontend {

namespace {
/// A kind of instructions, and its bit in the mask of hk.sched_barrier.
struct InstructionKind {
  std::string_view name;
  uint32_t bit;
};
} // namespace

static constexpr InstructionKind kInstructionKinds[] = {{"alu", 0x1},         {"valu", 0x2},    {"salu", 0x4},
                                                        {"mfma", 0x8},        {"vmem", 0x10},   {"vmem_read", 0x20},
                                                        {"vmem_write", 0x40}, {"lds", 0x80},    {"lds_read", 0x100},
                                                        {"lds_write", 0x200}, {"trans", 0x400}, {"lds_copy", 0x800}};

/// Mask of all kinds of instructions.
static constexpr int64_t kAllKinds = 0xfff;

static int64_t numberAt(Emitter &e, const Arguments &args, ParameterName parameter, int64_t most, int64_t least = 0) {
  int64_t value = args.intAt(e, parameter);
  if (value < least || value > most)
    e.errorAt(args.where(parameter), args.what(parameter) + " must be " + std::to_string(least) + " to " +
                                         std::to_string(most) + ", but is " + std::to_string(value));
  return value;
}

// The language --------------------------------------------------------------------------------------------------------

/// Appends the SSA values of the tensors and scalars in `value`, which can be a nested tuple, to `numbers`. Raises an
/// error for values of other kinds.
static void collectNumbers(Emitter &e, const Arguments &args, const Value &value, std::vector<mlir::Value> &numbers) {
  const Runtime *runtime = value.asRuntime();
  if (runtime && !runtime->type.isMemDesc() && !runtime->type.isPointer()) {
    numbers.push_back(runtime->ir);
    return;
  }
  // An empty sequence, such as computed=(), contains no tensors or scalars.
  if (std::optional<std::vector<Value>> known = value.asSequence(); known && known->empty())
    return;
  if (!value.asTuple())
    e.errorAt(args.where("computed"),
              args.what("computed") + " must be tensors and scalars, but it has " + value.describe(),
              {{}, "pass the values that must be computed first: gl.sched_barrier(computed=[x])"});
  for (const Value &part : value.parts())
    collectNumbers(e, args, part, numbers);
}

static Value schedBarrier(Emitter &e, Arguments &args) {
  std::vector<mlir::Value> numbers;
  if (!args.isDefault("computed"))
    collectNumbers(e, args, args["computed"], numbers);
  e.create<hk::SchedBarrierOp>(0u, mlir::ValueRange(numbers));
  return Value::none();
}

/// Returns the bit of the kind that `value` names.
static uint32_t kindOf(Emitter &e, const Arguments &args, const Value &value) {
  py::object object = e.requireConstexpr(value, args.what("kinds"), args.where("kinds"));
  std::string known;
  for (auto [name, bit] : kInstructionKinds) {
    if (PyUnicode_Check(object.ptr()) && object.cast<std::string>() == name)
      return bit;
    known += (known.empty() ? "\"" : ", \"") + std::string(name) + "\"";
  }
  e.errorAt(args.where("kinds"),
            args.what("kinds") + " must be kinds of instructions, but has " + py::repr(object).cast<std::string>(),
            {{}, "the kinds are " + known});
}

static uint32_t kindsAt(Emitter &e, const Arguments &args) {
  std::optional<std::vector<Value>> listed = args["kinds"].asSequence();
  if (!listed)
    return kindOf(e, args, args["kinds"]);
  if (listed->empty())
    e.errorAt(args.where("kinds"), args.what("kinds") + " is empty, so no instruction could be in the group");
  uint32_t kinds = 0;
  for (const Value &kind : *listed)
    kinds |= kindOf(e, args, kind);
  return kinds;
}

/// On targets without scheduling groups, the call becomes a scheduling barrier that all kinds of instructions may cross:
/// it is lowered to nothing, and keeps the program order of tile operations.
static Value schedGroupBarrier(Emitter &e, Arguments &args) {
  uint32_t kinds = kindsAt(e, args);
  auto count = uint32_t(numberAt(e, args, "count", INT32_MAX, 1));
  auto group = uint32_t(numberAt(e, args, "group", INT32_MAX));
  if (kSchedGroups.isOn(e.target))
    e.create<hk_amd::SchedGroupBarrierOp>(kinds, count, group);
  else
    e.create<hk::SchedBarrierOp>(uint32_t(kAllKinds));
  return Value::none();
}

// amd.cdna3 and amd.cdna4 ---------------------------------------------------------------------------------------------

static Value amdSchedBarrier(Emitter &e, Arguments &args) {
  e.create<hk::SchedBarrierOp>(uint32_t(numberAt(e, args, "mask", kAllKinds)));
  return Value::none();
}

static Value amdSchedGroupBarrier(Emitter &e, Arguments &args) {
  e.create<hk_amd::SchedGroupBarrierOp>(uint32_t(numberAt(e, args, "mask", kAllKinds)),
                                        uint32_t(numberAt(e, args, "size", INT32_MAX)),
                                        uint32_t(numberAt(e, args, "group_id", INT32_MAX)));
  return Value::none();
}

static Value setPriority(Emitter &e, Arguments &args) {
  constexpr int64_t kHighest = 3;
  e.create<hk::SetPriorityOp>(uint32_t(numberAt(e, args, "priority", kHighest)));
  return Value::none();
}

std::span<const BuiltinEntry> schedulingBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"amd.cdna3.sched_barrier", amdSchedBarrier, "(mask=0)"},
      {"amd.cdna3.sched_group_barrier", amdSchedGroupBarrier, "(mask, size, group_id=0)"},
      {"amd.cdna3.set_prio", setPriority, "(priority)"},
      {"sched_barrier", schedBarrier, "(computed=())"},
      {"sched_group_barrier", schedGroupBarrier, "(kinds, count, group=0)"},
  };
  return entries;
}

} // namespace hocket::frontend
