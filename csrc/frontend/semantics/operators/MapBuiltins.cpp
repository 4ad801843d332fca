//===- MapBuiltins.cpp - map_elementwise ---------------------------------------------------===//
#include "dialect/hk/ir/HkDialect.h"
#include "dialect/hk/layouts/Layouts.h"
#include "frontend/semantics/BuiltinTables.h"
#include "frontend/semantics/FunctionRegion.h"
#include "frontend/semantics/operators/Broadcast.h"
#include "frontend/semantics/operators/Casts.h"
#include "llvm/Support/MathExtras.h"

namespace hocket::frontend {

namespace {

/// Emits one call of map_elementwise.
class Map {
public:
  Map(Emitter &e, const Arguments &args);
  Value emit();

private:
  hk::MapOp emitBody();
  void addResults(llvm::ArrayRef<Value> returned);

  Emitter &e;
  ElementFunction function;
  int64_t pack;
  std::vector<Runtime> tensors;
  /// Element types of the results of map_elementwise.
  std::vector<ElementType> results;
};

} // namespace

Map::Map(Emitter &e, const Arguments &args)
    : e(e), function{args["scalar_fn"], args.where("scalar_fn"), "the function of map_elementwise", "single elements",
                     "pass the values that it needs as another tensor: gl.map_elementwise(function, x, y)"},
      pack(args.intAt(e, "pack")) {
  if (pack < 1 || !llvm::isPowerOf2_64(pack))
    e.errorAt(args.where("pack"), "`pack` of map_elementwise must be a power of two, but is " + std::to_string(pack));
  std::vector<Value> given = *args["args"].asSequence();
  if (given.empty())
    e.error("map_elementwise needs a tensor after the function");
  for (const Value &value : given)
    tensors.push_back(toTensorOrScalar(e, value, args.what("args")));
  // Each iteration of the inner loop broadcasts tensor 0 and tensor i to their common shape. The second round of the
  // outer loop is necessary because a later tensor can enlarge the shape of tensor 0.
  for (int round = 0; round < 2; ++round)
    for (size_t i = 1; i < tensors.size(); ++i)
      std::tie(tensors[0], tensors[i]) = broadcastPair(e, "map a function over", tensors[0], tensors[i]);
  const ValueType &type = tensors.front().type;
  if (type.isScalar())
    e.error("map_elementwise needs a tensor, but all values are scalars", "call the function itself");
  if (hk::isUndecided(type.layout))
    return;
  auto tensor = llvm::cast<mlir::RankedTensorType>(tensors.front().ir.getType());
  int64_t perLane = hk::toLinearLayout(tensor).getInDimSize(Dim::Register);
  if (pack > perLane)
    e.errorAt(args.where("pack"),
              "map_elementwise cannot take " + std::to_string(pack) + " elements together: a lane holds " +
                  std::to_string(perLane),
              {{{"value", type.toString()}}, "use a smaller pack, or a layout with more elements per thread"});
}

/// Derives the element types of the results from `returned`, the values that the function returns: `pack` consecutive
/// values belong to each result. Emits the terminator of the function's region.
void Map::addResults(llvm::ArrayRef<Value> returned) {
  if (returned.empty() || returned.size() % pack)
    e.errorAt(function.where, function.name + " must return " + std::to_string(pack) +
                                  " values for each result, one for each element that it takes together, but returns " +
                                  std::to_string(returned.size()));
  llvm::SmallVector<mlir::Value> values;
  for (size_t i = 0; i < returned.size(); ++i) {
    Runtime value = e.toRuntime(returned[i], "the result of " + function.name);
    if (i % pack == 0)
      results.push_back(value.type.element);
    else if (value.type.element != results.back())
      e.errorAt(function.where, function.name + " must return elements of one type for each result, but returns " +
                                    results.back().toString() + " and " + value.type.toString() + " for result " +
                                    std::to_string(i / pack));
    values.push_back(value.ir);
  }
  e.create<hk::MapReturnOp>(values);
}

/// Emits a MapOp without results, because the types of the results are known only after the function has been emitted
/// into the region of the MapOp.
hk::MapOp Map::emitBody() {
  llvm::SmallVector<mlir::Value> operands;
  std::vector<Value> forms;
  for (const Runtime &tensor : tensors) {
    operands.push_back(tensor.ir);
    for (int64_t i = 0; i < pack; ++i)
      forms.push_back(Runtime{{}, tensor.type.element});
  }
  auto map = e.create<hk::MapOp>(mlir::TypeRange(), operands, static_cast<uint32_t>(pack));
  emitRegion(e, map.getBody(), forms, [&](std::vector<Value> scalars) {
    Value returned = callPerElement(e, function, std::move(scalars));
    addResults(returned.asTuple() ? returned.parts() : llvm::ArrayRef<Value>(returned));
  });
  return map;
}

Value Map::emit() {
  hk::MapOp draft = emitBody();
  std::vector<ValueType> types;
  llvm::SmallVector<mlir::Type> irTypes;
  for (const ElementType &element : results) {
    types.push_back(tensors.front().type.withElement(element));
    irTypes.push_back(types.back().toMlir(e.context()));
  }
  auto map = e.create<hk::MapOp>(irTypes, draft.getSrcs(), draft.getPack());
  map.getBody().takeBody(draft.getBody());
  draft.erase();
  std::vector<Value> values;
  for (auto [result, type] : llvm::zip_equal(map.getResults(), types))
    values.push_back(Runtime{result, type});
  return values.size() == 1 ? values.front() : Value(Tuple{std::move(values), {}});
}

static Value mapElementwise(Emitter &e, Arguments &args) { return Map(e, args).emit(); }

std::span<const BuiltinEntry> mapBuiltins() {
  static constexpr BuiltinEntry entries[] = {{"map_elementwise", mapElementwise, "(scalar_fn, *args, pack=1)"}};
  return entries;
}

} // namespace hocket::frontend
