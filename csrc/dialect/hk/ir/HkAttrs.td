// Attributes: layouts (the encodings of tensors and memory descriptors), memory spaces, implicit arguments, cache
// policies, partitions.
#ifndef HOCKET_DIALECT_HK_IR_HKATTRS_TD
#define HOCKET_DIALECT_HK_IR_HKATTRS_TD

include "dialect/hk/ir/HkEnums.td"
include "dialect/hk/ir/ModuleAttrs.td"
include "dialect/hk/facts/MemorySpaces.td"
include "dialect/hk/layouts/HkLayoutInterfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/TensorEncoding.td"

// A layout of any dialect. `alias` is the layout's name at the top of a module (`#blocked = ...`); without an alias,
// long layouts would fill every line. Short layouts such as slices have no alias and are printed inline.
class HK_LayoutAttr<Dialect dialect, string name, string attrMnemonic, string alias, list<Trait> traits>
    : AttrDef<dialect, name, !listconcat(traits, !if(!empty(alias), []<Trait>, [OpAsmAttrInterface]))> {
  let mnemonic = attrMnemonic;
  code declareAlias = !if(!empty(alias), "", [{
    ::mlir::OpAsmAliasResult getAlias(::llvm::raw_ostream &os) const {
      os << "}] # alias # [{";
      return ::mlir::OpAsmAliasResult::FinalAlias;
    }
  }]);
  let extraClassDeclaration = declareAlias;
}

class HK_DistributedAttr<string name, string attrMnemonic, string alias = "", list<string> ownViews = [],
                         list<Trait> traits = [], Dialect dialect = Hk_Dialect>
    : HK_LayoutAttr<dialect, name, attrMnemonic, alias,
                    !listconcat([DeclareAttrInterfaceMethods<HK_DistributedLayout, ownViews>,
                                 DeclareAttrInterfaceMethods<VerifiableTensorEncoding>], traits)>;
class HK_SharedAttr<string name, string attrMnemonic, string alias, list<string> overridden = [],
                    Dialect dialect = Hk_Dialect>
    : HK_LayoutAttr<dialect, name, attrMnemonic, alias, [DeclareAttrInterfaceMethods<HK_SharedLayout, overridden>]>;

// A parameter that is stored by value: a few short rows, compared and hashed by content
// (dialect/hk/layouts/BasisRows.h).
def HK_BasisRows : AttrParameter<"::hocket::hk::BasisRows", "coordinates, one row per bit of the index",
                                 "const ::hocket::hk::BasisRows &">;

// The parameter `block` of a layout that may split a tile among the blocks of a cluster. The layout's other parameters
// describe the part of the tile that one block holds. Row i is the position, counted in parts, that bit i of the
// block's rank in its cluster contributes. A row of zeros means that blocks which differ in this bit hold copies.
// Without `block`, each block holds the whole tile.
def HK_ClusterRows : AttrParameter<"::hocket::hk::BasisRows", "positions of a cluster's blocks, one row per bit",
                                   "const ::hocket::hk::BasisRows &"> {
  let defaultValue = "::hocket::hk::BasisRows()";
}

def HK_BlockedAttr : HK_DistributedAttr<"Blocked", "blocked", "blocked", ["tryExpandDims", "tryPermute"],
                                        [DeclareAttrInterfaceMethods<HK_AccumulatorLayout>]> {
  let summary = "registers x lanes x warps tiled over the tensor";
  let description = [{
    Each lane holds a box of `size_per_thread` elements. The boxes of a warp's lanes form a grid of `threads_per_warp`
    boxes, and the grids of all warps form a grid of `warps_per_cta`. At each level, dimension `order[0]` is the
    fastest. A smaller tensor is replicated over lanes and warps. Over a larger tensor, the layout repeats, with more
    registers in each lane.

    C1: the four arrays have the same length (the rank), from 1 to 5.
    C2: all sizes are powers of two.
    C3: `order` is a permutation of 0..rank-1.
    C4: rows of `block` have one entry for each dimension. A row has at most one nonzero entry; along each dimension,
        the nonzero entries are 1, 2, 4, ... in this order.

    ```mlir
    #hk.blocked<size_per_thread = [1, 4], threads_per_warp = [4, 8], warps_per_cta = [4, 1], order = [1, 0]>
    #hk.blocked<size_per_thread = [4], threads_per_warp = [32], warps_per_cta = [4], order = [0], block = [[1], [2]]>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$sizePerThread, ArrayRefParameter<"int64_t">:$threadsPerWarp,
    ArrayRefParameter<"int64_t">:$warpsPerCta, ArrayRefParameter<"int64_t">:$order, HK_ClusterRows:$block);
  let assemblyFormat = [{
    `<` `size_per_thread` `=` `[` $sizePerThread `]` `,` `threads_per_warp` `=` `[` $threadsPerWarp `]` `,`
    `warps_per_cta` `=` `[` $warpsPerCta `]` `,` `order` `=` `[` $order `]` (`,` `block` `=` $block^)? `>`
  }];
  let genVerifyDecl = 1;
}

def HK_SliceAttr : HK_DistributedAttr<"Slice", "slice", "", ["tryExpandDims", "tryPermute"]> {
  let summary = "a parent layout with one dimension removed";
  let description = [{
    The parent's layout without dimension `dim`. Lanes and warps that differ only in their coordinate along `dim` hold
    copies.

    C1: `parent` is a distributed layout.
    C2: `dim` is less than the parent's rank, which is at least 2.

    ```mlir
    #hk.slice<dim = 1, parent = #blocked>
    ```
  }];
  let parameters = (ins "int64_t":$dim, "::mlir::Attribute":$parent);
  let assemblyFormat = "`<` `dim` `=` $dim `,` `parent` `=` $parent `>`";
  let genVerifyDecl = 1;
}

def HK_LinearAttr : HK_DistributedAttr<"Linear", "linear", "linear"> {
  let summary = "a distributed layout given by its bases";
  let description = [{
    Row i of `reg`, `lane`, `warp` and `block` is the tensor coordinate that bit i of that index contributes by XOR.
    `shape` is the tile that the rows fill. As with Blocked, a tensor smaller than `shape` is replicated over lanes and
    warps. Over a larger tensor, the layout repeats, along the last dimension first, with more registers in each lane.

    C1: `shape` holds powers of two, and every row has one entry per dimension of `shape`.
    C2: every entry is a coordinate of `shape`: at least 0 and less than the dimension.
    C3: each element of the tile is in at least one register (the map is surjective).

    Rows that are zero, or that are the XOR of other rows, mean copies: several registers, lanes or warps hold the same
    element.

    ```mlir
    #hk.linear<reg = [[0, 1]], lane = [[0, 2], [1, 0]], warp = [], block = [], shape = [2, 4]>
    ```
  }];
  let parameters = (ins
    HK_BasisRows:$reg, HK_BasisRows:$lane, HK_BasisRows:$warp,
    HK_BasisRows:$block, ArrayRefParameter<"int64_t">:$shape);
  let assemblyFormat = [{
    `<` `reg` `=` $reg `,` `lane` `=` $lane `,`
    `warp` `=` $warp `,` `block` `=` $block `,`
    `shape` `=` `[` $shape `]` `>`
  }];
  let genVerifyDecl = 1;
}

def HK_DotOperandAttr : HK_DistributedAttr<"DotOperand", "dot_operand"> {
  let summary = "an operand of a dot whose accumulator has the parent layout";
  let description = [{
    With a Blocked parent (dot_fma), each lane holds all elements along K of the rows (`op_idx` 0) or columns (`op_idx`
    1) of its accumulator elements.

    With an accumulator layout of a matrix unit as parent, the layout is the operand layout of the unit's instructions,
    with `k_width` consecutive elements along K in each lane.

    C1: `op_idx` is 0 or 1.
    C2: `parent` is a layout that accumulators can have (Blocked, or an accumulator layout of a matrix unit), of rank 2
      or 3.
    C3: `k_width` is 0 for a Blocked parent, and a value that the matrix unit supports for any other parent.

    ```mlir
    #hk.dot_operand<op_idx = 0, parent = #blocked>
    ```
  }];
  let parameters = (ins "int64_t":$opIdx, "::mlir::Attribute":$parent, DefaultValuedParameter<"int64_t", "0">:$kWidth);
  let assemblyFormat = "`<` `op_idx` `=` $opIdx `,` `parent` `=` $parent (`,` `k_width` `=` $kWidth^)? `>`";
  let genVerifyDecl = 1;
}

def HK_AutoAttr : HK_LayoutAttr<Hk_Dialect, "Auto", "auto", "", [DeclareAttrInterfaceMethods<HK_UndecidedLayout>,
                                                                 DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "a distributed layout that a pass will choose";
  let description = [{
    A placeholder for tensors of any rank, until a pass has chosen a layout that fits the tensor's uses. In verifiers,
    an undecided layout matches any other layout. `hocket-require-decided-layouts` rejects layouts that remain
    undecided.

    ```mlir
    %i = hk.arange 0 to 128 : tensor<128xi32, #hk.auto>
    ```
  }];
}

def HK_CoalescedAttr : HK_LayoutAttr<Hk_Dialect, "Coalesced", "coalesced", "", [DeclareAttrInterfaceMethods<HK_UndecidedLayout>,
                                                                 DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "a distributed layout for coalesced global memory accesses that a pass will choose";
  let description = [{
    Like #hk.auto, except that `hocket-decide-layouts` does not derive the layout from the tensor's uses. Connected
    tensors with this layout get the blocked layout that makes their first global memory access coalesced. A use that
    needs another layout gets a conversion.

    ```mlir
    %i = hk.arange 0 to 128 : tensor<128xi32, #hk.coalesced>
    ```
  }];
}

def HK_SwizzledSharedAttr : HK_SharedAttr<"SwizzledShared", "swizzled_shared", "shared"> {
  let summary = "row-major shared memory whose vectors are XOR-swizzled";
  let description = [{
    Elements are stored in `order` (order[0] fastest). Within a row, the vector of `vec` elements at index v is stored
    at v XOR ((row / `per_phase`) mod `max_phase`). With `max_phase = 1`, the layout is not swizzled.

    C1: `vec`, `per_phase` and `max_phase` are powers of two.
    C2: `order` is a permutation of 0..rank-1.
    C3: `block` is as in `#hk.blocked`.

    ```mlir
    #hk.swizzled_shared<vec = 8, per_phase = 1, max_phase = 8, order = [1, 0]>
    ```
  }];
  let parameters = (ins "int64_t":$vec, "int64_t":$perPhase, "int64_t":$maxPhase, ArrayRefParameter<"int64_t">:$order,
    HK_ClusterRows:$block);
  let assemblyFormat = [{
    `<` `vec` `=` $vec `,` `per_phase` `=` $perPhase `,` `max_phase` `=` $maxPhase `,` `order` `=` `[` $order `]`
    (`,` `block` `=` $block^)? `>`
  }];
  let genVerifyDecl = 1;
}

def HK_PaddedSharedAttr : HK_SharedAttr<"PaddedShared", "padded_shared", "padded", ["getPaddings", "whyNotTile"]> {
  let summary = "a linear shared layout with unused elements after each interval";
  let description = [{
    Row i of `offset` is the coordinate that bit i of the element offset contributes by XOR. Padding then increases the
    offset o by (o / interval) * padding for each pair of an interval and a padding.

    C1: `intervals` and `paddings` have the same length, at least 1, and hold powers of two; intervals are distinct.
    C2: `shape` holds powers of two; `block` is as in `#hk.blocked`.
    C3: rows of `offset` are coordinates of one block's part of `shape`, and give each element of the part one offset.

    ```mlir
    #hk.padded_shared<intervals = [4], paddings = [2], offset = [[0, 1], [0, 2], [1, 0]], block = [], shape = [2, 4]>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$intervals, ArrayRefParameter<"int64_t">:$paddingSizes,
    HK_BasisRows:$offset, HK_BasisRows:$block, ArrayRefParameter<"int64_t">:$shape);
  let assemblyFormat = [{
    `<` `intervals` `=` `[` $intervals `]` `,` `paddings` `=` `[` $paddingSizes `]` `,`
    `offset` `=` $offset `,` `block` `=` $block `,` `shape` `=` `[` $shape `]` `>`
  }];
  let genVerifyDecl = 1;
}

def HK_SharedLinearAttr : HK_SharedAttr<"SharedLinear", "shared_linear", "shared_linear", ["whyNotTile"]> {
  let summary = "a shared layout given by its bases";
  let description = [{
    Row i of `offset` is the coordinate that bit i of the element offset contributes by XOR; row i of `block` is the
    coordinate that bit i of the block's rank in its cluster contributes. The rows span the shape of the tile.
    `alignment` is in bytes.

    C1: there are 1 to 5 dimensions; every row has one nonnegative entry per dimension.
    C2: without the rows of zeros in `block`, which mean copies, the map is a bijection onto the tile.
    C3: `alignment` is a power of two.

    ```mlir
    #hk.shared_linear<offset = [[0, 1], [0, 2], [1, 1]], block = [], alignment = 16>
    ```
  }];
  let parameters = (ins HK_BasisRows:$offset, HK_BasisRows:$block, "int64_t":$alignment);
  let assemblyFormat = [{
    `<` `offset` `=` $offset `,` `block` `=` $block `,` `alignment` `=` $alignment `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Shape of the tile that the layout describes.
    ::llvm::SmallVector<int64_t> getShape() const;
  }] # declareAlias;
}

def HK_SharedSpaceAttr : AttrDef<Hk_Dialect, "SharedSpace", [DeclareAttrInterfaceMethods<HK_MemorySpace>]> {
  let mnemonic = "shared_space";
  let summary = "shared memory of the block, the default memory space";
  let description = [{
    `hk.barrier` orders accesses of shared memory by different warps.

    ```mlir
    #hk.shared_space
    ```
  }];
}

def HK_ImplicitAttr : AttrDef<Hk_Dialect, "Implicit"> {
  let mnemonic = "implicit";
  let summary = "an argument of a kernel that the runtime passes, not the caller";
  let description = [{
    `scratch`: the address of global memory that belongs to one launch. The contents of scratch memory are undefined
    when the launch begins. The size of scratch memory is `bytes_per_launch`, plus `bytes_per_block` for each block, or
    for each cluster in a launch with clusters. The pass that appends the argument defines how the memory is divided.

    `messages`: the address of memory that the host reads when the launch has ended, in the format of
    `support/MessageBuffer.h`.

    C1: `bytes_per_launch` and `bytes_per_block` are not negative.

    ```mlir
    func.func @kernel(%x: !hk.ptr<f32>, %s: !hk.ptr<i8> {hk.implicit =
      #hk.implicit<scratch, bytes_per_launch = 64, bytes_per_block = 4096>}) attributes {hk.kernel} {
    ```
  }];
  let parameters = (ins EnumParameter<HK_ImplicitKind>:$kind, "int64_t":$bytesPerLaunch, "int64_t":$bytesPerBlock);
  let assemblyFormat = [{
    `<` $kind `,` `bytes_per_launch` `=` $bytesPerLaunch `,` `bytes_per_block` `=` $bytesPerBlock `>`
  }];
  let genVerifyDecl = 1;
}

def HK_EvictionParameter : EnumParameter<HK_EvictionPolicy> {
  let defaultValue = "::hocket::hk::EvictionPolicy::None";
}

def HK_CachePolicyAttr : AttrDef<Hk_Dialect, "CachePolicy"> {
  let mnemonic = "cache_policy";
  let summary = "cache eviction priorities and prefetch size of a global memory access";
  let description = [{
    The policy is a hint, which does not change results. `l1` is the priority in the L1 cache; it has no effect together
    with a cache modifier, which selects the caches of the access. In the L2 cache, the fraction `fraction` of the
    accesses (by default all) has the priority `l2`, and the other accesses have `secondary`. `prefetch` is the number
    of bytes around a read that the L2 should fetch. A GPU ignores hints that it does not support.

    C1: `l2` is not no_allocate; only `l1` can be.
    C2: `secondary` is none, evict_first or evict_unchanged.
    C3: `fraction` is above 0, at most 1.
    C4: `prefetch` is 0, 64, 128 or 256.

    ```mlir
    #hk.cache_policy<l1 = no_allocate, l2 = evict_last, fraction = 5.0e-01 : f32, secondary = evict_first, prefetch = 128>
    ```
  }];
  let parameters = (ins HK_EvictionParameter:$l1, HK_EvictionParameter:$l2,
    OptionalParameter<"::mlir::FloatAttr">:$fraction, HK_EvictionParameter:$secondary,
    DefaultValuedParameter<"int64_t", "0">:$prefetch);
  let assemblyFormat = "`<` struct(params) `>`";
  let builders = [AttrBuilder<(ins "::hocket::hk::EvictionPolicy":$l1, "::hocket::hk::EvictionPolicy":$l2), [{
    return $_get($_ctxt, l1, l2, ::mlir::FloatAttr(), ::hocket::hk::EvictionPolicy::None, 0);
  }]>];
  let genVerifyDecl = 1;
}

def HK_AccessAttr : AttrDef<Hk_Dialect, "Access"> {
  let mnemonic = "access";
  let summary = "elements that a lane may access as one vector";
  let description = [{
    Attribute `hk.access` of an operation that accesses global memory: a lane may access `width` contiguous elements
    along dimension `dim` as one vector.

    C1: `dim` is not negative, and `width` is at least 2.

    ```mlir
    #hk.access<dim = 0, width = 8>
    ```
  }];
  let parameters = (ins "int32_t":$dim, "int32_t":$width);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def HK_PartitionAttr : AttrDef<Hk_Dialect, "Partition"> {
  let mnemonic = "partition";
  let summary = "the warps that run a function";
  let description = [{
    Attribute `hk.partition` of a function of a warp-specialized kernel. The function runs on `num_warps` consecutive
    warps of the block, beginning with warp `first_warp`. These warps wait for each other at the named barrier
    `barrier`.

    ```mlir
    func.func private @copy(%x: !hk.ptr<f32>) attributes {hk.partition = #hk.partition<first_warp = 4, num_warps = 4,
      barrier = 2>} {
    ```
  }];
  let parameters = (ins "int32_t":$firstWarp, "int32_t":$numWarps, "int32_t":$barrier);
  let assemblyFormat = [{
    `<` `first_warp` `=` $firstWarp `,` `num_warps` `=` $numWarps `,` `barrier` `=` $barrier `>`
  }];
}

#endif
