//===- OpConversions.h - Table of the conversions of all operations in lane form -----===//
//
// A conversion is a function whose parameters are the host function and an operation. The type of its result determines
// the effect on the operation:
//
//   void            the operation is erased
//   LogicalResult   the operation is erased, unless the conversion has failed and reported an error
//   Value           the value replaces the operation's result, and the operation is erased
//   Converted       no effect; false means that the function does not convert this operation
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_CONVERSION_LANE_TO_HOST_OPCONVERSIONS_H
#define HOCKET_CONVERSION_LANE_TO_HOST_OPCONVERSIONS_H

#include "conversion/lane_to_host/HostFunction.h"
#include "mlir/IR/OperationSupport.h"

#include <functional>
#include <memory>
#include <type_traits>

namespace hocket {

/// Result of a conversion: true if the operation has been converted; false if the function does not convert this
/// operation; failure if an error has been reported.
using Converted = mlir::FailureOr<bool>;

class OpConversions {
public:
  explicit OpConversions(mlir::MLIRContext *context) : context(context) {}

  /// Converts `op`. Conversions are looked up by the name of an operation or, for the call of an intrinsic, by the name
  /// of the intrinsic.
  Converted convert(HostFunction &host, mlir::Operation *op) const;

  /// Adds `convert` as the conversion of one operation, whose class is the second parameter type of `convert`.
  template <typename Convert>
  void add(Convert convert) {
    using OpT = decltype(operationOf(convert));
    add(OpT::getOperationName(),
        [convert](HostFunction &host, mlir::Operation *op) { return convert(host, mlir::cast<OpT>(op)); });
  }
  /// Adds `convert` as the conversion of several operations.
  template <typename... OpTs, typename Convert>
  void addAll(Convert convert) {
    (add(OpTs::getOperationName(), convert), ...);
  }
  /// Adds `convert` as the conversion of the operation `name`.
  template <typename Convert>
  void add(llvm::StringRef name, Convert convert) {
    byName[mlir::OperationName(name, context)] = finished(std::move(convert));
  }
  /// Adds the conversion of operations whose name begins with `prefix`. Conversions that are added by name have
  /// precedence.
  template <typename Convert>
  void addPrefix(llvm::StringRef prefix, Convert convert) {
    byPrefix.push_back({prefix, finished(std::move(convert))});
  }
  /// Adds the conversion of calls of intrinsics whose name begins with `prefix`. Conversions that have been added
  /// earlier have precedence.
  template <typename Convert>
  void addIntrinsics(llvm::StringRef prefix, Convert convert) {
    byIntrinsic.push_back({prefix, finished(std::move(convert))});
  }

private:
  using Conversion = std::function<Converted(HostFunction &, mlir::Operation *)>;
  struct Prefixed {
    llvm::StringRef prefix;
    Conversion convert;
  };

  template <typename Result, typename OpT>
  static OpT operationOf(Result (*)(HostFunction &, OpT));
  template <typename Convert, typename Result, typename OpT>
  static OpT parameterOf(Result (Convert::*)(HostFunction &, OpT) const);
  template <typename Convert>
  static auto operationOf(Convert) -> decltype(parameterOf(&Convert::operator()));

  template <typename Convert>
  static Conversion finished(Convert convert) {
    return [convert = std::move(convert)](HostFunction &host, mlir::Operation *op) -> Converted {
      using Result = std::invoke_result_t<const Convert &, HostFunction &, mlir::Operation *>;
      if constexpr (std::is_same_v<Result, Converted>) {
        return convert(host, op);
      } else {
        if constexpr (std::is_void_v<Result>) {
          convert(host, op);
        } else if constexpr (std::is_same_v<Result, llvm::LogicalResult>) {
          if (failed(convert(host, op)))
            return mlir::failure();
        } else {
          mlir::Value value = convert(host, op);
          op->getResult(0).replaceAllUsesWith(value);
        }
        op->erase();
        return true;
      }
    };
  }

  static Converted convertBy(const llvm::SmallVectorImpl<Prefixed> &conversions, llvm::StringRef name,
                             HostFunction &host, mlir::Operation *op);

  mlir::MLIRContext *context;
  llvm::DenseMap<mlir::OperationName, Conversion> byName;
  llvm::SmallVector<Prefixed> byPrefix, byIntrinsic;
};

/// Each function adds the conversions of one file.
void addBufferOps(OpConversions &table);
void addClockReads(OpConversions &table);
void addCopiesToShared(OpConversions &table);
void addGlobalAccesses(OpConversions &table);
void addHostHazards(OpConversions &table);
void addIntrinsicCalls(OpConversions &table); // last, because conversions of other files have precedence
void addMatrixMoves(OpConversions &table);
void addMmas(OpConversions &table);
void addMbarrierOps(OpConversions &table);
void addNvvmOps(OpConversions &table);
void addRocdlOps(OpConversions &table);
void addSharedAccesses(OpConversions &table);
void addTmaOps(OpConversions &table);
void addTransposedReads(OpConversions &table);
void addWarpgroupOps(OpConversions &table);

} // namespace hocket

#endif
