// RUN: hocket-opt %s --split-input-file --hocket-outline-workers | FileCheck %s

#line4 = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#line2 = #hk.blocked<size_per_thread = [1], threads_per_warp = [32], warps_per_cta = [2], order = [0]>

// The worker of 4 warps comes first, the one of 2 after it. Budgets fill the last warpgroup: 12 warps of 168 registers.
// CHECK: module attributes {hk.maxnreg = 168 : i32
// CHECK-SAME: hk.worker_warps = 8 : i32
// CHECK-SAME: hk.workers = [#hk.worker<name = "small", first_warp = 8, num_warps = 2>, #hk.worker<name = "large", first_warp = 4, num_warps = 4>]
module attributes {hk.num_warps = 4 : i32, hk.target = "sm_90a"} {

// CHECK-LABEL: func.func public @kernel
// CHECK-SAME: hk.partition = #hk.partition<first_warp = 0, num_warps = 4, barrier = 0>
func.func public @kernel(%x: !hk.ptr<i32>, %n: i32) attributes {hk.kernel} {
  // CHECK-NEXT: lane.start_workers [@kernel.small.0, @kernel.large.1](%arg0, %arg1, %arg0 : !hk.ptr<i32>, i32, !hk.ptr<i32>) counts = [2, 1] offset = 64 entry_registers = 168 registers = [240, 240, 24]
  %r = hk.warp_specialize offset = 64 -> i32 {
    // CHECK-NEXT: %[[S:.+]] = arith.addi %arg1, %arg1 : i32
    %s = arith.addi %n, %n : i32
    hk.warp_yield %s : i32
  } workers {
    hk.worker "small"(%x, %n : !hk.ptr<i32>, i32) num_warps = 2 num_regs = 24 {
    ^bb0(%y: !hk.ptr<i32>, %m: i32):
      hk.store %y, %m : !hk.ptr<i32>, i32
      hk.barrier
    }
    hk.worker "large"(%x : !hk.ptr<i32>) num_warps = 4 num_regs = 240 {
    ^bb0(%y: !hk.ptr<i32>):
      hk.barrier
    }
  }
  // CHECK-NEXT: lane.join_workers
  // CHECK-NEXT: hk.store %arg0, %[[S]]
  hk.store %x, %r : !hk.ptr<i32>, i32
  return
}
// CHECK: func.func private @kernel.large.1(%arg0: !hk.ptr<i32>) attributes {hk.partition = #hk.partition<first_warp = 4, num_warps = 4, barrier = 3>}
// CHECK-NEXT: hk.barrier
// CHECK-NEXT: return
// CHECK: func.func private @kernel.small.0(%arg0: !hk.ptr<i32>, %arg1: i32) attributes {hk.partition = #hk.partition<first_warp = 8, num_warps = 2, barrier = 2>}
}

// -----

// Without register budgets whole warpgroups are not needed; Ampere does not use budgets.
// CHECK: module attributes {hk.num_warps = 2 : i32, hk.target = "sm_80", hk.worker_warps = 1 : i32
module attributes {hk.num_warps = 2 : i32, hk.target = "sm_80"} {
func.func public @kernel() attributes {hk.kernel} {
  // CHECK: lane.start_workers [@kernel.w.0] counts = [0] offset = 0{{$}}
  hk.warp_specialize offset = 0 {
    hk.warp_yield
  } workers {
    hk.worker "w" num_warps = 1 {
      hk.barrier
    }
  }
  return
}
}
