//===- LaunchProfile.cpp - What a launch does where somebody profiles ---------------===//
#include "bindings/launch/LaunchProfile.h"

namespace py = pybind11;

namespace hocket::launch {

static int profilers = 0; // under the GIL

void setProfilers(int count) { profilers = count; }

/// Never destroyed: the interpreter may be gone by then.
static py::handle profiling() {
  static PyObject *module = py::object(py::module_::import("hocket.runtime.profiling")).release().ptr();
  return module;
}

int64_t profileBytesOf(const KernelFacts &facts) {
  if (facts.profile.empty())
    return -1;
  for (const ImplicitArgument &argument : facts.implicitArguments)
    if (argument.kind == ImplicitKind::Profile)
      return argument.bytesPerBlock;
  return 0;
}

py::object addProfile(const Signature &signature, BoundArguments &bound) {
  if (profilers == 0) [[likely]]
    return {};
  for (size_t i = 0; i < signature.options.size(); ++i) {
    if (signature.options[i].name.cast<std::string_view>() != "profile")
      continue;
    for (const BoundArguments::GivenOption &given : bound.options)
      if (given.index == i)
        return {};
    py::object text = profiling().attr("text_for_launch")();
    if (!text.is_none())
      bound.options.push_back({uint32_t(i), text.ptr()});
    return text;
  }
  return {};
}

void ProfiledLaunch::begin(const Compiled &compiled, const GridSize &grid, py::object place, void *stream) {
  if (profilers == 0)
    return;
  int64_t bytes = compiled.profileBytes * grid[0] * grid[1] * grid[2];
  py::object begun = profiling().attr("begin_launch")(compiled.object, py::make_tuple(grid[0], grid[1], grid[2]), place,
                                                      reinterpret_cast<uintptr_t>(stream), bytes);
  if (begun.is_none())
    return;
  launch = begun;
  address = launch.attr("address").cast<uint64_t>();
}

void ProfiledLaunch::end() { launch.attr("launched")(); }

} // namespace hocket::launch
