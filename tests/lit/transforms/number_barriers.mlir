// RUN: hocket-opt %s --hocket-number-barriers --split-input-file --verify-diagnostics | FileCheck %s

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
// Numbers follow the barriers of the launch, the block and two workers. Unused barriers get no number.
// CHECK-LABEL: @after_those_of_workers
// CHECK: hk_nv.named_barrier_arrive 1 num_warps = 8 number = 4
// CHECK: hk_nv.named_barrier_wait 7 num_warps = 9 number = 5
// CHECK: hk.worker "a"
// CHECK: hk_nv.named_barrier_wait 1 num_warps = 8 number = 4
// CHECK: hk.worker "b"
// CHECK: hk_nv.named_barrier_arrive 7 num_warps = 9 number = 5
func.func @after_those_of_workers() {
  hk.warp_specialize {
    hk_nv.named_barrier_arrive 1 num_warps = 8
    hk_nv.named_barrier_wait 7 num_warps = 9
    hk.warp_yield
  } workers {
    hk.worker "a" num_warps = 4 {
      hk_nv.named_barrier_wait 1 num_warps = 8
      hk_nv.named_barrier_arrive 7 num_warps = 9
      hk.worker_end
    }
    hk.worker "b" num_warps = 1 {
      hk_nv.named_barrier_arrive 7 num_warps = 9
      hk.worker_end
    }
  }
  return
}

// CHECK-LABEL: @without_workers
// CHECK: hk_nv.named_barrier_wait 0 num_warps = 4 number = 2
func.func @without_workers() {
  hk_nv.named_barrier_wait 0 num_warps = 4
  return
}
}

// -----

module attributes {hk.target = "sm_90a", hk.num_warps = 8 : i32} {
func.func @more_than_it_counts() {
  // expected-error @below {{the 8 warps of the launch arrive here, but the named barrier counts 4}}
  // expected-note @below {{hint: allocate it with the number of warps of all partitions that arrive at it in one phase}}
  hk_nv.named_barrier_wait 0 num_warps = 4
  return
}
}

// -----

module attributes {hk.target = "sm_90a", hk.num_warps = 8 : i32} {
func.func @nobody_is_left() {
  // expected-error @below {{the 8 warps of the launch arrive here, which are all warps that the named barrier counts: no warp could wait at it}}
  // expected-note @below {{hint: include the waiting warps in the count: allocate it with more warps}}
  hk_nv.named_barrier_arrive 0 num_warps = 8
  return
}
}

// -----

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
func.func @never_opens() {
  hk.warp_specialize {
    // expected-error @below {{the named barrier counts 7 warps, but no set of partitions that use it, this one included, has this number of warps}}
    // expected-note @below {{the launch: 4 warps}}
    // expected-note @below {{worker `a`: 2 warps}}
    // expected-note @below {{hint: allocate it with the number of warps of all partitions that arrive at it in one phase}}
    hk_nv.named_barrier_wait 0 num_warps = 7
    hk.warp_yield
  } workers {
    hk.worker "a" num_warps = 2 {
      hk_nv.named_barrier_arrive 0 num_warps = 7
      hk.worker_end
    }
  }
  return
}
}

// -----

module attributes {hk.target = "sm_90a", hk.num_warps = 4 : i32} {
func.func @nobody_waits() {
  hk.warp_specialize {
    // expected-error @below {{no warp waits at the named barrier at which this arrives}}
    // expected-note @below {{hint: let the dependent warps call named_barrier.arrive_and_wait, or remove this arrival}}
    hk_nv.named_barrier_arrive 0 num_warps = 6
    hk.warp_yield
  } workers {
    hk.worker "a" num_warps = 2 {
      hk_nv.named_barrier_arrive 0 num_warps = 6
      hk.worker_end
    }
  }
  return
}
}
