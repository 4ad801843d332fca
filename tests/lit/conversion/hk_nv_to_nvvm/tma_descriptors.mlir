// RUN: hocket-opt %s --hocket-convert-hk-to-lane | FileCheck %s

#rows = #hk_nv.mma_shared<swizzle = 64, element_bits = 16, rank = 2, transposed = false>

module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32} {
// The lane that starts copies writes all fields, the innermost dimension first, makes them visible and reads them again.
// CHECK-LABEL: llvm.func @make
// CHECK-SAME: %[[BASE:[a-z0-9]+]]: !llvm.ptr<1>, %[[ROWS:[a-z0-9]+]]: i32, %[[COLUMNS:[a-z0-9]+]]: i32, %[[STRIDE:[a-z0-9]+]]: i64, %[[PLACE:[a-z0-9]+]]: !llvm.ptr<1>
// CHECK: %[[DESC:.+]] = llvm.addrspacecast %[[PLACE]] : !llvm.ptr<1> to !llvm.ptr
// CHECK: nvvm.elect.sync
// CHECK: %[[ZEROS:.+]] = llvm.mlir.zero : vector<2xi64>
// CHECK-COUNT-8: llvm.store %[[ZEROS]], %{{.+}} {alignment = 16 : i64} : vector<2xi64>, !llvm.ptr
// CHECK: %[[ADDRESS:.+]] = llvm.ptrtoint %[[BASE]]
// CHECK: llvm.call_intrinsic "llvm.nvvm.tensormap.replace.global.address.p1"(%[[PLACE]], %[[ADDRESS]])
// CHECK: "llvm.nvvm.tensormap.replace.rank.p1"
// CHECK: "llvm.nvvm.tensormap.replace.box.dim.p1"
// CHECK: "llvm.nvvm.tensormap.replace.global.dim.p1"(%[[PLACE]], %{{.+}}, %[[COLUMNS]])
// CHECK: "llvm.nvvm.tensormap.replace.element.stride.p1"
// CHECK: "llvm.nvvm.tensormap.replace.global.dim.p1"(%[[PLACE]], %{{.+}}, %[[ROWS]])
// CHECK: %[[BYTES:.+]] = llvm.mul %[[STRIDE]], %{{.+}} : i64
// CHECK: "llvm.nvvm.tensormap.replace.global.stride.p1"(%[[PLACE]], %{{.+}}, %[[BYTES]])
// CHECK: "llvm.nvvm.tensormap.replace.elemtype.p1"
// CHECK: "llvm.nvvm.tensormap.replace.interleave.layout.p1"
// CHECK: "llvm.nvvm.tensormap.replace.swizzle.mode.p1"
// CHECK: "llvm.nvvm.tensormap.replace.fill.mode.p1"
// CHECK: nvvm.fence.proxy.release <gpu>
// CHECK: nvvm.fence.proxy.acquire <gpu> %[[DESC]],
// CHECK: nvvm.fence.proxy.acquire <gpu> %[[DESC]],
func.func public @make(%x: !hk.ptr<f16>, %rows: i32, %columns: i32, %stride: i64, %place: !hk.ptr<i8>) attributes {hk.kernel} {
  %desc = hk_nv.make_tensor_desc %x shape [%rows, %columns] strides [%stride] at %place : !hk.ptr<i8> : !hk.ptr<f16> -> !hk_nv.tensor_desc<32x64xf16, #rows>
  hk_nv.acquire_tensor_desc %desc : !hk_nv.tensor_desc<32x64xf16, #rows>
  return
}
}
