// MLIR's parser crashes at a struct position such as 2^32, whose lowest 32 bits are the index of a member.
// RUN: split-file %s %t
// RUN: not hocket-opt %t/insert.mlir 2>&1 | FileCheck %s --check-prefix=INSERT
// RUN: not hocket-opt %t/extract.mlir 2>&1 | FileCheck %s --check-prefix=EXTRACT
// RUN: not hocket-opt %t/generic.mlir 2>&1 | FileCheck %s --check-prefix=GENERIC
// RUN: not hocket-opt %t/small.mlir 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: not hocket-opt %t/unfinished.mlir 2>&1 | FileCheck %s --check-prefix=UNFINISHED
// RUN: hocket-opt %t/readable.mlir | FileCheck %s --check-prefix=READABLE

//--- insert.mlir
llvm.func @f(%s: !llvm.struct<(i64, i64)>, %x: i64) {
  %0 = llvm.insertvalue %x, %s[4294967296] : !llvm.struct<(i64, i64)>
  llvm.return
}
// INSERT: insert.mlir:2:31: error: MLIR cannot read a position in a struct that takes more than 32 bits
// INSERT-NEXT: llvm.insertvalue

//--- extract.mlir
llvm.func @f(%s: !llvm.struct<(i64, struct<(i64, i64)>)>) {
  %0 = llvm.extractvalue %s[1, // the inner one
    -4294967295] : !llvm.struct<(i64, struct<(i64, i64)>)>
  llvm.return
}
// EXTRACT: extract.mlir:2:28: error: MLIR cannot read a position in a struct

//--- generic.mlir
llvm.func @f(%s: !llvm.struct<(i64, i64)>) {
  %0 = "llvm.extractvalue"(%s) {position = array<i64: 0x100000001>} : (!llvm.struct<(i64, i64)>) -> i64
  llvm.return
}
// GENERIC: generic.mlir:2:44: error: MLIR cannot read a position in a struct

//--- small.mlir
llvm.func @f(%s: !llvm.struct<(i64, i64)>) {
  %0 = llvm.extractvalue %s[2] : !llvm.struct<(i64, i64)>
  llvm.return
}
// SMALL: small.mlir:{{.*}}error: {{.*}}position out of bounds: 2

//--- unfinished.mlir
module attributes {position = array
// UNFINISHED: unfinished.mlir:{{.*}}error: expected

//--- readable.mlir
llvm.func @f(%s: !llvm.struct<(i64, i64)>) -> i64 {
  %0 = llvm.extractvalue %s[1] {place = [4294967296]} : !llvm.struct<(i64, i64)>
  llvm.return %0 : i64
}
// READABLE: llvm.extractvalue %{{.+}}[1] {place = [4294967296]}
