// RUN: hocket-opt %s --hocket-convert-lane-to-host | FileCheck %s

// The array is known by the pointer that the resource was made of; words of 4 bytes are all the alignment needed.
// CHECK: {alignment = 4 : i32, argument = 0 : i32, bytes = 8 : i32, kind = "read"
// CHECK-SAME: {argument = 1 : i32, bytes = 2 : i32, kind = "write"
// CHECK-SAME: {argument = 0 : i32, bytes = 4 : i32, kind = "atomic"
module attributes {hk.target = "gfx942", hk.num_warps = 1 : i32} {
// CHECK: llvm.func @hocket_emulated_kernel(%[[LANE:.*]]: !llvm.ptr, %[[SLOTS:.*]]: !llvm.ptr)
// CHECK-NOT: rocdl
llvm.func @buffers(%x: !llvm.ptr<1>, %out: !llvm.ptr<1>, %offset: i32, %scalar: i32, %h: f16) attributes {rocdl.kernel} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %stride = llvm.mlir.constant(0 : i16) : i16
  // CHECK: %[[RECORDS:.*]] = llvm.mlir.constant(100 : i64)
  %records = llvm.mlir.constant(100 : i64) : i64
  %rx = rocdl.make.buffer.rsrc %x, %stride, %records, %zero : !llvm.ptr<1> to !llvm.ptr<8>
  %rout = rocdl.make.buffer.rsrc %out, %stride, %records, %zero : !llvm.ptr<1> to !llvm.ptr<8>
  // CHECK: %[[OFFSET:.*]] = llvm.zext
  // CHECK: %[[END:.*]] = llvm.add %[[OFFSET]]
  // CHECK: %[[INSIDE:.*]] = llvm.icmp "ule" %[[END]], %[[RECORDS]]
  // CHECK: %[[SCALAR:.*]] = llvm.zext
  // CHECK: %[[DISTANCE:.*]] = llvm.add %[[OFFSET]], %[[SCALAR]]
  // CHECK: %[[P:.*]] = llvm.getelementptr %{{.*}}[%[[DISTANCE]]]
  // CHECK: %[[Q:.*]] = llvm.call @hocket_emulator_global(%[[LANE]], %[[P]], %{{.*}}, %[[INSIDE]])
  // CHECK: %[[READ:.*]] = llvm.load %[[Q]] {alignment = 4 : i64}
  // CHECK: %[[ZERO:.*]] = llvm.mlir.zero : vector<2xi32>
  // CHECK: llvm.select %[[INSIDE]], %[[READ]], %[[ZERO]]
  %v = rocdl.raw.ptr.buffer.load %rx, %offset, %scalar, %zero : vector<2xi32>
  // CHECK: %[[Q:.*]] = llvm.call @hocket_emulator_global
  // CHECK: llvm.store %{{.*}}, %[[Q]] {alignment = 2 : i64} : f16
  rocdl.raw.ptr.buffer.store %h, %rout, %offset, %zero, %zero : f16
  // CHECK: %[[Q:.*]] = llvm.call @hocket_emulator_global
  // CHECK: llvm.atomicrmw umax %[[Q]], %{{.*}} monotonic
  %old = llvm.call_intrinsic "llvm.amdgcn.raw.ptr.buffer.atomic.umax"(%scalar, %rx, %offset, %zero, %zero) : (i32, !llvm.ptr<8>, i32, i32, i32) -> i32
  llvm.return
}
}
