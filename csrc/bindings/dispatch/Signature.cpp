//===- Signature.cpp - Parameters of a kernel, and binding of arguments ----------------===//
#include "bindings/dispatch/Signature.h"
#include "bindings/dispatch/Elements.h"
#include "runtime/LaunchError.h"
#include "support/NearestName.h"

namespace py = pybind11;

namespace hocket::dispatch {

static py::object intern(py::handle text) {
  PyObject *name = text.inc_ref().ptr();
  PyUnicode_InternInPlace(&name);
  return py::reinterpret_steal<py::object>(name);
}

void Signature::read(py::handle parameterList, py::handle optionList) {
  for (py::handle item : parameterList) {
    auto fields = item.cast<py::tuple>();
    Parameter parameter{.name = intern(fields[0]),
                        .text = fields[0].cast<std::string>(),
                        .mode = ParameterMode(fields[1].cast<int>()),
                        .defaultValue = {},
                        .declaredType = std::nullopt};
    if (fields[2].cast<bool>())
      parameter.defaultValue = fields[3];
    if (!fields[4].is_none())
      parameter.declaredType = elementFromObject(fields[4], parameter.text);
    parameters.push_back(std::move(parameter));
  }
  for (py::handle item : optionList) {
    auto fields = item.cast<py::tuple>();
    options.push_back({intern(fields[0]), fields[1]});
  }
  for (Parameter &parameter : parameters)
    for (size_t i = 0; i < options.size(); ++i)
      if (options[i].name.is(parameter.name))
        parameter.option = int(i);
}

static bool sameName(PyObject *a, PyObject *b) { return a == b || PyUnicode_Compare(a, b) == 0; }

static std::string plural(size_t count, const char *noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

[[noreturn]] static void raiseUnknownKeyword(const Signature &signature, PyObject *keyword) {
  std::string name = py::handle(keyword).cast<std::string>();
  std::vector<std::string> known = {"stream"};
  for (const Parameter &parameter : signature.parameters)
    known.push_back(parameter.text);
  for (const Option &option : signature.options)
    known.push_back(option.name.cast<std::string>());
  std::string nearest = nearestName(name, known);
  auto advice = py::module_::import("hocket.language._foreign_names").attr("advice");
  auto hint = advice("option", name).cast<std::string>();
  std::string text = signature.function + "() has no parameter or launch option `" + name + "`";
  if (!nearest.empty() || !hint.empty())
    throw LaunchError(text + "\n  hint: " + (hint.empty() ? "did you mean `" + nearest + "`?" : hint));
  auto listed = [&](const auto &items, auto &&nameOf) {
    std::string names;
    for (const auto &item : items)
      names += (names.empty() ? "" : ", ") + nameOf(item);
    return names.empty() ? "none" : names;
  };
  throw LaunchError(
      text + "\n  parameters: " + listed(signature.parameters, [](auto &item) { return item.text; }) + "\n  options: " +
      listed(signature.options, [](auto &item) { return item.name.template cast<std::string>(); }) + ", stream");
}

[[noreturn]] static void raiseTooMany(const Signature &signature, size_t given) {
  throw LaunchError(signature.function + "() takes " + plural(signature.positionalCount, "positional argument") +
                    ", but " + std::to_string(given) + (given == 1 ? " was given" : " were given"));
}

[[noreturn]] static void raiseMissing(const Signature &signature, const BoundArguments &bound) {
  std::string names;
  size_t count = 0;
  for (size_t i = 0; i < signature.parameters.size(); ++i)
    if (!bound.slots[i] && !signature.parameters[i].defaultValue) {
      names += (count++ ? ", `" : "`") + signature.parameters[i].text + "`";
    }
  // A kernel in a class does not receive `self`: Python passes `self` only to functions, and a JITFunction is not a
  // Python function.
  bool isMethod = signature.parameters.front().text == "self" || signature.parameters.front().text == "cls";
  throw LaunchError(signature.function + "() is missing " + plural(count, "argument") + ": " + names +
                    (isMethod ? "\n  hint: a kernel is launched without an object: make it a function of the module, "
                                "or drop `" +
                                    signature.parameters.front().text + "`"
                              : ""));
}

/// Stores the value of one keyword argument in `out`: in the slot of the parameter, or as a launch option.
static void bindKeyword(const Signature &signature, PyObject *keyword, PyObject *value, BoundArguments &out) {
  static PyObject *const streamName = PyUnicode_InternFromString("stream");
  static PyObject *const gridName = PyUnicode_InternFromString("grid");
  // The first iteration compares the addresses of the strings. Comparing addresses finds nearly all keywords, because
  // Python interns the keywords of a call.
  for (bool byAddress : {true, false}) {
    auto matches = [&](PyObject *name) { return byAddress ? name == keyword : sameName(name, keyword); };
    for (size_t i = 0; i < signature.parameters.size(); ++i)
      if (matches(signature.parameters[i].name.ptr())) {
        if (out.slots[i])
          throw LaunchError(signature.function + "() got two values for parameter `" + signature.parameters[i].text +
                            "`");
        out.slots[i] = value;
        if (int option = signature.parameters[i].option; option >= 0)
          out.options.push_back({uint32_t(option), value});
        return;
      }
    for (size_t i = 0; i < signature.options.size(); ++i)
      if (matches(signature.options[i].name.ptr())) {
        out.options.push_back({uint32_t(i), value});
        return;
      }
    if (matches(streamName)) {
      out.stream = value == Py_None ? nullptr : value;
      return;
    }
    if (matches(gridName)) {
      out.grid = value;
      return;
    }
  }
  raiseUnknownKeyword(signature, keyword);
}

void bindArguments(const Signature &signature, PyObject *const *arguments, size_t positional, PyObject *keywordNames,
                   BoundArguments &out) {
  size_t count = signature.parameters.size();
  out.slots.assign(count, nullptr);
  size_t direct = std::min(positional, signature.positionalCount);
  std::copy(arguments, arguments + direct, out.slots.begin());
  if (signature.varArgs >= 0) {
    py::tuple rest(positional - direct);
    for (size_t i = direct; i < positional; ++i)
      rest[i - direct] = py::handle(arguments[i]);
    out.slots[signature.varArgs] = rest.ptr();
    out.rest = std::move(rest);
  } else if (positional > direct) {
    raiseTooMany(signature, positional);
  }

  size_t keywords = keywordNames ? PyTuple_GET_SIZE(keywordNames) : 0;
  for (size_t i = 0; i < keywords; ++i)
    bindKeyword(signature, PyTuple_GET_ITEM(keywordNames, i), arguments[positional + i], out);

  for (size_t i = 0; i < count; ++i)
    if (!out.slots[i]) {
      if (!signature.parameters[i].defaultValue)
        raiseMissing(signature, out);
      out.slots[i] = signature.parameters[i].defaultValue.ptr();
    }
}

} // namespace hocket::dispatch
