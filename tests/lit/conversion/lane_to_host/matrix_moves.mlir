// RUN: hocket-opt %s --split-input-file --hocket-convert-lane-to-host --verify-diagnostics | FileCheck %s

#row = #nvvm.mma_layout<row>
#col = #nvvm.mma_layout<col>
#shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>
#half = #nvvm.ld_st_matrix_elt_type<b16>

module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32, hk.shared_bytes = 4096 : i32} {
llvm.mlir.global external @hocket_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4096 x i8>
// Each lane provides 16 bytes; the warp synchronizes once for both loads.
// CHECK: llvm.func @hocket_emulated_kernel(%[[LANE:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr)
llvm.func @loads(%out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %s = llvm.mlir.addressof @hocket_shared : !llvm.ptr<3>
  %t = llvm.getelementptr %s[512] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  // CHECK: llvm.call @hocket_emulator_gather(%[[LANE]])
  // CHECK: llvm.call @hocket_emulator_sharedRow
  // CHECK-COUNT-2: llvm.load %{{.+}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xi32>
  // CHECK: %[[COUNT:.+]] = llvm.mlir.constant(2 : i64)
  // CHECK: %[[KIND:.+]] = llvm.mlir.constant({{[0-9]+}} : i32)
  // CHECK: %[[HOW:.+]] = llvm.mlir.constant(4 : i64)
  // CHECK: llvm.call @hocket_emulator_crossLane(%[[LANE]], %[[KIND]], %{{.+}}, %[[COUNT]], %[[HOW]]
  // CHECK-NOT: cross_lane
  // CHECK-COUNT-8: llvm.load %{{.+}} {alignment = 4 : i64} : !llvm.ptr -> i32
  %v = nvvm.ldmatrix %s {eltType = #half, layout = #row, num = 4 : i32, shape = #shape} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
  %w = nvvm.ldmatrix %t {eltType = #half, layout = #row, num = 4 : i32, shape = #shape} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
  %a = llvm.extractvalue %v[0] : !llvm.struct<(i32, i32, i32, i32)>
  %b = llvm.extractvalue %w[3] : !llvm.struct<(i32, i32, i32, i32)>
  %c = llvm.add %a, %b : i32
  lane.store %out, %c : !llvm.ptr<1>, i32
  llvm.return
}
}

// -----

#col = #nvvm.mma_layout<col>
#shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>
#half = #nvvm.ld_st_matrix_elt_type<b16>

module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32, hk.shared_bytes = 4096 : i32} {
llvm.mlir.global external @hocket_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4096 x i8>
// CHECK: llvm.func @hocket_emulated_kernel(%[[LANE:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr)
llvm.func @stores(%x: i32) attributes {nvvm.kernel} {
  %s = llvm.mlir.addressof @hocket_shared : !llvm.ptr<3>
  // 2 matrices, transposed.
  // CHECK: %[[HOW:.+]] = llvm.mlir.constant(258 : i64)
  // CHECK: llvm.call @hocket_emulator_crossLane(%[[LANE]], %{{.+}}, %{{.+}}, %{{.+}}, %[[HOW]]
  // CHECK: %[[ROW:.+]] = llvm.load %{{.+}} {alignment = 4 : i64} : !llvm.ptr -> vector<4xi32>
  // CHECK: llvm.store %[[ROW]], %{{.+}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr
  nvvm.stmatrix %s, %x, %x {eltType = #half, layout = #col, shape = #shape} : !llvm.ptr<3>, i32, i32
  llvm.return
}
}
