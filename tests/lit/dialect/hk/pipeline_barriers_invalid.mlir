// RUN: hocket-opt %s --split-input-file --verify-diagnostics

// C1
func.func @barrier_of_the_launch() {
  // expected-error @below {{attribute 'number' failed to satisfy constraint}}
  hk.slot_barrier number = 0
  return
}

// -----

// C1
func.func @no_such_barrier() {
  // expected-error @below {{attribute 'number' failed to satisfy constraint}}
  hk.group_barrier low number = 16
  return
}

// -----

// begin_exclusive C1: the next barrier is the other group's
func.func @no_second_barrier() {
  // expected-error @below {{attribute 'number' failed to satisfy constraint}}
  hk.begin_exclusive number = 15
  return
}

// -----

// end_exclusive C1
func.func @no_second_barrier_to_arrive_at() {
  // expected-error @below {{attribute 'number' failed to satisfy constraint}}
  hk.end_exclusive group = high number = 15
  return
}

// -----

// set_priority C1
func.func @set_priority_too_high() {
  // expected-error@+1 {{'hk.set_priority' op attribute 'priority' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 0 whose maximum value is 3}}
  hk.set_priority 4
  return
}
