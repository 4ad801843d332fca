// RUN: hocket-opt %s --split-input-file --verify-diagnostics

// set_priority C1
func.func @set_priority_too_high() {
  // expected-error@+1 {{'hk_amd.set_priority' op attribute 'priority' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 0 whose maximum value is 3}}
  hk_amd.set_priority 4
  return
}
