//===- InlineAsmBuiltins.cpp - inline_asm_elementwise ---------------------------------------===//
#include "dialect/hk/ir/HkDialect.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/operators/Broadcast.h"
#include "frontend/semantics/operators/Casts.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MathExtras.h"

namespace hocket::frontend {

namespace {

struct Registers {
  size_t outputs = 0, inputs = 0;
  bool operator==(const Registers &) const = default;
  std::string describe() const {
    auto count = [](size_t number, const char *noun) {
      return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
    };
    return count(outputs, "output") + " and " + count(inputs, "input");
  }
};

} // namespace

/// Returns the number of registers that `pack` elements occupy. Elements narrower than 32 bits share 32-bit registers.
static size_t registersOf(const ElementType &element, int64_t pack) {
  unsigned bits = element.isPointer ? 64 : std::max(8u, element.dtype.bitWidth());
  int64_t perRegister = std::min<int64_t>(pack, std::max(1u, 32 / bits));
  return pack / perRegister;
}

/// Returns the numbers of output and input registers in an LLVM constraint string such as "=r,r,~{memory}".
static Registers registersIn(llvm::StringRef constraints) {
  Registers registers;
  llvm::SmallVector<llvm::StringRef> parts;
  constraints.split(parts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts) {
    part = part.trim();
    if (part.starts_with("="))
      ++registers.outputs;
    else if (!part.starts_with("~"))
      ++registers.inputs;
  }
  return registers;
}

static std::vector<DType> resultTypes(Emitter &e, const Arguments &args) {
  std::vector<DType> types;
  if (auto several = args["dtype"].asSequence())
    for (const Value &type : *several)
      types.push_back(e.requireDType(type, args.what("dtype"), args.where("dtype")));
  else
    types.push_back(e.requireDType(args["dtype"], args.what("dtype"), args.where("dtype")));
  if (types.empty())
    e.errorAt(args.where("dtype"), args.what("dtype") + " is empty: name the dtype of each result");
  return types;
}

static std::vector<Runtime> operandsOf(Emitter &e, const Arguments &args) {
  std::vector<Runtime> operands;
  auto given = args["args"].asSequence();
  for (const Value &value : given ? *given : std::vector<Value>{args["args"]})
    operands.push_back(toTensorOrScalar(e, value, args.what("args")));
  // Each iteration of the inner loop broadcasts operand 0 and operand i to their common shape. The second round of the
  // outer loop is necessary because a later operand can enlarge the shape of operand 0.
  for (int round = 0; round < 2; ++round)
    for (size_t i = 1; i < operands.size(); ++i)
      std::tie(operands[0], operands[i]) = broadcastPair(e, "give assembly", operands[0], operands[i]);
  return operands;
}

static Value inlineAsm(Emitter &e, Arguments &args) {
  if (e.options.emulated)
    e.error("inline_asm_elementwise is assembly of a GPU, which the emulator cannot run",
            "run this kernel on the GPU; the emulator cannot execute inline assembly");
  std::string text = args.stringAt(e, "asm"), constraints = args.stringAt(e, "constraints");
  std::vector<Runtime> operands = operandsOf(e, args);
  std::vector<DType> dtypes = resultTypes(e, args);
  bool isPure = args.boolAt(e, "is_pure");
  int64_t pack = args.intAt(e, "pack");
  if (pack < 1 || !llvm::isPowerOf2_64(pack))
    e.errorAt(args.where("pack"), args.what("pack") + " must be a power of two, but is " + std::to_string(pack));

  Registers needed, named = registersIn(constraints);
  for (const Runtime &operand : operands)
    needed.inputs += registersOf(operand.type.element, pack);
  for (DType dtype : dtypes)
    needed.outputs += registersOf(dtype, pack);
  if (named != needed)
    e.errorAt(args.where("constraints"),
              "the constraints are for " + named.describe() + ", but the values take " + needed.describe(),
              {{{"constraints", constraints}},
               "write \"=r\" for each 32-bit register of results and then \"r\" for each of arguments; " +
                   std::to_string(pack) +
                   " elements of a lane are passed at once (pack); elements of less than 32 bits share registers"});

  std::vector<ValueType> types;
  llvm::SmallVector<mlir::Type> irTypes;
  for (DType dtype : dtypes) {
    types.push_back(operands.empty() ? ValueType(dtype) : operands.front().type.withElement(dtype));
    irTypes.push_back(types.back().toMlir(e.context()));
  }
  llvm::SmallVector<mlir::Value> srcs =
      llvm::map_to_vector(operands, [](const Runtime &operand) { return operand.ir; });
  auto op = e.create<hk::InlineAsmOp>(irTypes, text, constraints, srcs, static_cast<uint32_t>(pack), isPure);
  std::vector<Value> results;
  for (auto [result, type] : llvm::zip_equal(op.getResults(), types))
    results.push_back(Runtime{result, type});
  return args["dtype"].asSequence() ? Value(Tuple{std::move(results), {}}) : results.front();
}

std::span<const BuiltinEntry> inlineAsmBuiltins() {
  static constexpr BuiltinEntry entries[] = {
      {"inline_asm_elementwise", inlineAsm, "(asm, constraints, args, dtype, is_pure, pack)"}};
  return entries;
}

} // namespace hocket::frontend
