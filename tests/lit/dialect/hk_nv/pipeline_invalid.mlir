// RUN: hocket-opt %s --split-input-file --verify-diagnostics

// C1
func.func @barrier_of_the_launch() {
  // expected-error @below {{attribute 'barrier' failed to satisfy constraint}}
  hk_nv.slot_barrier 0
  return
}

// -----

// C1
func.func @no_such_barrier() {
  // expected-error @below {{attribute 'barrier' failed to satisfy constraint}}
  hk_nv.slot_barrier 16
  return
}

// -----

// C2
func.func @no_such_group() {
  // expected-error @below {{attribute 'group' failed to satisfy constraint}}
  hk_nv.slot_barrier 2 group = 2
  return
}

// -----

// begin_turn C1: the next barrier is the other group's
func.func @no_second_barrier() {
  // expected-error @below {{attribute 'barrier' failed to satisfy constraint}}
  hk_nv.begin_turn 15
  return
}

// -----

// end_turn C2
func.func @no_such_group_of_turns() {
  // expected-error @below {{attribute 'group' failed to satisfy constraint}}
  hk_nv.end_turn 2 group = 2
  return
}
