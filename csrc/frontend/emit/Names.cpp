//===- Names.cpp - Lookup of names in a kernel --------------------------------------===//
//
// A kernel can read a global or closure variable only if its object cannot be mutated: constexpr instances, modules,
// functions, dtypes, layouts, and (unlike in Gluon) plain numbers, strings and tuples of these. The runtime compares
// the values of globals before a launch (hocket/runtime/dependencies.py) and compiles the kernel again if a global has
// been reassigned. Reading a mutable object is an error.
//
//===------------------------------------------------------------------------------===//
#include "frontend/emit/Names.h"
#include "frontend/emit/Aggregates.h"
#include "frontend/semantics/ForeignNames.h"
#include "frontend/values/Aggregates.h"
#include "frontend/values/LanguageObjects.h"
#include "support/NearestName.h"

using namespace hocket;
using namespace hocket::frontend;

// Free names: closure variables, globals, builtins --------------------------------------------------------------------

/// True if kernels may read `object` as a global or closure variable, because programs do not mutate such objects.
static bool isUsableGlobal(py::handle object) {
  PyObject *p = object.ptr();
  if (p == Py_None || PyBool_Check(p) || PyLong_Check(p) || PyFloat_Check(p) || PyUnicode_Check(p) ||
      PyModule_Check(p) || PyType_Check(p) || PyFunction_Check(p) || PyCFunction_Check(p))
    return true;
  if (PyTuple_Check(p))
    return llvm::all_of(py::reinterpret_borrow<py::tuple>(object), isUsableGlobal);
  if (isAggregateClass(py::type::of(object)))
    return true;
  if (isBuiltin(object) || py::hasattr(object, "__hocket_constexpr_function__") || jitFunctionOf(object))
    return true;
  // Accepts dtypes, layouts and other objects of Hocket's own classes, and members of enums.
  auto module = py::str(py::type::of(object).attr("__module__")).cast<std::string>();
  return module.starts_with("hocket.") || py::isinstance(object, py::module_::import("enum").attr("Enum"));
}

[[noreturn]] static void raiseUnknownName(FrameEmitter &e, const ast::Name &name) {
  std::vector<std::string> known = e.frame->source.tree->locals;
  for (auto [key, value] : py::dict(e.frame->function.attr("__globals__")))
    known.push_back(py::str(key).cast<std::string>());
  for (const char *builtin : {"abs", "float", "int", "isinstance", "len", "max", "min", "print", "range"})
    known.push_back(builtin);
  std::string id = name.id.str(), hint = hintForFunction(id);
  if (std::string nearest = nearestName(id, known); hint.empty() && !nearest.empty())
    hint = "did you mean `" + nearest + "`?";
  e.error("`" + id + "` is not defined", hint);
}

/// Returns the variable called `id` of the functions that enclose the inner function of frame `inner`; null if there is
/// no such variable.
static const Variable *findOuterName(const Frame &inner, llvm::StringRef id) {
  for (const Frame *outer = inner.definer; outer; outer = outer->definer) {
    const Variable *found = nullptr;
    for (auto [name, variable] : llvm::zip(outer->source.tree->locals, outer->variables))
      if (name == id && (!found || variable.value)) // a comprehension's variable can have the same name
        found = &variable;
    if (found)
      return found;
  }
  return nullptr;
}

[[noreturn]] static void raiseUnbound(FrameEmitter &e, const ast::Name &name, const Variable &variable) {
  std::string quoted = "`" + name.id.str() + "`";
  if (variable.lost == Variable::NotLost)
    e.error(quoted + " is used before it is assigned",
            name.slot >= 0 && findOuterName(*e.frame, name.id)
                ? "this function assigns it, so it is not the " + quoted +
                      " of the function around it: pass that one as an argument, and return the new value"
                : "");
  std::string line = std::to_string(variable.where->line);
  if (variable.lost == Variable::AfterItsLoop)
    e.error(quoted + " has no value after the run-time loop it counts (line " + line + ")",
            "compute it from the bounds, or copy it inside the loop to a name that has a value before the loop");
  if (variable.lost == Variable::InnerTarget)
    e.error(quoted + " has no value here: it is the variable of a loop (line " + line +
                ") and of another one, which is inside a run-time loop",
            "give the variable of the inner loop another name");
  if (variable.lost == Variable::InBranch)
    e.error(quoted + " may have no value here: only one branch of the run-time `if` assigns it (line " + line + ")",
            "assign " + quoted + " before the `if`, or in both branches");
  e.error(quoted + " may have no value here: it is only assigned inside a run-time loop (line " + line + ")",
          "assign " + quoted + " before the loop");
}

static Value loadFreeName(FrameEmitter &e, const ast::Name &name) {
  std::string id = name.id.str();
  if (const Variable *outer = findOuterName(*e.frame, name.id)) {
    if (!outer->value)
      raiseUnbound(e, name, *outer);
    return outer->value;
  }
  py::object value;
  // Searches the closure of the Python function for the name.
  py::object closure = e.frame->function.attr("__closure__");
  if (!closure.is_none()) {
    py::tuple freeNames = e.frame->function.attr("__code__").attr("co_freevars");
    for (size_t i = 0; i < freeNames.size(); ++i) {
      if (freeNames[i].cast<std::string_view>() != id)
        continue;
      py::object cell = py::tuple(closure)[i];
      value = py::reinterpret_steal<py::object>(PyCell_Get(cell.ptr()));
      if (!value)
        e.error("`" + id + "` of the enclosing function has no value yet");
    }
  }
  if (!value) {
    py::dict globals = e.frame->function.attr("__globals__");
    value = py::reinterpret_borrow<py::object>(PyDict_GetItemString(globals.ptr(), id.c_str()));
    if (!value) {
      py::object builtins = py::module_::import("builtins");
      value = py::getattr(builtins, id.c_str(), py::object());
      if (!value)
        raiseUnknownName(e, name);
    }
  }
  if (py::isinstance(value, languageObject("constexpr")))
    return Value::constant(value.attr("value"));
  if (!isUsableGlobal(value))
    e.error("kernels cannot read the global `" + id + "`, a " + Py_TYPE(value.ptr())->tp_name,
            "pass it as an argument; a constant can be wrapped: " + id + " = gl.constexpr(...)");
  return Value::constant(std::move(value));
}

// Names ---------------------------------------------------------------------------------------------------------------

Value hocket::frontend::loadName(FrameEmitter &e, const ast::Name &name) {
  if (name.slot < 0)
    return loadFreeName(e, name);
  const Variable &variable = e.frame->variables[name.slot];
  if (!variable.value && name.slot == 0 && e.frame->building)
    return loadSelf(e);
  if (!variable.value)
    raiseUnbound(e, name, variable);
  return variable.value;
}
