//===- Run.cpp - Runs an emulated kernel without the GIL -------------------------------===//
#include "bindings/emulator/Run.h"
#include "bindings/Errors.h"
#include "bindings/Presence.h"
#include "runtime/TensorMap.h"

namespace py = pybind11;

namespace hocket::bindings {

std::vector<Argument> argumentsOf(const KernelLaunch &launch, const std::vector<std::string> &names) {
  std::vector<Argument> arguments;
  arguments.reserve(launch.parameters.size());
  auto nextArray = launch.arrays.begin(); // `launch.arrays` is sorted by argument index
  for (size_t i = 0; i < launch.parameters.size(); ++i) {
    if (nextArray == launch.arrays.end() || nextArray->argument != i) {
      arguments.push_back(ScalarArgument{*static_cast<const uint64_t *>(launch.parameters[i])});
      continue;
    }
    ArrayArgument array = nextArray->memory;
    array.name = names[i];
    if (nextArray->isDescribed)
      arguments.push_back(WideArgument{
          std::string(static_cast<const char *>(launch.parameters[i]), sizeof(EncodedTensorMap)), std::move(array)});
    else
      arguments.push_back(std::move(array));
    ++nextArray;
  }
  return arguments;
}

static const char *errorClassName(FailureKind kind) {
  switch (kind) {
  case FailureKind::OutOfBounds:
    return "OutOfBoundsError";
  case FailureKind::Misaligned:
    return "MisalignedAccessError";
  case FailureKind::ReadOnly:
    return "ReadOnlyArrayError";
  case FailureKind::DivisionByZero:
    return "DivisionByZeroError";
  case FailureKind::Assertion:
    return "DeviceAssertError";
  case FailureKind::Index:
    return "InvalidIndexError";
  case FailureKind::Undefined:
    return "UndefinedValueError";
  case FailureKind::Deadlock:
    return "DeadlockError";
  case FailureKind::Race:
    return "RaceError";
  case FailureKind::Mbarrier:
    return "MbarrierError";
  case FailureKind::Coordinate:
  case FailureKind::Descriptor:
  case FailureKind::UnfinishedCopy:
  case FailureKind::BarrierAgain:
  case FailureKind::ClusterBarrier:
  case FailureKind::EndedBlock:
  case FailureKind::NotUniform:
  case FailureKind::Interrupted:
    break;
  }
  return "EmulatorError";
}

/// Raises the Python exception for `failure`. Attributes of the exception hold the message, the source location, the
/// block, warp and lane, and the accessed array.
[[noreturn]] static void raise(const Failure &failure) {
  const Diagnostic &diagnostic = failure.diagnostic;
  py::object type = py::module_::import("hocket.errors").attr(errorClassName(failure.kind));
  py::object error = type(renderWithSource(diagnostic));
  error.attr("message") = diagnostic.message;
  if (diagnostic.line > 0) {
    error.attr("filename") = diagnostic.file;
    error.attr("lineno") = diagnostic.line;
  }
  error.attr("block") = py::make_tuple(failure.block[0], failure.block[1], failure.block[2]);
  error.attr("warp") = failure.warp;
  error.attr("lane") = failure.lane;
  if (!failure.array.empty()) {
    error.attr("array") = failure.array;
    error.attr("address") = failure.address;
    error.attr("index") = failure.index;
  }
  PyErr_SetObject(type.ptr(), error.ptr());
  throw py::error_already_set();
}

/// True if the process is exiting or Ctrl-C was pressed. After Ctrl-C, also sets the Python exception
/// KeyboardInterrupt.
static bool isInterrupted() {
  if (isExiting())
    return true;
  py::gil_scoped_acquire acquire;
  return PyErr_CheckSignals() != 0;
}

LaunchResult run(const EmulatedKernel &kernel, const Grid &grid, llvm::ArrayRef<Argument> arguments,
                 LaunchOptions options, const py::object &show) {
  options.shouldStop = isInterrupted;
  LaunchResult result;
  {
    WithoutGil released;
    result = kernel.launch(grid, arguments, options);
  }
  if (PyErr_Occurred())
    throw py::error_already_set();
  if (!result.printed.empty() && !show.is_none())
    show(py::bytes(result.printed).attr("decode")("utf-8", "replace"));
  if (result.failure)
    raise(*result.failure);
  return result;
}

static const char *nameOf(SliceKind kind) {
  static constexpr const char *names[] = {"stage",       "arithmetic",   "matrix", "shared load", "shared store",
                                          "global load", "global store", "atomic", "copy",        "shuffle",
                                          "wait",        "barrier",      "mma"};
  return names[size_t(kind)];
}

py::list toPython(const std::vector<BankCount> &counts) {
  py::list tuples;
  for (const BankCount &count : counts)
    tuples.append(py::make_tuple(count.file, count.line, count.isLoad ? "load" : "store", count.bytes, count.accesses,
                                 count.actual, count.ideal));
  return tuples;
}

py::list toPython(const std::vector<TimelineSlice> &slices) {
  py::list tuples;
  for (const TimelineSlice &slice : slices)
    tuples.append(py::make_tuple(slice.block, slice.warp, nameOf(slice.kind), slice.label, slice.count, slice.file,
                                 slice.line, slice.begin, slice.end));
  return tuples;
}

} // namespace hocket::bindings
