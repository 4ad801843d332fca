// RUN: hocket-opt %s --hocket-pack-carried | FileCheck %s

// Values of 16 bits are packed in pairs; wider ones, and those without a neighbor of their type, are passed alone.
// CHECK-LABEL: llvm.func @loop
// CHECK: %[[LOW:.*]] = llvm.insertelement %arg0
// CHECK: %[[PAIR:.*]] = llvm.insertelement %arg1, %[[LOW]]
// CHECK: llvm.br ^[[LOOP:.*]](%[[PAIR]], %arg2, %arg3 : vector<2xf16>, f16, f32)
// CHECK: ^[[LOOP]](%[[CARRIED:.*]]: vector<2xf16>, %[[ALONE:.*]]: f16, %[[WIDE:.*]]: f32):
// CHECK-DAG: %[[X:.*]] = llvm.extractelement %[[CARRIED]][%{{.*}}0
// CHECK-DAG: %[[Y:.*]] = llvm.extractelement %[[CARRIED]]
// CHECK: llvm.cond_br %arg4, ^[[LOOP]](%{{.*}}, %[[ALONE]], %[[WIDE]] : vector<2xf16>, f16, f32), ^[[END:.*]](%{{.*}} : vector<2xf16>)
// CHECK: ^[[END]](%{{.*}}: vector<2xf16>):
llvm.func @loop(%a: f16, %b: f16, %c: f16, %d: f32, %more: i1) -> f16 {
  llvm.br ^loop(%a, %b, %c, %d : f16, f16, f16, f32)
^loop(%x: f16, %y: f16, %z: f16, %w: f32):
  llvm.cond_br %more, ^loop(%y, %x, %z, %w : f16, f16, f16, f32), ^end(%x, %y : f16, f16)
^end(%p: f16, %q: f16):
  %sum = llvm.fadd %p, %q : f16
  llvm.return %sum : f16
}

// Both edges of the branch lead to one block.
// CHECK-LABEL: llvm.func @both_ways
// CHECK: llvm.cond_br %arg2, ^[[END:.*]](%{{.*}} : vector<2xi16>), ^[[END]](%{{.*}} : vector<2xi16>)
llvm.func @both_ways(%a: i16, %b: i16, %c: i1) -> i16 {
  llvm.cond_br %c, ^end(%a, %b : i16, i16), ^end(%b, %a : i16, i16)
^end(%x: i16, %y: i16):
  llvm.return %x : i16
}

// Values of different types are not packed.
// CHECK-LABEL: llvm.func @mixed
// CHECK: llvm.br ^{{.*}}(%arg0, %arg1 : f16, bf16)
llvm.func @mixed(%a: f16, %b: bf16) -> f16 {
  llvm.br ^end(%a, %b : f16, bf16)
^end(%x: f16, %y: bf16):
  llvm.return %x : f16
}
