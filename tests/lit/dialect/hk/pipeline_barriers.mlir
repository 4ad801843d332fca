// RUN: hocket-opt %s | hocket-opt | FileCheck %s
// RUN: hocket-opt %s --mlir-print-op-generic | hocket-opt | FileCheck %s
// RUN: hocket-opt %s --canonicalize --cse | FileCheck %s

// CHECK-LABEL: @barriers
func.func @barriers() {
  // CHECK-NEXT: hk.slot_barrier{{$}}
  hk.slot_barrier
  // CHECK-NEXT: hk.slot_barrier finish_reads{{$}}
  hk.slot_barrier finish_reads
  // CHECK-NEXT: hk.slot_barrier number = 15{{$}}
  hk.slot_barrier number = 15
  // CHECK-NEXT: hk.group_barrier low{{$}}
  hk.group_barrier low
  // CHECK-NEXT: hk.group_barrier high number = 1{{$}}
  hk.group_barrier high number = 1
  // CHECK-NEXT: hk.begin_exclusive number = 14{{$}}
  hk.begin_exclusive number = 14
  // CHECK-NEXT: hk.begin_exclusive group = low number = 2
  hk.begin_exclusive group = low number = 2
  // CHECK-NEXT: hk.end_exclusive number = 1{{$}}
  hk.end_exclusive number = 1
  // CHECK-NEXT: hk.end_exclusive group = high number = 2
  hk.end_exclusive group = high number = 2
  // CHECK-NEXT: hk.set_priority 3
  hk.set_priority 3
  return
}
