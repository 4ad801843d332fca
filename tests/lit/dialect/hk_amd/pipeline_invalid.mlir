// RUN: hocket-opt %s --split-input-file --verify-diagnostics

// set_priority C1
func.func @set_priority_too_high() {
  // expected-error@+1 {{'hk_amd.set_priority' op attribute 'priority' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 0 whose maximum value is 3}}
  hk_amd.set_priority 4
  return
}

// -----

// sched_group_barrier C1
func.func @group_of_unknown_kinds() {
  // expected-error@+1 {{'hk_amd.sched_group_barrier' op attribute 'kinds' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 0 whose maximum value is 4095}}
  hk_amd.sched_group_barrier 4096, 4, 0
  return
}
