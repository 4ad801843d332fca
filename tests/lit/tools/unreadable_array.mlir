// MLIR's parser crashes at an array attribute of numbers without a width.
// RUN: split-file %s %t
// RUN: not hocket-opt %t/index.mlir 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: not hocket-opt %t/alias.mlir 2>&1 | FileCheck %s --check-prefix=ALIAS
// RUN: not hocket-emit %t/index.mlir 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: hocket-opt %t/readable.mlir | FileCheck %s --check-prefix=READABLE

//--- index.mlir
func.func @f() attributes {a = array< // behind a comment
  index: 1>} {
  return
}
// INDEX: index.mlir:1:32: error: MLIR cannot read an array attribute of this type; write integers of a known width, as in array<i64: 1>
// INDEX-NEXT: func.func @f() attributes {a = array<
// INDEX-NEXT: {{^ +\^}}

//--- alias.mlir
!number = index
"test.op"() {a = array<!number>} : () -> ()
// ALIAS: alias.mlir:2:18: error: MLIR cannot read an array attribute of this type

//--- readable.mlir
// array<index: 1>
func.func @f() attributes {a = array<i64: 1>, b = "\"array<index: 1>", array = index} {
  return
}
// READABLE: a = array<i64: 1>, array = index, b = "\22array<index: 1>"
