// RUN: hocket-opt %s --hocket-warp-pipeline-lowering | FileCheck %s --implicit-check-not=slot_barrier --implicit-check-not=hk.barrier
//
// An iteration begins after the last stage, or before the first stage if that is for the matrix cores and the last one
// is not. The instructions that count iterations and jump are then in the last stage.

#mfma = #hk_amd.mfma<version = 4, instr_shape = [32, 32, 16], transposed = true, warps_per_cta = [2, 4], element_bits = 32, tiles_per_warp = [1, 1]>
!a = tensor<64x16xf16, #hk.dot_operand<op_idx = 0, parent = #mfma, k_width = 8>>
!b = tensor<16x128xf16, #hk.dot_operand<op_idx = 1, parent = #mfma, k_width = 8>>
!c = tensor<64x128xf32, #mfma>
module attributes {hk.num_warps = 8 : i32, hk.target = "gfx950"} {

// The priority of the first stage is set in the loop, in each iteration.
// CHECK-LABEL: @compute_first
// CHECK: hk.barrier local
// CHECK: hk.group_barrier
// CHECK-NEXT: scf.for
// CHECK-NEXT: hk.set_priority 0
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "compute"
// CHECK-NEXT: hk_amd.mfma
// CHECK-NEXT: hk.set_priority 1
// CHECK-NEXT: hk.sched_barrier{{$}}
// CHECK-NEXT: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "load"
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: hk.set_priority 0
func.func @compute_first(%n: i32, %a: !a, %b: !b, %c: !c) -> !c {
  %r = scf.for %k = %n to %n step %n iter_args(%acc = %c) -> !c : i32 {
    %s = hk.stage "compute" -> !c {
      %m = hk_amd.mfma %a, %b, %acc : !a, !b -> !c
      hk.stage_yield %m : !c
    }
    hk.stage "load" priority = 1 {
    }
    scf.yield %s : !c
  } {hk.pipelined = 1 : i32}
  return %r : !c
}

// The last stage computes as well, so moving the slot would gain nothing.
// CHECK-LABEL: @compute_first_and_last
// CHECK: hk.barrier local
// CHECK: scf.for
// CHECK-NEXT: hk_amd.mfma
// CHECK-COUNT-3: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "compute"
// CHECK-NEXT: scf.yield
func.func @compute_first_and_last(%n: i32, %a: !a, %b: !b, %c: !c) -> !c {
  %r = scf.for %k = %n to %n step %n iter_args(%acc = %c) -> !c : i32 {
    %s = hk.stage "compute" -> !c {
      %m = hk_amd.mfma %a, %b, %acc : !a, !b -> !c
      hk.stage_yield %m : !c
    }
    hk.stage "load" {
    }
    %t = hk.stage "compute more" -> !c {
      %m = hk_amd.mfma %a, %b, %s : !a, !b -> !c
      hk.stage_yield %m : !c
    }
    scf.yield %t : !c
  } {hk.pipelined = 1 : i32}
  return %r : !c
}

// A wait stays at the bottom of the loop: after the loop, its copies have arrived.
// CHECK-LABEL: @wait_at_bottom
// CHECK: hk.barrier local
// CHECK: scf.for
// CHECK-NEXT: hk_amd.mfma
// CHECK: hk.slot_barrier
// CHECK: hk.async_wait_group
// CHECK-NEXT: hk.slot_barrier
// CHECK-NEXT: hk.sched_barrier stage "compute"
// CHECK-NEXT: scf.yield
func.func @wait_at_bottom(%n: i32, %a: !a, %b: !b, %c: !c) -> !c {
  %r = scf.for %k = %n to %n step %n iter_args(%acc = %c) -> !c : i32 {
    %s = hk.stage "compute" -> !c {
      %m = hk_amd.mfma %a, %b, %acc : !a, !b -> !c
      hk.stage_yield %m : !c
    }
    hk.stage "load" {
    }
    hk.async_wait_group {outstanding = 1 : i32}
    scf.yield %s : !c
  } {hk.pipelined = 1 : i32}
  return %r : !c
}
}
