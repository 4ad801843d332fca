// RUN: hocket-opt %s | hocket-opt | FileCheck %s
// RUN: hocket-opt %s --mlir-print-op-generic | hocket-opt | FileCheck %s

// CHECK-DAG: #[[MMA:.+]] = #hk_nv.mma<version = [2, 0], warps_per_cta = [2, 2], instr_shape = [16, 8]>
#mma = #hk_nv.mma<version = [2, 0], warps_per_cta = [2, 2], instr_shape = [16, 8]>
// CHECK-DAG: #{{.+}} = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#wgmma = #hk_nv.mma<version = [3, 0], warps_per_cta = [4, 1], instr_shape = [16, 64, 16]>
#a = #hk.dot_operand<op_idx = 0, parent = #mma, k_width = 2>
#b = #hk.dot_operand<op_idx = 1, parent = #mma, k_width = 2>
#a8 = #hk.dot_operand<op_idx = 0, parent = #mma, k_width = 4>
#b8 = #hk.dot_operand<op_idx = 1, parent = #mma, k_width = 4>

// CHECK-LABEL: @products
func.func @products(%a: tensor<32x16xf16, #a>, %b: tensor<16x32xf16, #b>, %c: tensor<32x32xf32, #mma>,
                    %i: tensor<32x32xi8, #a8>, %j: tensor<32x32xi8, #b8>, %s: tensor<32x32xi32, #mma>) {
  // CHECK: hk_nv.mma %{{.+}}, %{{.+}}, %{{.+}} : tensor<32x16xf16, #{{.+}}>, tensor<16x32xf16, #{{.+}}> -> tensor<32x32xf32, #[[MMA]]>
  %0 = hk_nv.mma %a, %b, %c : tensor<32x16xf16, #a>, tensor<16x32xf16, #b> -> tensor<32x32xf32, #mma>
  // CHECK: hk_nv.mma %{{.+}} unsigned_a, %{{.+}} unsigned_b, %{{.+}} :
  %1 = hk_nv.mma %i unsigned_a, %j unsigned_b, %s : tensor<32x32xi8, #a8>, tensor<32x32xi8, #b8> -> tensor<32x32xi32, #mma>
  return
}

// CHECK-LABEL: @layouts
func.func @layouts(%x: tensor<64x64xf32, #wgmma>, %y: tensor<64x64xf16, #hk.dot_operand<op_idx = 0, parent = #wgmma, k_width = 2>>) {
  return
}

#rows = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = false>
#columns = #hk_nv.mma_shared<swizzle = 128, element_bits = 16, rank = 2, transposed = true>

// Exchanged dimensions are the same memory, transposed.
// CHECK-LABEL: @shared
func.func @shared(%t: !hk.memdesc<64x128xf16, #rows>) -> !hk.memdesc<128x64xf16, #columns> {
  // CHECK: hk.memdesc_permute %{{.+}} [1, 0] : !hk.memdesc<64x128xf16, #{{[a-z0-9_]+}}> -> !hk.memdesc<128x64xf16, #{{[a-z0-9_]+}}>
  %0 = hk.memdesc_permute %t [1, 0] : !hk.memdesc<64x128xf16, #rows> -> !hk.memdesc<128x64xf16, #columns>
  return %0 : !hk.memdesc<128x64xf16, #columns>
}
