//===- RuntimeCalls.h - Typed calls of the emulator's runtime ----------------------===//
//
//   calls::mbarrierWait(host, offset, parity, site)     llvm.call @hocket_emulator_mbarrierWait(%lane, ...)
//
// For each function in HostAbi.def, `calls` contains an object that emits calls of the function at the current location
// of `host`. Operand 0 of a call is the calling lane. A parameter takes an SSA value, or a constant of its C++ type: a
// number, a bool, an enumeration. A site is the number of an operation in the module's table of sites, and must be a
// constant. A call with a wrong number of arguments, or with a constant of another type, does not compile. An assertion
// rejects an SSA value of another LLVM type.
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_RUNTIMECALLS_H
#define HOCKET_CONVERSION_LANE_TO_HOST_RUNTIMECALLS_H

#include "conversion/lane_to_host/HostBuilder.h"

#include <concepts>
#include <type_traits>

namespace hocket {

/// Returns the LLVM type with which a runtime call passes a T; null for void.
template <typename T>
mlir::Type typeInCall(mlir::MLIRContext *context) {
  if constexpr (std::is_void_v<T>)
    return {};
  else if constexpr (std::is_pointer_v<T>)
    return mlir::LLVM::LLVMPointerType::get(context);
  else if constexpr (std::same_as<T, bool>)
    return mlir::IntegerType::get(context, 1);
  else
    return mlir::IntegerType::get(context, unsigned(8 * sizeof(T)));
}

/// True if a constant of type C can be passed for a parameter of type T.
template <typename C, typename T>
concept IsConstantFor =
    !std::is_pointer_v<T> &&
    (std::same_as<C, T> || (std::integral<C> && std::integral<T> && !std::same_as<C, bool> && !std::same_as<T, bool>));

/// An argument of a runtime call for a parameter of type T.
template <typename T>
class CallArgument {
public:
  CallArgument(mlir::Value value)
    requires(!std::same_as<T, host_abi::SiteNumber>)
      : value(value) {}
  template <typename C>
    requires IsConstantFor<C, T>
  CallArgument(C constant) : constant(int64_t(constant)) {}

  mlir::Value in(HostBuilder &host) const {
    mlir::Type type = typeInCall<T>(host.builder.getContext());
    assert((!value || std::is_pointer_v<T> || value.getType() == type) && "an argument has its parameter's type");
    return value ? value : host.constant(type, constant);
  }

private:
  mlir::Value value;
  int64_t constant = 0;
};

template <typename Signature>
struct RuntimeCall;

template <typename Result, typename... Parameters>
struct RuntimeCall<Result(Parameters...)> {
  const char *name;

  /// Emits a call and returns its result, if the function returns a value.
  auto operator()(HostBuilder &host, CallArgument<Parameters>... arguments) const {
    mlir::MLIRContext *context = host.builder.getContext();
    mlir::Type types[] = {host.lane().getType(), typeInCall<Parameters>(context)...};
    mlir::Value operands[] = {host.lane(), arguments.in(host)...};
    mlir::LLVM::CallOp call = host.call(name, typeInCall<Result>(context), types, operands);
    if constexpr (!std::is_void_v<Result>)
      return mlir::Value(call.getResult());
  }

  /// Returns `op` if it is a call of this function; null otherwise.
  mlir::LLVM::CallOp match(mlir::Operation *op) const {
    auto call = mlir::dyn_cast_or_null<mlir::LLVM::CallOp>(op);
    return call && call.getCallee() == mlir::StringRef(name) ? call : mlir::LLVM::CallOp();
  }
};

namespace calls {
using namespace host_abi;
#define HOST_CALL(name, ...) inline constexpr RuntimeCall<__VA_ARGS__> name{"hocket_emulator_" #name};
#include "emulator_abi/HostAbi.def"
} // namespace calls

/// True if `op` calls a function of the emulator's runtime.
bool isRuntimeCall(mlir::Operation *op);

} // namespace hocket

#endif
