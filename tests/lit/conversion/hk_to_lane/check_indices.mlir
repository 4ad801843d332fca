// RUN: hocket-opt %s --hocket-check-indices | FileCheck %s

module attributes {hk.target = "gfx950", hk.num_warps = 4 : i32, hk.checks_indices, hk.checks_buffer_offsets} {

// CHECK-LABEL: llvm.func @product
llvm.func @product(%x: !llvm.ptr<1>, %row: i32, %stride: i32, %mask: i1) {
  // CHECK: %[[INDEX:.+]] = llvm.mul %arg1, %arg2 : i32
  // CHECK: %[[WIDE:.+]] = llvm.mul %{{.+}}, %{{.+}} : i64
  %i = llvm.mul %row, %stride : i32
  %p = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  // CHECK: %[[NARROW:.+]] = llvm.sext %[[INDEX]] : i32 to i64
  // CHECK: %[[WRONG:.+]] = llvm.icmp "ne" %[[WIDE]], %[[NARROW]] : i64
  // CHECK: %[[MADE:.+]] = llvm.and %[[WRONG]], %arg3 : i1
  // CHECK: %[[FITS:.+]] = llvm.xor %[[MADE]], %{{.+}} : i1
  // CHECK: lane.assert %[[FITS]], "an index overflows 32 bits" index %[[WIDE]]
  %v = lane.load %p, pred %mask : !llvm.ptr<1> -> f32
  // An index is checked once under one predicate.
  // CHECK-NOT: lane.assert
  lane.store %p, %v, pred %mask : !llvm.ptr<1>, f32
  llvm.return
}

// Indices that cannot overflow, and arithmetic that wraps on purpose, are not checked.
// CHECK-LABEL: llvm.func @silent
// CHECK-NOT: lane.assert
llvm.func @silent(%x: !llvm.ptr<1>, %seed: i32) {
  %c3 = llvm.mlir.constant(3 : i32) : i32
  %c63 = llvm.mlir.constant(63 : i32) : i32
  %thread = rocdl.workitem.id.x range <i32, 0, 256> : i32
  %shifted = llvm.shl %thread, %c3 : i32
  %p = llvm.getelementptr %x[%shifted] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %v = lane.load %p : !llvm.ptr<1> -> f32
  %hash = llvm.mul %seed, %seed : i32
  %slot = llvm.and %hash, %c63 : i32
  %q = llvm.getelementptr %x[%slot] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  lane.store %q, %v : !llvm.ptr<1>, f32
  llvm.return
}

// CHECK-LABEL: llvm.func @loop
llvm.func @loop(%x: !llvm.ptr<1>, %stride: i32, %n: i32) {
  %c0 = llvm.mlir.constant(0 : i32) : i32
  // CHECK: llvm.br ^[[LOOP:.+]](%arg0, %{{.+}} : !llvm.ptr<1>, i32, i64
  llvm.br ^loop(%x, %c0 : !llvm.ptr<1>, i32)
// CHECK: ^[[LOOP]](%[[P:.+]]: !llvm.ptr<1>, %[[I:.+]]: i32, %[[CULPRIT:.+]]: i64
^loop(%p: !llvm.ptr<1>, %i: i32):
  // CHECK: lane.assert %{{.+}}, "an index in the address of this access has overflowed 32 bits" index %[[CULPRIT]]
  %v = lane.load %p : !llvm.ptr<1> -> i32
  %twice = llvm.mul %v, %stride : i32
  %q = llvm.getelementptr %p[%twice] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %more = llvm.icmp "slt" %i, %n : i32
  llvm.cond_br %more, ^loop(%q, %v : !llvm.ptr<1>, i32), ^end
^end:
  llvm.return
}

// CHECK-LABEL: llvm.func @buffer
llvm.func @buffer(%x: !llvm.ptr<1>, %i: i32, %mask: i1) {
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c4 = llvm.mlir.constant(4 : i32) : i32
  %stride = llvm.mlir.constant(0 : i16) : i16
  %bytes = llvm.mlir.constant(2147483646 : i64) : i64
  %outside = llvm.mlir.constant(-2147483648 : i32) : i32
  %r = rocdl.make.buffer.rsrc %x, %stride, %bytes, %c0 : <1> to <8>
  %o = llvm.mul %i, %c4 : i32
  %m = llvm.select %mask, %o, %outside : i1, i32
  // CHECK: lane.assert %{{.+}}, "the offset of this buffer access, in bytes, overflows 32 bits" index
  // CHECK: lane.assert %{{.+}}, "the offset of this buffer access, in bytes, is negative" index
  %v = rocdl.raw.ptr.buffer.load %r, %m, %c0, %c0 : f32
  llvm.return
}
}
