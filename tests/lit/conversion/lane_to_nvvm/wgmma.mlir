// RUN: hocket-opt %s --hocket-convert-lane-to-nvvm | FileCheck %s

// Accumulators are outputs with tied inputs; the predicate (scale-d) says whether the inputs are added.
// CHECK-LABEL: llvm.func @shared
llvm.func @shared(%a: i64, %b: i64, %f: f32, %use: i1) -> f32 {
  // Four accumulators start with this one value, so it stays an output.
  // CHECK: llvm.inline_asm has_side_effects "{\0A\09.reg .pred p;\0A\09wgmma.fence.sync.aligned;\0A\09}", "=f,0" %{{.+}} : (f32) -> f32
  %c = lane.wgmma_fence %f : f32
  // wgmmas that continue each other's accumulators become one block of inline PTX.
  // CHECK: %[[USE:.+]] = llvm.zext %{{.+}} : i1 to i32
  // CHECK: llvm.inline_asm has_side_effects "{\0A\09.reg .pred p;\0A\09setp.ne.b32 p, 1, 0;\0A\09wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $8, $9, p, 1, 1, 0, 1;\0A\09setp.ne.b32 p, $12, 0;\0A\09wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {$0, $1, $2, $3}, $10, $11, p, 1, 1;\0A\09}", "=f,=f,=f,=f,0,1,2,3,l,l,l,l,r" %{{.+}}, %[[USE]] : (f32, f32, f32, f32, i64, i64, i64, i64, i32) -> !llvm.struct<(f32, f32, f32, f32)>
  %d:4 = lane.wgmma "m64n8k16.f32.f16.f16"[%a], %b into %c, %c, %c, %c {transposedB} : (i64), (f32, f32, f32, f32)
  %next = llvm.add %b, %a : i64
  %e:4 = lane.wgmma "m64n8k8.f32.tf32.tf32"[%a], %next into %d#0, %d#1, %d#2, %d#3 use_acc %use : (i64), (f32, f32, f32, f32)
  // CHECK: llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 1;", "=f,0" %{{.+}} : (f32) -> f32
  %w = lane.wgmma_wait %e#0 {outstanding = 1 : i32} : f32
  // A wait that leaves everything in flight only marks where the value is read.
  // CHECK: %[[READ:.+]] = llvm.inline_asm has_side_effects "", "=f,0" %{{.+}} : (f32) -> f32
  // CHECK: llvm.return %[[READ]]
  %r = lane.wgmma_wait %w {outstanding = 2147483647 : i32} : f32
  llvm.return %r : f32
}

// CHECK-LABEL: llvm.func @registers
llvm.func @registers(%a: i32, %b: i64, %f: f32, %s: i32) {
  // Two wgmmas with separate accumulators.
  // CHECK: wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, {$16, $17, $18, $19}, $20, p, 1, 1, 0;
  %d:4 = lane.wgmma "m64n8k16.f32.bf16.bf16"[%a, %a, %a, %a], %b into %f, %f, %f, %f {fenced} : (i32, i32, i32, i32), (f32, f32, f32, f32)
  // Integers are signless.
  // CHECK-SAME: wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8 {$4, $5, $6, $7}, {$21, $22, $23, $24}, $25, p;
  // CHECK-SAME: "=f,=f,=f,=f,=r,=r,=r,=r,0,1,2,3,4,5,6,7,r,r,r,r,l,r,r,r,r,l"
  %e:4 = lane.wgmma "m64n8k32.s32.s8.u8"[%a, %a, %a, %a], %b into %s, %s, %s, %s : (i32, i32, i32, i32), (i32, i32, i32, i32)
  // CHECK: llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 0;", "" : () -> ()
  lane.wgmma_wait {outstanding = 0 : i32}
  llvm.return
}

// CHECK-LABEL: llvm.func @apart
llvm.func @apart(%a: i64, %b: i64, %f: f32, %at: !llvm.ptr<3>) {
  // The fence, and the wgmma that continues with all its results.
  // CHECK: wgmma.fence.sync.aligned;\0A\09setp
  // CHECK-SAME: "=f,=f,=f,=f,0,1,2,3,l,l"
  %c:4 = lane.wgmma_fence %f, %f, %f, %f : f32, f32, f32, f32
  %d:4 = lane.wgmma "m64n8k16.f32.f16.f16"[%a], %b into %c#0, %c#1, %c#2, %c#3 : (i64), (f32, f32, f32, f32)
  // Operations with side effects stay between wgmmas.
  // CHECK: llvm.store
  llvm.store %f, %at : f32, !llvm.ptr<3>
  // CHECK: wgmma.mma_async
  %e:4 = lane.wgmma "m64n8k16.f32.f16.f16"[%a], %b into %d#0, %d#1, %d#2, %d#3 : (i64), (f32, f32, f32, f32)
  llvm.return
}

// The wgmmas of one group follow one fence.
// CHECK-LABEL: llvm.func @one_fence
// CHECK: wgmma.fence.sync.aligned;\0A\09setp
// CHECK-SAME: {$0, $1, $2, $3}, $16, $17, p
// CHECK-NOT: wgmma.fence
// CHECK-SAME: {$4, $5, $6, $7}, $18, $19, p
// CHECK: nvvm.wgmma.commit.group
// CHECK: wgmma.fence.sync.aligned;\0A\09setp
llvm.func @one_fence(%a: i64, %b: i64, %f: f32) {
  %c:4 = lane.wgmma_fence %f, %f, %f, %f : f32, f32, f32, f32
  %d:4 = lane.wgmma "m64n8k16.f32.f16.f16"[%a], %b into %c#0, %c#1, %c#2, %c#3 : (i64), (f32, f32, f32, f32)
  %g:4 = lane.wgmma_fence %f, %f, %f, %f : f32, f32, f32, f32
  %h:4 = lane.wgmma "m64n8k16.f32.f16.f16"[%a], %b into %g#0, %g#1, %g#2, %g#3 : (i64), (f32, f32, f32, f32)
  nvvm.wgmma.commit.group.sync.aligned
  %i:4 = lane.wgmma_fence %h#0, %h#1, %h#2, %h#3 : f32, f32, f32, f32
  %j:4 = lane.wgmma "m64n8k16.f32.f16.f16"[%a], %b into %i#0, %i#1, %i#2, %i#3 : (i64), (f32, f32, f32, f32)
  llvm.return
}

// wgmmas of another shape continue the accumulators after a fence of their own.
// CHECK-LABEL: llvm.func @other_shape
// CHECK: m64n8k16.f32.f16.f16
// CHECK-SAME: wgmma.fence.sync.aligned;\0A\09setp
// CHECK-SAME: m64n8k8.f32.tf32.tf32
llvm.func @other_shape(%a: i64, %b: i64, %f: f32) {
  %c:4 = lane.wgmma_fence %f, %f, %f, %f : f32, f32, f32, f32
  %d:4 = lane.wgmma "m64n8k16.f32.f16.f16"[%a], %b into %c#0, %c#1, %c#2, %c#3 : (i64), (f32, f32, f32, f32)
  %g:4 = lane.wgmma_fence %d#0, %d#1, %d#2, %d#3 : f32, f32, f32, f32
  %h:4 = lane.wgmma "m64n8k8.f32.tf32.tf32"[%a], %b into %g#0, %g#1, %g#2, %g#3 : (i64), (f32, f32, f32, f32)
  llvm.return
}
