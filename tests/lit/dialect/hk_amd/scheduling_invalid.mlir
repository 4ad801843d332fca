// RUN: hocket-opt %s --split-input-file --verify-diagnostics

// sched_group_barrier C1
func.func @group_of_unknown_kinds() {
  // expected-error@+1 {{'hk_amd.sched_group_barrier' op attribute 'kinds' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 0 whose maximum value is 4095}}
  hk_amd.sched_group_barrier 4096, 4, 0
  return
}
