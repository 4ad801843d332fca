// RUN: hocket-opt %s | hocket-opt | FileCheck %s
// RUN: hocket-opt %s --mlir-print-op-generic | hocket-opt | FileCheck %s
// RUN: hocket-opt %s --canonicalize --cse | FileCheck %s

#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#wgmma8 = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 32]>
#a = #hk.dot_operand<op_idx = 0, parent = #wgmma, k_width = 2>
#shared = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
#bytes = #hk_nv.mma_shared<swizzle = 64, element_bits = 8, rank = 2, transposed = false>
#turned = #hk_nv.mma_shared<swizzle = 64, element_bits = 8, rank = 2, transposed = true>

// CHECK-LABEL: @products
func.func @products(%a: !hk.memdesc<64x64xf16, #shared>, %b: !hk.memdesc<64x64xf16, #shared>,
                    %r: tensor<64x64xf16, #a>, %c: tensor<64x64xf32, #wgmma>, %use: i1,
                    %i: !hk.memdesc<64x64xi8, #bytes>, %j: !hk.memdesc<64x64xi8, #turned>,
                    %s: tensor<64x64xi32, #wgmma8>) {
  // CHECK: hk_nv.warpgroup_mma %{{.+}}, %{{.+}}, %{{.+}} : !hk.memdesc<64x64xf16, #{{.+}}>, !hk.memdesc<64x64xf16, #{{.+}}> -> tensor<64x64xf32, #{{.+}}>
  %0 = hk_nv.warpgroup_mma %a, %b, %c : !hk.memdesc<64x64xf16, #shared>, !hk.memdesc<64x64xf16, #shared> -> tensor<64x64xf32, #wgmma>
  // CHECK: hk_nv.warpgroup_mma %{{.+}}, %{{.+}}, %{{.+}} use_acc %{{.+}} : tensor<64x64xf16, #{{.+}}>, !hk.memdesc<64x64xf16, #{{.+}}> ->
  %1 = hk_nv.warpgroup_mma %r, %b, %c use_acc %use : tensor<64x64xf16, #a>, !hk.memdesc<64x64xf16, #shared> -> tensor<64x64xf32, #wgmma>
  // CHECK: hk_nv.warpgroup_mma %{{.+}} unsigned_a, %{{.+}} unsigned_b, %{{.+}} :
  %2 = hk_nv.warpgroup_mma %i unsigned_a, %j unsigned_b, %s : !hk.memdesc<64x64xi8, #bytes>, !hk.memdesc<64x64xi8, #turned> -> tensor<64x64xi32, #wgmma8>
  // CHECK: hk_nv.warpgroup_mma_wait %{{.+}}, %{{.+}} {outstanding = 1 : i32} : tensor<64x64xf32, #{{.+}}>, tensor<64x64xf32, #{{.+}}>
  %3:2 = hk_nv.warpgroup_mma_wait %0, %1 {outstanding = 1 : i32} : tensor<64x64xf32, #wgmma>, tensor<64x64xf32, #wgmma>
  // CHECK: hk_nv.warpgroup_mma_wait {outstanding = 0 : i32}
  hk_nv.warpgroup_mma_wait {outstanding = 0 : i32}
  // CHECK: hk.proxy_fence
  hk.proxy_fence
  return
}

// CHECK-LABEL: @groups_of_two
func.func @groups_of_two(%a: !hk.memdesc<64x64xf16, #shared>, %c: tensor<64x64xf32, #wgmma>) -> tensor<64x64xf32, #wgmma> {
  // CHECK: hk_nv.warpgroup_mma %{{.+}}, %{{.+}}, %{{.+}} {group_goes_on} :
  %0 = hk_nv.warpgroup_mma %a, %a, %c {group_goes_on} : !hk.memdesc<64x64xf16, #shared>, !hk.memdesc<64x64xf16, #shared> -> tensor<64x64xf32, #wgmma>
  %1 = hk_nv.warpgroup_mma %a, %a, %0 : !hk.memdesc<64x64xf16, #shared>, !hk.memdesc<64x64xf16, #shared> -> tensor<64x64xf32, #wgmma>
  hk_nv.warpgroup_mma_wait {outstanding = 0 : i32}
  // CHECK: hk_nv.warpgroup_mma_finished %{{.+}} : tensor<64x64xf32, #{{.+}}>
  %2 = hk_nv.warpgroup_mma_finished %1 : tensor<64x64xf32, #wgmma>
  return %2 : tensor<64x64xf32, #wgmma>
}

// A group is counted even if its result has no use, and two equal operations are two groups.
// CHECK-LABEL: @groups
func.func @groups(%a: !hk.memdesc<64x64xf16, #shared>, %c: tensor<64x64xf32, #wgmma>) -> tensor<64x64xf32, #wgmma> {
  // CHECK-COUNT-2: hk_nv.warpgroup_mma %
  %0 = hk_nv.warpgroup_mma %a, %a, %c : !hk.memdesc<64x64xf16, #shared>, !hk.memdesc<64x64xf16, #shared> -> tensor<64x64xf32, #wgmma>
  %1 = hk_nv.warpgroup_mma %a, %a, %c : !hk.memdesc<64x64xf16, #shared>, !hk.memdesc<64x64xf16, #shared> -> tensor<64x64xf32, #wgmma>
  %2 = hk_nv.warpgroup_mma_wait %0 {outstanding = 1 : i32} : tensor<64x64xf32, #wgmma>
  return %2 : tensor<64x64xf32, #wgmma>
}

// CHECK-LABEL: @fused
func.func @fused(%a: !hk.memdesc<64x64xf16, #shared>, %b: !hk.memdesc<64x64xf16, #shared>, %r: tensor<64x64xf16, #a>,
                  %c: tensor<64x64xf32, #wgmma>, %use: i1) -> tensor<64x64xf32, #wgmma> {
  // CHECK: %[[D:.+]]:3 = hk_nv.fused_warpgroup_mma %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} : !hk.memdesc<64x64xf16, #{{.+}}>, !hk.memdesc<64x64xf16, #{{.+}}> -> tensor<64x64xf32, #{{.+}}>, tensor<64x64xf32, #{{.+}}>, tensor<64x64xf32, #{{.+}}>
  %0:3 = hk_nv.fused_warpgroup_mma %a, %b, %c, %c, %c : !hk.memdesc<64x64xf16, #shared>, !hk.memdesc<64x64xf16, #shared> -> tensor<64x64xf32, #wgmma>, tensor<64x64xf32, #wgmma>, tensor<64x64xf32, #wgmma>
  // CHECK: hk_nv.fused_warpgroup_mma %{{.+}}, %{{.+}}, %[[D]]#0, %[[D]]#1 use_acc %{{.+}} {group_goes_on} : tensor<64x64xf16, #{{.+}}>,
  %1:2 = hk_nv.fused_warpgroup_mma %r, %b, %0#0, %0#1 use_acc %use {group_goes_on} : tensor<64x64xf16, #a>, !hk.memdesc<64x64xf16, #shared> -> tensor<64x64xf32, #wgmma>, tensor<64x64xf32, #wgmma>
  return %1#1 : tensor<64x64xf32, #wgmma>
}
