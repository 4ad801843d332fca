// RUN: hocket-opt %s | hocket-opt | FileCheck %s
// RUN: hocket-opt %s --mlir-print-op-generic | hocket-opt | FileCheck %s

// CHECK-LABEL: @grids
func.func @grids() {
  // CHECK: hk_nv.wait_for_grids
  hk_nv.wait_for_grids
  // CHECK: hk_nv.launch_dependents
  hk_nv.launch_dependents
  return
}
