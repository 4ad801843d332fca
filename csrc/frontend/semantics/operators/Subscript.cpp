//===- Subscript.cpp - Subscripts: `x[:, None]`, `t[0]`, and errors -------------------------===//
#include "frontend/semantics/operators/Subscript.h"
#include "frontend/semantics/shapes/ShapeSemantics.h"
#include "frontend/values/LanguageObjects.h"

namespace hocket::frontend {

static Value subscriptTensor(Emitter &e, Runtime value, llvm::ArrayRef<SubscriptItem> items) {
  using Item = SubscriptItem;
  unsigned kept = llvm::count_if(items, [](const Item &item) { return item.kind == Item::FullSlice; });
  for (const Item &item : items)
    if (item.kind == Item::Index || item.kind == Item::PartialSlice)
      e.errorAt(item.where, "a tensor in registers cannot be indexed or sliced; only `None` and `:` are allowed here",
                {{{"value", value.type.toString()}},
                 "take elements with gl.where and a reduction, or go through shared memory"});
  if (kept > value.type.rank())
    e.error("this subscript refers to " + std::to_string(kept) + " dimensions of a tensor of rank " +
                std::to_string(value.type.rank()),
            {{{"value", value.type.toString()}}, {}});
  for (auto [axis, item] : llvm::enumerate(items))
    if (item.kind == Item::None)
      value = expandDims(e, value, axis);
  return value;
}

Value subscript(Emitter &e, const Value &base, llvm::ArrayRef<SubscriptItem> items) {
  const Runtime *runtime = base.asRuntime();
  if (!runtime)
    e.error("cannot subscript " + base.describe());
  if (runtime->type.isMemDesc())
    e.error("shared memory cannot be read with brackets",
            "smem.index(i) selects a buffer of a ring, smem.slice(start, length, dim) a part, smem.load(layout) reads");
  if (runtime->type.isScalar())
    e.error("cannot subscript a scalar of type " + runtime->type.toString(),
            runtime->type.isPointer() ? "read memory with gl.load(pointer + index)" : "");
  return subscriptTensor(e, *runtime, items);
}

Value subscriptTuple(Emitter &e, const Value &base, const Value &indexValue, SourceRange where) {
  if (base.asBoundMethod())
    e.error("cannot index " + base.describe());
  py::object index = e.requireConstexpr(indexValue, "the index of a tuple", where);
  const Tuple *tuple = base.asTuple();
  if (!tuple)
    return Value::constant(unwrapConstexpr(base.asConstexpr()->object[index]));
  size_t count = tuple->elements.size();
  if (PyLong_Check(index.ptr())) {
    int64_t position = e.requireInt(Value::constant(index), "the index of a tuple", where);
    if (position >= static_cast<int64_t>(count) || position < -static_cast<int64_t>(count))
      e.error("index " + std::to_string(position) + " is out of range for a tuple of " + std::to_string(count));
    return tuple->elements[position < 0 ? position + count : position];
  }
  // The slice `index` is applied to a Python list of all positions in the tuple, which gives the selected positions.
  py::list positions;
  for (size_t i = 0; i < count; ++i)
    positions.append(i);
  Tuple part;
  for (py::handle position : py::object(positions[index]))
    part.elements.push_back(tuple->elements[position.cast<size_t>()]);
  return part;
}

} // namespace hocket::frontend
