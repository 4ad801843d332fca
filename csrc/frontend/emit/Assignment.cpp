//===- Assignment.cpp - Assignments to names -----------------------------------------===//
#include "frontend/emit/Assignment.h"
#include "dialect/hk/ir/HkDialect.h"
#include "frontend/emit/Aggregates.h"
#include "frontend/values/Aggregates.h"

using namespace hocket;
using namespace hocket::frontend;

Value hocket::frontend::decay(Emitter &e, Value value) {
  if (isAggregate(value)) // the fields of an aggregate keep their declared types
    return value;
  if (value.asTuple()) {
    std::vector<Value> parts;
    parts.reserve(value.parts().size());
    for (const Value &part : value.parts())
      parts.push_back(decay(e, part));
    return value.withParts(std::move(parts));
  }
  const Constexpr *constant = value.asConstexpr();
  if (!constant)
    return value;
  PyObject *object = constant->object.ptr();
  if (PyLong_Check(object) || PyFloat_Check(object)) // PyLong_Check is also true for bools
    return e.toRuntime(value);
  if (PyTuple_Check(object) || PyList_Check(object)) {
    Tuple result;
    if (!PyTuple_CheckExact(object))
      result.pythonClass = py::type::of(constant->object);
    result.elements = std::move(*value.asSequence());
    return decay(e, std::move(result));
  }
  // Layouts, functions and strings stay compile-time values, even without the annotation `gl.constexpr`. Gluon requires
  // the annotation.
  return value;
}

Value hocket::frontend::stored(FrameEmitter &e, Value value) {
  return e.frame->building ? value : decay(e, std::move(value));
}

bool hocket::frontend::isOwnField(const Frame &frame, const ast::Attribute &attribute) {
  auto *name = llvm::dyn_cast<ast::Name>(attribute.base);
  return frame.building && name && name->slot == 0 && !frame.variables[0].value;
}

/// If `value` is a shared memory buffer without a name, gives the buffer the name of the variable to which it is
/// assigned. Messages about shared memory mention the name.
static void nameBuffer(const Value &value, llvm::StringRef name) {
  const Runtime *runtime = value.asRuntime();
  auto buffer = runtime ? runtime->ir.getDefiningOp<hk::LocalAllocOp>() : hk::LocalAllocOp();
  if (buffer && !buffer.getName())
    buffer.setName(name);
}

static void unpack(FrameEmitter &e, const ast::Sequence &targets, const Value &value) {
  for (const ast::Expr *target : targets.elements)
    if (llvm::isa<ast::Starred>(target))
      raiseCannotAssign(e, target);
  std::optional<std::vector<Value>> elements = value.asSequence();
  if (!elements)
    e.error("cannot unpack " + value.describe() + " into " + std::to_string(targets.elements.size()) + " names",
            isAggregate(value) ? "take its fields by name, as in x.a" : "");
  if (elements->size() != targets.elements.size())
    e.error("cannot unpack " + std::to_string(elements->size()) + " values into " +
            std::to_string(targets.elements.size()) + " names");
  for (auto [target, element] : llvm::zip(targets.elements, *elements))
    assign(e, target, element);
}

void hocket::frontend::assign(FrameEmitter &e, const ast::Expr *target, Value value) {
  if (auto *name = llvm::dyn_cast<ast::Name>(target)) {
    nameBuffer(value, name->id);
    return e.frame->bind(name->slot, std::move(value), target);
  }
  if (auto *attribute = llvm::dyn_cast<ast::Attribute>(target); attribute && isOwnField(*e.frame, *attribute))
    return assignOwnField(e, *attribute, std::move(value));
  auto *sequence = llvm::dyn_cast<ast::Sequence>(target);
  if (!sequence)
    raiseCannotAssign(e, target);
  FrameEmitter::At at(e, target);
  unpack(e, *sequence, value);
}

void hocket::frontend::raiseCannotAssign(FrameEmitter &e, const ast::Expr *target) {
  FrameEmitter::At at(e, target);
  if (llvm::isa<ast::Starred>(target))
    e.error("`*` in the targets of an assignment is not supported in kernels",
            "take the parts by index, as in rest = t[1:]");
  if (llvm::isa<ast::Subscript>(target))
    e.error("cannot assign to elements: tensors and tuples do not change",
            "use gl.where for tensors in registers, gl.store for memory, smem.store for shared memory");
  if (auto *attribute = llvm::dyn_cast<ast::Attribute>(target)) {
    auto *name = llvm::dyn_cast<ast::Name>(attribute->base);
    bool isLocal = name && name->slot >= 0 && e.frame->variables[name->slot].value;
    const Value value = isLocal ? e.frame->variables[name->slot].value : Value();
    if (value && isAggregate(value)) {
      std::string field = attribute->name.str(), id = name->id.str();
      auto className = value.asTuple()->pythonClass.attr("__name__").cast<std::string>();
      e.error("cannot assign to `" + id + "." + field + "`: the aggregate " + className +
                  " does not change after its `__init__`",
              "make a changed copy: " + id + " = aggregate_replace(" + id + ", " + field + "=...)");
    }
    e.error("cannot assign to attributes in kernels", "use a local name");
  }
  e.error("cannot assign to this expression");
}
