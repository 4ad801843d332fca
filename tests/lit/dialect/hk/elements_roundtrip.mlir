// RUN: hocket-opt %s --split-input-file | hocket-opt --split-input-file | FileCheck %s

// Scans, gathers, histograms, pairs, functions and assembly for each element.

// CHECK-DAG: #[[B:.+]] = #hk.blocked<size_per_thread = [4]
// CHECK-DAG: #[[P:.+]] = #hk.blocked<size_per_thread = [4, 2]
#b = #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0]>
#p = #hk.blocked<size_per_thread = [4, 2], threads_per_warp = [32, 1], warps_per_cta = [4, 1], order = [1, 0]>

// CHECK-LABEL: @elements
func.func @elements(%x: tensor<512xf32, #b>, %i: tensor<512xi32, #b>, %m: tensor<512xi1, #b>) {
  // CHECK: %{{.+}}:2 = hk.scan %{{.+}}, %{{.+}} axis = 0 {
  // CHECK: } : (tensor<512xf32, #[[B]]>, tensor<512xi32, #[[B]]>) -> (tensor<512xf32, #[[B]]>, tensor<512xi32, #[[B]]>)
  %s:2 = hk.scan %x, %i axis = 0 {
  ^bb0(%a: f32, %j: i32, %c: f32, %k: i32):
    %sum = arith.addf %a, %c : f32
    hk.combine.return %sum, %k : f32, i32
  } : (tensor<512xf32, #b>, tensor<512xi32, #b>) -> (tensor<512xf32, #b>, tensor<512xi32, #b>)
  // CHECK: hk.scan %{{.+}} axis = 0 reverse {
  %r = hk.scan %x axis = 0 reverse {
  ^bb0(%a: f32, %c: f32):
    %sum = arith.addf %a, %c : f32
    hk.combine.return %sum : f32
  } : (tensor<512xf32, #b>) -> tensor<512xf32, #b>
  // CHECK: hk.gather %{{.+}}[%{{.+}}] axis = 0 : tensor<512xf32, #[[B]]>, tensor<512xi32, #[[B]]> -> tensor<512xf32, #[[B]]>
  %g = hk.gather %x[%i] axis = 0 : tensor<512xf32, #b>, tensor<512xi32, #b> -> tensor<512xf32, #b>
  // CHECK: hk.histogram %{{.+}} : tensor<512xi32, #[[B]]> -> tensor<64xi32, #[[B]]>
  %h = hk.histogram %i : tensor<512xi32, #b> -> tensor<64xi32, #b>
  // CHECK: hk.histogram %{{.+}}, %{{.+}} : tensor<512xi32, #[[B]]>, tensor<512xi1, #[[B]]> -> tensor<64xi32, #[[B]]>
  %n = hk.histogram %i, %m : tensor<512xi32, #b>, tensor<512xi1, #b> -> tensor<64xi32, #b>
  // CHECK: hk.join %{{.+}}, %{{.+}} : tensor<512xf32, #[[B]]> -> tensor<512x2xf32, #[[P]]>
  %j = hk.join %x, %g : tensor<512xf32, #b> -> tensor<512x2xf32, #p>
  // CHECK: %{{.+}}, %{{.+}} = hk.split %{{.+}} : tensor<512x2xf32, #[[P]]> -> tensor<512xf32, #[[B]]>
  %u, %v = hk.split %j : tensor<512x2xf32, #p> -> tensor<512xf32, #b>
  // CHECK: %{{.+}}:2 = hk.map %{{.+}} pack = 2 {
  // CHECK: hk.map.return %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} : f32, f32, i1, i1
  %e:2 = hk.map %x pack = 2 {
  ^bb0(%a: f32, %c: f32):
    %less = arith.cmpf olt, %a, %c : f32
    hk.map.return %c, %a, %less, %less : f32, f32, i1, i1
  } : (tensor<512xf32, #b>) -> (tensor<512xf32, #b>, tensor<512xi1, #b>)
  // CHECK: hk.inline_asm "tanh.approx.f32 $0, $1;" "=f,f" %{{.+}} pack = 1 pure : (tensor<512xf32, #[[B]]>) -> tensor<512xf32, #[[B]]>
  %t = hk.inline_asm "tanh.approx.f32 $0, $1;" "=f,f" %x pack = 1 pure : (tensor<512xf32, #b>) -> tensor<512xf32, #b>
  return
}
