//===- StageRegisters.h - Registers that results occupy in the stages of a plan ----===//
//
// A result occupies registers from the stage that computes it to the stage that uses it last, which may belong to a
// later iteration:
//
//     stage              0 read a    1 MMA    2 read b    3 MMA
//     a                  ----------->
//     b                                       ------------>
//     accumulator        -------------------------------------->   in each stage once
//
//===------------------------------------------------------------------------------===//
#ifndef HOCKET_ANALYSIS_AUTO_STAGES_STAGEREGISTERS_H
#define HOCKET_ANALYSIS_AUTO_STAGES_STAGEREGISTERS_H

#include "analysis/auto_stages/StageProblem.h"

namespace hocket {

class StageRegisters {
public:
  StageRegisters(const StageProblem &problem, unsigned numStages);

  /// Returns the largest number of registers of a lane that results occupy in one stage. stages[i] is the stage of node
  /// i; nodes without a stage are ignored. A result occupies its registers until its last use by a node with a stage.
  int64_t most(const std::vector<unsigned> &stages);

private:
  const StageProblem &problem;
  unsigned numStages;
  /// Maximum number of stages between the computation of a result and its last use.
  int64_t mostStages = 0;
  /// inUse[n * mostStages + i] is the number of registers that hold results of node n between the i-th stage after the
  /// node's stage and the next stage, for i below lengths[n]. A register is counted once for each use.
  std::vector<int64_t> inUse, lengths;
  /// after[s] is the number of registers that are occupied between stage s and the next stage. within[s] is the number
  /// of registers of results that are computed and used only in stage s.
  std::vector<int64_t> after, within;
};

} // namespace hocket

#endif
