//===- BankConflicts.h - Bank conflicts of loads and stores of tiles ----------------===//
#ifndef HOCKET_FRONTEND_SEMANTICS_BANKCONFLICTS_H
#define HOCKET_FRONTEND_SEMANTICS_BANKCONFLICTS_H

#include "layout/BankConflicts.h"
#include "mlir/IR/MLIRContext.h"
#include "target/TargetInfo.h"
#include <pybind11/pybind11.h>
#include <stdexcept>

namespace hocket::frontend {

/// Arguments of bank_conflicts: the types of a tensor and of shared memory (objects of hocket.language), and the kind
/// of access, "load" or "store".
struct BankQuestion {
  pybind11::handle tensorType, sharedType, access;
};

/// Thrown for an invalid argument of bank_conflicts.
struct BankQuestionError : std::runtime_error {
  BankQuestionError(unsigned argument, const std::string &message, std::string hint = {})
      : std::runtime_error(message), argument(argument), hint(std::move(hint)) {}
  unsigned argument; ///< index of the invalid parameter of bank_conflicts
  std::string hint;
};

/// Returns for each warp the number of wavefronts of a tile access, in which the warp accesses each of its elements of
/// the tile once. Throws BankQuestionError. The dialects that define layouts must be loaded in `context`.
std::vector<Wavefronts> answer(mlir::MLIRContext *context, const BankQuestion &question, const TargetInfo &target);

/// Returns the bank phases (SharedBanks.h) of the accesses with which warp number `warp` accesses each of its elements
/// of the tile once. Throws BankQuestionError.
std::vector<Phase> phasesOf(mlir::MLIRContext *context, const BankQuestion &question, int32_t warp,
                            const TargetInfo &target);

/// Returns the target called `name`. Throws BankQuestionError if no target has this name.
const TargetInfo &targetNamed(const std::string &name);

/// Returns the result of gl.bank_conflicts: the maximum over all warps of the number of wavefronts that bank conflicts
/// add.
int64_t mostExtra(const std::vector<Wavefronts> &warps);

} // namespace hocket::frontend

#endif
