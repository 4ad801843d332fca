// RUN: hocket-opt %s --split-input-file --verify-diagnostics

// arrive C1
func.func @no_such_barrier() {
  // expected-error @below {{attribute 'barrier' failed to satisfy constraint}}
  hk_nv.named_barrier_arrive -1 num_warps = 8
  return
}

// -----

// arrive C1
func.func @nobody_arrives() {
  // expected-error @below {{attribute 'num_warps' failed to satisfy constraint}}
  hk_nv.named_barrier_arrive 0 num_warps = 0
  return
}

// -----

// arrive C2
func.func @barrier_of_the_launch() {
  // expected-error @below {{attribute 'number' failed to satisfy constraint}}
  hk_nv.named_barrier_arrive 0 num_warps = 8 number = 0
  return
}

// -----

// wait C1
func.func @wait_at_no_barrier() {
  // expected-error @below {{attribute 'barrier' failed to satisfy constraint}}
  hk_nv.named_barrier_wait -1 num_warps = 8
  return
}

// -----

// wait C1
func.func @wait_for_nobody() {
  // expected-error @below {{attribute 'num_warps' failed to satisfy constraint}}
  hk_nv.named_barrier_wait 0 num_warps = 0
  return
}

// -----

// wait C2
func.func @not_of_the_hardware() {
  // expected-error @below {{attribute 'number' failed to satisfy constraint}}
  hk_nv.named_barrier_wait 0 num_warps = 8 number = 16
  return
}
