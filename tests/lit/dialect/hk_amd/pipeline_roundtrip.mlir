// RUN: hocket-opt %s | hocket-opt | FileCheck %s
// RUN: hocket-opt %s --mlir-print-op-generic | hocket-opt | FileCheck %s
// RUN: hocket-opt %s --canonicalize --cse | FileCheck %s

// CHECK-LABEL: @barriers
func.func @barriers(%condition: i1) {
  // CHECK: hk_amd.warp_group
  // CHECK: hk_amd.cond_barrier %{{.+}}
  // CHECK-NEXT: hk_amd.raw_barrier{{$}}
  // CHECK-NEXT: hk_amd.raw_barrier finish_reads
  // CHECK-NEXT: hk_amd.set_priority 3
  // CHECK-NEXT: hk_amd.sched_group_barrier 8, 4, 1
  %group = hk_amd.warp_group
  %zero = arith.constant 0 : i32
  %is_low = arith.cmpi eq, %group, %zero : i32
  hk_amd.cond_barrier %is_low
  hk_amd.raw_barrier
  hk_amd.raw_barrier finish_reads
  hk_amd.set_priority 3
  hk_amd.sched_group_barrier 8, 4, 1
  return
}
