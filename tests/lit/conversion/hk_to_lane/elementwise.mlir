// RUN: hocket-opt %s --hocket-lane-pipeline --split-input-file | FileCheck %s

#b = #hk.blocked<size_per_thread = [2], threads_per_warp = [32], warps_per_cta = [1], order = [0]>

module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32} {
// One operation per register. A multiplication and an addition may contract; the quotient of f32 need not be rounded correctly.
// CHECK-LABEL: llvm.func @floats
func.func public @floats(%p: !hk.ptr<f32>) attributes {hk.kernel} {
  // CHECK: %[[ZERO:.+]] = llvm.mlir.constant(0.000000e+00 : f32) : f32
  %zero = arith.constant dense<0.0> : tensor<64xf32, #b>
  %i = hk.arange 0 to 64 : tensor<64xi32, #b>
  // CHECK: %[[X0:.+]] = llvm.sitofp %[[I0:.+]] : i32 to f32
  // CHECK: %[[X1:.+]] = llvm.sitofp %[[I1:.+]] : i32 to f32
  %x = arith.sitofp %i : tensor<64xi32, #b> to tensor<64xf32, #b>
  // CHECK: %[[A0:.+]] = llvm.fadd %[[X0]], %[[X0]] {fastmathFlags = #llvm.fastmath<contract>} : f32
  // CHECK: %[[A1:.+]] = llvm.fadd %[[X1]], %[[X1]] {fastmathFlags = #llvm.fastmath<contract>} : f32
  %a = arith.addf %x, %x : tensor<64xf32, #b>
  // CHECK-COUNT-2: llvm.fmul {{.*}}fastmath<contract>
  %m = arith.mulf %a, %x : tensor<64xf32, #b>
  // CHECK-COUNT-2: llvm.fsub {{.*}}fastmath<contract>
  %s = arith.subf %m, %x : tensor<64xf32, #b>
  // CHECK-COUNT-2: llvm.fdiv {{.*}}fastmath<arcp>
  %d = arith.divf %s, %x : tensor<64xf32, #b>
  // CHECK-COUNT-2: llvm.fdiv %{{[0-9]+}}, %{{[0-9]+}} : f32
  %dn = arith.divf %d, %x {hk.round_nearest} : tensor<64xf32, #b>
  // CHECK-COUNT-2: llvm.fneg
  %n = arith.negf %dn : tensor<64xf32, #b>
  // CHECK-COUNT-2: llvm.intr.maximum
  %mx = arith.maximumf %n, %zero : tensor<64xf32, #b>
  // CHECK-COUNT-2: llvm.intr.minnum
  %mn = arith.minnumf %mx, %x : tensor<64xf32, #b>
  // CHECK-COUNT-2: llvm.fcmp "ult"
  %c = arith.cmpf ult, %mn, %zero : tensor<64xf32, #b>
  // CHECK-COUNT-2: llvm.select
  %r = arith.select %c, %mn, %zero : tensor<64xi1, #b>, tensor<64xf32, #b>
  %ps = hk.splat %p : !hk.ptr<f32> -> tensor<64x!hk.ptr<f32>, #b>
  %pi = hk.addptr %ps, %i : tensor<64x!hk.ptr<f32>, #b>, tensor<64xi32, #b>
  hk.store %pi, %r : tensor<64x!hk.ptr<f32>, #b>, tensor<64xf32, #b>
  return
}
}

// -----

#b = #hk.blocked<size_per_thread = [2], threads_per_warp = [32], warps_per_cta = [1], order = [0]>

module attributes {hk.target = "gfx950", hk.num_warps = 1 : i32} {
// CHECK-LABEL: llvm.func @integers
// CHECK-SAME: %[[P:.+]]: !llvm.ptr<1>, %[[N:.+]]: i32
func.func public @integers(%p: !hk.ptr<i32>, %n: i32) attributes {hk.kernel} {
  // CHECK: llvm.mul %[[N]], %[[N]] overflow<nsw> : i32
  %s = arith.muli %n, %n overflow<nsw> : i32
  // CHECK: llvm.sdiv
  %d = arith.divsi %s, %n : i32
  // CHECK: llvm.urem
  %r = arith.remui %d, %n : i32
  // CHECK: %[[LAST:.+]] = llvm.mlir.constant(31 : i32)
  // CHECK: %[[AMOUNT:.+]] = llvm.intr.umin(%{{.+}}, %[[LAST]])
  // CHECK: llvm.ashr %{{.+}}, %[[AMOUNT]]
  %sh = arith.shrsi %r, %n : i32
  // The 64-bit shift amount is masked explicitly: LLVM would truncate it to 32 bits for PTX and drop the select.
  // CHECK: %[[WIDE:.+]] = llvm.sext %{{.+}} : i32 to i64
  // CHECK: %[[INSIDE:.+]] = llvm.icmp "ult" %[[WIDE]], %{{.+}} : i64
  // CHECK: %[[CUT:.+]] = llvm.and %[[WIDE]], %{{.+}} : i64
  // CHECK: %[[SHIFTED:.+]] = llvm.shl %[[WIDE]], %[[CUT]] : i64
  // CHECK: llvm.select %[[INSIDE]], %[[SHIFTED]], %{{.+}} : i1, i64
  %wide = arith.extsi %sh : i32 to i64
  %shl = arith.shli %wide, %wide : i64
  %narrow = arith.trunci %shl : i64 to i32
  // CHECK: llvm.intr.smax
  %mx = arith.maxsi %narrow, %n : i32
  // CHECK: %[[WL:.+]] = llvm.zext %{{.+}} : i32 to i64
  // CHECK: %[[WR:.+]] = llvm.zext %[[N]] : i32 to i64
  // CHECK: %[[PROD:.+]] = llvm.mul %[[WL]], %[[WR]] : i64
  // CHECK: %[[HIGH:.+]] = llvm.lshr %[[PROD]]
  // CHECK: llvm.trunc %[[HIGH]] : i64 to i32
  %h = hk.mulhi %mx, %n : i32
  // CHECK: llvm.ptrtoint %[[P]] : !llvm.ptr<1> to i64
  %a = hk.ptr_to_int %p : !hk.ptr<i32> -> i64
  // CHECK: %[[Q:.+]] = llvm.inttoptr %{{.+}} : i64 to !llvm.ptr<1>
  %q = hk.int_to_ptr %a : i64 -> !hk.ptr<i8>
  %w = hk.ptr_cast %q : !hk.ptr<i8> -> !hk.ptr<i32>
  // CHECK: llvm.getelementptr %[[Q]][%{{.+}}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  %e = hk.addptr %w, %h : !hk.ptr<i32>, i32
  // CHECK: llvm.icmp "ule"
  %c = arith.cmpi ule, %h, %n : i32
  hk.store %e, %h, mask %c : !hk.ptr<i32>, i32
  return
}
}

// -----

#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [1], order = [0]>

module attributes {hk.target = "sm_80", hk.num_warps = 1 : i32} {
// A value that is uniform over all registers is computed once.
// CHECK-LABEL: llvm.func @uniform
func.func public @uniform(%p: !hk.ptr<f32>, %x: f32, %c: i1) attributes {hk.kernel} {
  %i = hk.arange 0 to 128 : tensor<128xi32, #b>
  %s = hk.splat %x : f32 -> tensor<128xf32, #b>
  // CHECK: llvm.fmul
  // CHECK-NOT: llvm.fmul
  %m = arith.mulf %s, %s : tensor<128xf32, #b>
  // A select may have one scalar condition for the whole tensor.
  // CHECK: llvm.select
  // CHECK-NOT: llvm.select
  %v = arith.select %c, %m, %s : tensor<128xf32, #b>
  %ps = hk.splat %p : !hk.ptr<f32> -> tensor<128x!hk.ptr<f32>, #b>
  %pi = hk.addptr %ps, %i : tensor<128x!hk.ptr<f32>, #b>, tensor<128xi32, #b>
  hk.store %pi, %v : tensor<128x!hk.ptr<f32>, #b>, tensor<128xf32, #b>
  return
}
}

// -----

#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [1], order = [0]>

module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32} {
// Four registers with one divisor share its reciprocal, unless the quotient must be rounded to nearest.
// CHECK-LABEL: llvm.func @divide_by_splat
func.func public @divide_by_splat(%p: !hk.ptr<f32>, %s: f32) attributes {hk.kernel} {
  %i = hk.arange 0 to 128 : tensor<128xi32, #b>
  %f = arith.sitofp %i : tensor<128xi32, #b> to tensor<128xf32, #b>
  %d = hk.splat %s : f32 -> tensor<128xf32, #b>
  // CHECK: %[[SCALED:.+]] = llvm.fmul %{{.+}}, %[[SCALE:.+]] : f32
  // CHECK: %[[R:.+]] = llvm.fdiv %{{.+}}, %[[SCALED]] {fastmathFlags = #llvm.fastmath<arcp>}
  // CHECK-NOT: llvm.fdiv
  // CHECK-COUNT-4: llvm.fmul %{{.+}}, %[[R]]
  %q = arith.divf %f, %d : tensor<128xf32, #b>
  // CHECK-COUNT-4: llvm.fdiv
  %n = arith.divf %f, %d {hk.round_nearest} : tensor<128xf32, #b>
  // CHECK-NOT: llvm.fdiv
  %ps = hk.splat %p : !hk.ptr<f32> -> tensor<128x!hk.ptr<f32>, #b>
  %pi = hk.addptr %ps, %i : tensor<128x!hk.ptr<f32>, #b>, tensor<128xi32, #b>
  hk.store %pi, %q : tensor<128x!hk.ptr<f32>, #b>, tensor<128xf32, #b>
  hk.store %pi, %n : tensor<128x!hk.ptr<f32>, #b>, tensor<128xf32, #b>
  return
}
}
