// RUN: hocket-opt %s | hocket-opt | FileCheck %s
// RUN: hocket-opt %s --mlir-print-op-generic | hocket-opt | FileCheck %s
// RUN: hocket-opt %s --canonicalize --cse | FileCheck %s

// CHECK-LABEL: @groups
func.func @groups() {
  // CHECK-NEXT: hk_amd.sched_group_barrier 8, 4, 1
  hk_amd.sched_group_barrier 8, 4, 1
  return
}
