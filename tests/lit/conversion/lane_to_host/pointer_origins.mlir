// RUN: hocket-opt %s --split-input-file --hocket-convert-lane-to-host | FileCheck %s

// A pointer that is advanced in a loop keeps its parameter, also as part of a struct.
// CHECK: hocket.sites = [{argument = 1 : i32, bytes = 4 : i32, kind = "read"
module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32} {
llvm.func @moves(%n: i32, %x: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %one = llvm.mlir.constant(1 : i32) : i32
  %empty = llvm.mlir.undef : !llvm.struct<(i32, ptr<1>)>
  %a = llvm.insertvalue %n, %empty[0] : !llvm.struct<(i32, ptr<1>)>
  %b = llvm.insertvalue %x, %a[1] : !llvm.struct<(i32, ptr<1>)>
  llvm.br ^loop(%b : !llvm.struct<(i32, ptr<1>)>)
^loop(%s: !llvm.struct<(i32, ptr<1>)>):
  %i = llvm.extractvalue %s[0] : !llvm.struct<(i32, ptr<1>)>
  %p = llvm.extractvalue %s[1] : !llvm.struct<(i32, ptr<1>)>
  %v = lane.load %p : !llvm.ptr<1> -> f32
  %next = llvm.getelementptr %p[32] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
  %left = llvm.sub %i, %one : i32
  %c = llvm.insertvalue %left, %s[0] : !llvm.struct<(i32, ptr<1>)>
  %d = llvm.insertvalue %next, %c[1] : !llvm.struct<(i32, ptr<1>)>
  %more = llvm.icmp "sgt" %left, %one : i32
  llvm.cond_br %more, ^loop(%d : !llvm.struct<(i32, ptr<1>)>), ^end
^end:
  llvm.return
}
}

// -----

// One of two parameters: the emulator searches all arrays.
// CHECK: hocket.sites = [{bytes = 4 : i32, kind = "read"
module attributes {hk.target = "sm_90a", hk.num_warps = 1 : i32} {
llvm.func @either(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %c: i1) attributes {nvvm.kernel} {
  %p = llvm.select %c, %x, %y : i1, !llvm.ptr<1>
  %v = lane.load %p : !llvm.ptr<1> -> f32
  llvm.return
}
}
