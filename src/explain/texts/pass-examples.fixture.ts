/**
 * An input for each pass whose effect `--explain` shows. `show` picks the lines that matter of the IR before and after, by parts of
 * their text; without it all lines of the functions are shown. `npm run update` makes `pass-examples.json` of them.
 */
export interface PassExample {
  /** IR, or a part of a golden file: `ttg/tritongpu-coalesce.mlir#2`. */
  readonly ir: string;
  readonly options?: string;
  /** Passes that run on the IR first: `canonicalize,cse`. */
  readonly first?: string;
  readonly show?: readonly string[];
}

const LAYOUTS = `
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#one = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#four = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#cols = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#wgmma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#swizzled = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#narrow = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
`;
const AMD_LAYOUTS = `
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#mfma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], instrShape = [32, 32, 8], isTransposed = true}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mfma, kWidth = 4}>
#dotB = #ttg.dot_op<{opIdx = 1, parent = #mfma, kWidth = 4}>
#rowsInLds = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
`;
const onAmd = (text: string): string =>
  `${AMD_LAYOUTS}module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {${text}}`;
const AMD_LOOP =
  onAmd(`tt.func @f(%p: tensor<128x32x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 8]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %b: tensor<32x32xf16, #dotB>, %z: tensor<128x32xf32, #mfma>, %n: i32, %one: i32) -> tensor<128x32xf32, #mfma> {
  %r = scf.for %i = %one to %n step %one iter_args(%acc = %z) -> (tensor<128x32xf32, #mfma>) : i32 {
    %x = tt.load %p : tensor<128x32x!tt.ptr<f16>, #blocked>
    %a = ttg.convert_layout %x : tensor<128x32xf16, #blocked> -> tensor<128x32xf16, #dot>
    %d = tt.dot %a, %b, %acc : tensor<128x32xf16, #dot> * tensor<32x32xf16, #dotB> -> tensor<128x32xf32, #mfma>
    scf.yield %d : tensor<128x32xf32, #mfma>
  }
  tt.return %r : tensor<128x32xf32, #mfma>
}`);
const AMD_TILES_LOOP =
  onAmd(`tt.func @f(%p: tensor<128x64x!tt.ptr<f16>, #blocked>, %q: tensor<64x128x!tt.ptr<f16>, #blocked>, %z: tensor<128x128xf32, #mfma>, %x: !ttg.memdesc<128x64xf16, #rowsInLds, #smem, mutable>, %y: !ttg.memdesc<64x128xf16, #rowsInLds, #smem, mutable>, %xs: !ttg.memdesc<1x128x64xf16, #rowsInLds, #smem, mutable>, %ys: !ttg.memdesc<1x64x128xf16, #rowsInLds, #smem, mutable>, %n: i32, %one: i32) -> tensor<128x128xf32, #mfma> {
  %r:3 = scf.for %i = %one to %n step %one iter_args(%acc = %z, %s = %x, %t = %y) -> (tensor<128x128xf32, #mfma>, !ttg.memdesc<128x64xf16, #rowsInLds, #smem, mutable>, !ttg.memdesc<64x128xf16, #rowsInLds, #smem, mutable>) : i32 {
    %v = tt.load %p : tensor<128x64x!tt.ptr<f16>, #blocked>
    %w = tt.load %q : tensor<64x128x!tt.ptr<f16>, #blocked>
    %a = ttg.local_load %s : !ttg.memdesc<128x64xf16, #rowsInLds, #smem, mutable> -> tensor<128x64xf16, #dot>
    %b = ttg.local_load %t : !ttg.memdesc<64x128xf16, #rowsInLds, #smem, mutable> -> tensor<64x128xf16, #dotB>
    %d = tt.dot %a, %b, %acc : tensor<128x64xf16, #dot> * tensor<64x128xf16, #dotB> -> tensor<128x128xf32, #mfma>
    %m = ttg.memdesc_index %xs[%i] : !ttg.memdesc<1x128x64xf16, #rowsInLds, #smem, mutable> -> !ttg.memdesc<128x64xf16, #rowsInLds, #smem, mutable>
    ttg.local_store %v, %m : tensor<128x64xf16, #blocked> -> !ttg.memdesc<128x64xf16, #rowsInLds, #smem, mutable>
    %k = ttg.memdesc_index %ys[%i] : !ttg.memdesc<1x64x128xf16, #rowsInLds, #smem, mutable> -> !ttg.memdesc<64x128xf16, #rowsInLds, #smem, mutable>
    ttg.local_store %w, %k : tensor<64x128xf16, #blocked> -> !ttg.memdesc<64x128xf16, #rowsInLds, #smem, mutable>
    scf.yield %d, %m, %k : tensor<128x128xf32, #mfma>, !ttg.memdesc<128x64xf16, #rowsInLds, #smem, mutable>, !ttg.memdesc<64x128xf16, #rowsInLds, #smem, mutable>
  }
  tt.return %r#0 : tensor<128x128xf32, #mfma>
}`);
const on = (target: string, text: string, ctas = 1): string =>
  `${LAYOUTS}module attributes {"ttg.num-ctas" = ${ctas} : i32, "ttg.num-warps" = 4 : i32, ttg.target = "${target}", "ttg.threads-per-warp" = 32 : i32} {${text}}`;

/** The same for gfx942, whose warps have 64 threads. */
const onHip = (text: string): string =>
  `#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {${text}}`;

/** A loop that is flattened: two loops, one in the other. */
const NEST = `tt.func @nest(%n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = "load"(%i) : (i32) -> i32
    scf.for %j = %c0 to %m step %c1 : i32 {
      "use"(%x, %j) : (i32, i32) -> ()
    }
  } {tt.flatten}
  tt.return
}`;
/** A matrix product with pointers, whose loop the pipeliner takes. */
const GEMM = on(
  "cuda:80",
  `tt.func public @gemm(%a: tensor<64x64x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %w: tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>, %n: i32) -> tensor<64x64xf32, #mma> {
  %step = arith.constant dense<64> : tensor<64x64xi32, #blocked>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %p = %a) -> (tensor<64x64xf32, #mma>, tensor<64x64x!tt.ptr<f16>, #blocked>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #blocked>
    %y = ttg.convert_layout %x : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    %d = tt.dot %y, %w, %acc : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>> -> tensor<64x64xf32, #mma>
    %q = tt.addptr %p, %step : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
    scf.yield %d, %q : tensor<64x64xf32, #mma>, tensor<64x64x!tt.ptr<f16>, #blocked>
  }
  tt.return %r#0 : tensor<64x64xf32, #mma>
}`,
);
const DESCRIPTOR_LOAD = on(
  "cuda:90",
  `tt.func public @load(%a: !tt.tensordesc<tensor<64x64xf16, #shared>>, %i: i32) -> tensor<64x64xf16, #blocked> {
  %x = tt.descriptor_load %a[%i, %i] : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #blocked>
  tt.return %x : tensor<64x64xf16, #blocked>
}`,
);

export const PASS_EXAMPLES: Readonly<Record<string, PassExample>> = {
  canonicalize: {
    ir: `tt.func @f(%x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %dead = arith.muli %x, %x : i32
  %sum = arith.addi %x, %c0 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %five = arith.addi %c2, %c3 : i32
  %r = arith.muli %sum, %five : i32
  tt.return %r : i32
}`,
    show: ["arith", "return"],
  },
  cse: {
    ir: `tt.func @f(%x: i32, %y: i32) -> (i32, i32) {
  %a = arith.addi %x, %y : i32
  %b = arith.addi %x, %y : i32
  tt.return %a, %b : i32, i32
}`,
  },
  inline: {
    ir: `tt.func private @twice(%x: i32) -> i32 {
  %r = arith.addi %x, %x : i32
  tt.return %r : i32
}
tt.func public @kernel(%x: i32) -> i32 {
  %r = tt.call @twice(%x) : (i32) -> i32
  tt.return %r : i32
}`,
  },
  "loop-invariant-code-motion": {
    ir: `tt.func @f(%x: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %y = arith.muli %x, %n : i32
    "use"(%y, %i) : (i32, i32) -> ()
  }
  tt.return
}`,
    show: ["scf.for", "muli", "use"],
  },
  "reconcile-unrealized-casts": {
    ir: `tt.func @f(%x: i32) -> i32 {
  %a = builtin.unrealized_conversion_cast %x : i32 to i64
  %b = builtin.unrealized_conversion_cast %a : i64 to i32
  tt.return %b : i32
}`,
  },
  sccp: {
    ir: `tt.func @f(%c: i1) -> i32 {
  %two = arith.constant 2 : i32
  %r = scf.if %c -> (i32) {
    scf.yield %two : i32
  } else {
    scf.yield %two : i32
  }
  tt.return %r : i32
}`,
    show: ["constant", "scf.if", "yield", "return"],
  },
  "symbol-dce": {
    ir: `tt.func private @unused(%x: i32) -> i32 {
  tt.return %x : i32
}
tt.func public @kernel(%x: i32) -> i32 {
  tt.return %x : i32
}`,
  },
  "triton-licm": {
    ir: `tt.func @f(%p: tensor<64x!tt.ptr<f32>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tt.load %p : tensor<64x!tt.ptr<f32>>
    %y = arith.negf %x : tensor<64xf32>
    scf.yield
  }
  tt.return
}`,
    show: ["cmpi", "splat", "scf.for", "load", "negf"],
  },
  "triton-combine": {
    ir: `tt.func @f(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tt.dot %a, %b, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
  %r = arith.addf %d, %c : tensor<64x64xf32>
  tt.return %r : tensor<64x64xf32>
}`,
  },
  "triton-loop-aware-cse": {
    ir: `tt.func @f(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %c0) -> (i32, i32) : i32 {
    %x = arith.addi %a, %c1 : i32
    %y = arith.addi %b, %c1 : i32
    "use"(%x, %y) : (i32, i32) -> ()
    scf.yield %x, %y : i32, i32
  }
  tt.return
}`,
    show: ["scf.for", "addi", "use", "yield"],
  },
  "triton-loop-unroll": {
    ir: `tt.func @f() {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  scf.for %i = %c0 to %c4 step %c1 : i32 {
    "use"(%i) : (i32) -> ()
  } {tt.loop_unroll_factor = 2 : i32}
  tt.return
}`,
    show: ["scf.for", "use", "addi", "loop_unroll"],
  },
  "triton-reorder-broadcast": {
    ir: `tt.func @f(%x: tensor<64x1xf32>) -> tensor<64x128xf32> {
  %b = tt.broadcast %x : tensor<64x1xf32> -> tensor<64x128xf32>
  %r = math.exp %b : tensor<64x128xf32>
  tt.return %r : tensor<64x128xf32>
}`,
  },
  "triton-rewrite-tensor-descriptor-to-pointer": {
    ir: `tt.func public @f(%p: !tt.ptr<f32>, %n: i32, %i: i32) {
  %c1 = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %p, [%n], [%c1] : !tt.ptr<f32>, !tt.tensordesc<tensor<64xf32>>
  %x = tt.descriptor_load %d[%i] : !tt.tensordesc<tensor<64xf32>> -> tensor<64xf32>
  "use"(%x) : (tensor<64xf32>) -> ()
  tt.return
}`,
    show: ["make_tensor_descriptor", "descriptor_load", "addptr", "cmpi", "tt.load", "use"],
  },
  "triton-rewrite-tensor-pointer": {
    ir: `tt.func public @f(%p: !tt.ptr<f32>, %n: i64, %i: i32) {
  %c1 = arith.constant 1 : i64
  %b = tt.make_tensor_ptr %p, [%n], [%c1], [%i] {order = array<i32: 0>} : <tensor<64xf32>>
  %x = tt.load %b {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<64xf32>>
  "use"(%x) : (tensor<64xf32>) -> ()
  tt.return
}`,
    show: ["make_tensor_ptr", "tt.load", "addptr", "cmpi", "use"],
  },
  "convert-scf-to-cf": {
    ir: `tt.func @f(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    "use"(%i) : (i32) -> ()
  }
  tt.return
}`,
    show: ["scf.for", "use", "cf.", "^bb", "addi", "cmpi"],
  },
  "convert-triton-to-tritongpu": {
    ir: `tt.func @f(%p: !tt.ptr<f32>) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %q = tt.addptr %s, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.return
}`,
    options: "target=cuda:80 num-warps=4",
    show: ["#blocked =", "make_range", "splat", "addptr"],
  },
  "relayout-tritongpu": {
    ir: `${LAYOUTS}tt.func @f(%m: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>) {
  %true = arith.constant true
  %x = ttng.tmem_load %m : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32>
  ttng.tmem_store %x, %m, %true : tensor<128x64xf32> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  tt.return
}`,
    first: "convert-triton-to-tritongpu{target=cuda:100 num-warps=4 enable-source-remat=true}",
    show: ["#blocked =", "#linear =", "tmem_load", "convert_layout", "tmem_store"],
  },
  "allocate-shared-memory": {
    ir: on(
      "cuda:80",
      `tt.func @f(%x: tensor<64x64xf16, #blocked>) {
  %a = ttg.local_alloc %x : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #swizzled, #smem>
  %b = ttg.local_alloc %x : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #swizzled, #smem>
  "use"(%a, %b) : (!ttg.memdesc<64x64xf16, #swizzled, #smem>, !ttg.memdesc<64x64xf16, #swizzled, #smem>) -> ()
  tt.return
}`,
    ),
    show: ["module", "local_alloc", "use"],
  },
  "tritongpu-allocate-warp-groups": {
    ir: on(
      "cuda:90",
      `tt.func @f() {
  ttg.warp_specialize()
  default {
    ttg.warp_yield
  }
  partition0() num_warps(2) {
    ttg.warp_return
  } : () -> ()
  tt.return
}`,
    ),
    show: ["module", "warp_specialize", "default", "partition"],
  },
  "tritongpu-coalesce": {
    ir: on(
      "cuda:80",
      `tt.func @f(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}) -> tensor<1024xf16, #one> {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #one>
  %s = tt.splat %p : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>, #one>
  %q = tt.addptr %s, %r : tensor<1024x!tt.ptr<f16>, #one>, tensor<1024xi32, #one>
  %x = tt.load %q : tensor<1024x!tt.ptr<f16>, #one>
  tt.return %x : tensor<1024xf16, #one>
}`,
    ),
    show: ["#blocked =", "#blocked1 =", "= tt.addptr", "convert_layout", "tt.load"],
  },
  "tritongpu-coalesce-async-copy": {
    ir: on(
      "cuda:80",
      `tt.func @f(%p: tensor<64x64x!tt.ptr<f16>, #blocked>, %m: !ttg.memdesc<64x64xf16, #narrow, #smem, mutable>) {
  %t = ttg.async_copy_global_to_local %p, %m : tensor<64x64x!tt.ptr<f16>, #blocked> -> <64x64xf16, #narrow, #smem, mutable>
  tt.return
}`,
    ),
    show: ["#blocked =", "#blocked1 =", "#shared =", "convert_layout", "async_copy_global_to_local"],
  },
  "tritongpu-combine-tensor-select-and-if": {
    ir: `tt.func @f(%c: i1, %x: tensor<64xf32>, %y: tensor<64xf32>, %n: i32) -> (tensor<64xf32>, i32) {
  %s = arith.select %c, %x, %y : tensor<64xf32>
  %r = scf.if %c -> (i32) {
    scf.yield %n : i32
  } else {
    %z = arith.constant 0 : i32
    scf.yield %z : i32
  }
  tt.return %s, %r : tensor<64xf32>, i32
}`,
    show: ["select", "scf.if", "yield", "else", "return"],
  },
  "tritongpu-F32DotTC": {
    ir: `tt.func @f(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %d = tt.dot %a, %b, %c, inputPrecision = tf32x3 : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return %d : tensor<64x64xf32>
}`,
    options: "emu-tf32=true",
    show: ["tt.dot", "subf", "elementwise"],
  },
  "tritongpu-fuse-nested-loops": { ir: NEST, show: ["scf.for", "scf.if %1", '= "load', '"use'] },
  "tritongpu-global-scratch-memory-allocation": {
    ir: on(
      "cuda:90",
      `tt.func public @f() {
  %a = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
  %b = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
  "use"(%a, %b) : (!tt.ptr<i8>, !tt.ptr<i8>) -> ()
  tt.return
}`,
    ),
    show: ["tt.func", "global_scratch_alloc"],
  },
  "tritongpu-optimize-thread-locality": {
    ir: "ttg/tritongpu-optimize-thread-locality.mlir#0",
    show: ["scf.for", 'tt.reduce"', "tt.reshape", "scf.yield"],
  },
  "tritongpu-prefetch": {
    ir: on(
      "cuda:80",
      `tt.func @f(%a: !ttg.memdesc<64x32xf16, #swizzled, #smem, mutable>, %b: !ttg.memdesc<32x64xf16, #swizzled, #smem, mutable>, %n: i32) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %x = %a, %y = %b) -> (tensor<64x64xf32, #mma>, !ttg.memdesc<64x32xf16, #swizzled, #smem, mutable>, !ttg.memdesc<32x64xf16, #swizzled, #smem, mutable>) : i32 {
    %u = ttg.local_load %x : !ttg.memdesc<64x32xf16, #swizzled, #smem, mutable> -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    %v = ttg.local_load %y : !ttg.memdesc<32x64xf16, #swizzled, #smem, mutable> -> tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>
    %d = tt.dot %u, %v, %acc : tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>> -> tensor<64x64xf32, #mma>
    %p, %q = "next"() : () -> (!ttg.memdesc<64x32xf16, #swizzled, #smem, mutable>, !ttg.memdesc<32x64xf16, #swizzled, #smem, mutable>)
    scf.yield %d, %p, %q : tensor<64x64xf32, #mma>, !ttg.memdesc<64x32xf16, #swizzled, #smem, mutable>, !ttg.memdesc<32x64xf16, #swizzled, #smem, mutable>
  }
  tt.return %r#0 : tensor<64x64xf32, #mma>
}`,
    ),
    show: ["= scf.for", "= tt.dot", "scf.yield"],
  },
  "tritongpu-reduce-data-duplication": {
    ir: on(
      "cuda:80",
      `tt.func @f(%x: tensor<64x64xf16, #blocked>) -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> {
  %y = ttg.convert_layout %x : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
  tt.return %y : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
}`,
    ),
    show: ["#shared", "convert_layout", "local_alloc", "local_load"],
  },
  "tritongpu-remove-layout-conversions": {
    ir: on(
      "cuda:80",
      `tt.func @f(%p: tensor<1024x!tt.ptr<f32>, #four>) {
  %x = tt.load %p : tensor<1024x!tt.ptr<f32>, #four>
  %a = ttg.convert_layout %x : tensor<1024xf32, #four> -> tensor<1024xf32, #one>
  %y = arith.addf %a, %a : tensor<1024xf32, #one>
  %b = ttg.convert_layout %y : tensor<1024xf32, #one> -> tensor<1024xf32, #four>
  tt.store %p, %b : tensor<1024x!tt.ptr<f32>, #four>
  tt.return
}`,
    ),
    show: ["tt.load", "convert_layout", "addf", "tt.store"],
  },
  "tritongpu-reorder-instructions": {
    ir: on(
      "cuda:80",
      `tt.func @f(%m: !ttg.memdesc<64x64xf16, #swizzled, #smem>, %x: tensor<64x64xf16, #blocked>) {
  %a = ttg.local_load %m : !ttg.memdesc<64x64xf16, #swizzled, #smem> -> tensor<64x64xf16, #blocked>
  %c = ttg.convert_layout %a : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #cols>
  %d = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #swizzled, #smem, mutable>
  ttg.local_dealloc %d : !ttg.memdesc<64x64xf16, #swizzled, #smem, mutable>
  "use"(%c) : (tensor<64x64xf16, #cols>) -> ()
  tt.return
}`,
    ),
    show: ["local_load", "convert_layout", "local_alloc", "local_dealloc", "use"],
  },
  "tritonamdgpu-canonicalize-pointers": {
    ir: onAmd(`tt.func @f(%x: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %n: i32) -> tensor<256xf32, #rows> {
  %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #rows>
  %start = tt.addptr %x, %n : !tt.ptr<f32>, i32
  %s = tt.splat %start : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #rows>
  %p = tt.addptr %s, %i : tensor<256x!tt.ptr<f32>, #rows>, tensor<256xi32, #rows>
  %v = tt.load %p : tensor<256x!tt.ptr<f32>, #rows>
  tt.return %v : tensor<256xf32, #rows>
}`),
    show: ["make_range", "splat", "addi", "addptr", "tt.load"],
  },
  "tritonamdgpu-convert-buffer-ops": {
    ir: onAmd(`tt.func @f(%x: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %i: tensor<256xi32, #rows>) -> tensor<256xf32, #rows> {
  %s = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #rows>
  %p = tt.addptr %s, %i : tensor<256x!tt.ptr<f32>, #rows>, tensor<256xi32, #rows>
  %v = tt.load %p : tensor<256x!tt.ptr<f32>, #rows>
  tt.return %v : tensor<256xf32, #rows>
}`),
    show: ["splat", "addptr", "load"],
  },
  "tritonamdgpu-fold-true-cmpi": {
    ir: onAmd(`tt.func @f(%x: !tt.ptr<i1>) {
  %c0 = arith.constant 0 : i32
  %i = tt.get_program_id x : i32
  %c = arith.cmpi sge, %i, %c0 : i32
  tt.store %x, %c : !tt.ptr<i1>
  tt.return
}`),
    show: ["cmpi", "true", "tt.store"],
  },
  "tritonamdgpu-optimize-epilogue": {
    ir: onAmd(`tt.func @f(%x: tensor<128x32xf32, #mfma>, %p: tensor<128x32x!tt.ptr<f16>, #blocked>) {
  %c = ttg.convert_layout %x : tensor<128x32xf32, #mfma> -> tensor<128x32xf32, #blocked>
  %h = arith.truncf %c : tensor<128x32xf32, #blocked> to tensor<128x32xf16, #blocked>
  tt.store %p, %h : tensor<128x32x!tt.ptr<f16>, #blocked>
  tt.return
}`),
    show: ["convert_layout", "truncf", "tt.store"],
  },
  "tritonamdgpu-optimize-dot-operands": {
    ir: onAmd(`tt.func @f(%x: tensor<128x32xf32, #blocked>) -> tensor<128x32xf32, #dot> {
  %a = ttg.convert_layout %x : tensor<128x32xf32, #blocked> -> tensor<128x32xf32, #mfma>
  %b = ttg.convert_layout %a : tensor<128x32xf32, #mfma> -> tensor<128x32xf32, #dot>
  tt.return %b : tensor<128x32xf32, #dot>
}`),
    show: ["convert_layout"],
  },
  "tritonamdgpu-hoist-layout-conversions": {
    ir: onAmd(`tt.func @f(%p: tensor<128x32x!tt.ptr<f16>, #blocked>, %n: i32, %one: i32) {
  %q = tt.load %p : tensor<128x32x!tt.ptr<f16>, #blocked>
  scf.for %i = %one to %n step %one : i32 {
    %c = ttg.convert_layout %q : tensor<128x32xf16, #blocked> -> tensor<128x32xf16, #dot>
    "use"(%c) : (tensor<128x32xf16, #dot>) -> ()
  }
  tt.return
}`),
    show: ["tt.load", "scf.for", "convert_layout", "use"],
  },
  "tritonamdgpu-reorder-instructions": {
    ir: onAmd(`tt.func @f(%x: tensor<128x32xf16, #blocked>, %n: i32, %one: i32) {
  %c = ttg.convert_layout %x : tensor<128x32xf16, #blocked> -> tensor<128x32xf16, #dot>
  scf.for %i = %one to %n step %one : i32 {
    "use"(%c) : (tensor<128x32xf16, #dot>) -> ()
  }
  tt.return
}`),
    show: ["scf.for", "convert_layout", "use"],
  },
  "tritonamdgpu-schedule-loops": { ir: AMD_LOOP, show: ["scf.for", "tt.load", "= tt.dot"] },
  "tritonamdgpu-pipeline": { ir: AMD_LOOP, first: "tritonamdgpu-schedule-loops", show: ["scf.for", "local_load", "= tt.dot", "scf.yield"] },
  "tritonamdgpu-in-thread-transpose": {
    ir: onAmd(`tt.func @f(%p: tensor<64x128x!tt.ptr<f16>, #blocked>) -> tensor<64x128xf16, #dotB> {
  %v = tt.load %p : tensor<64x128x!tt.ptr<f16>, #blocked>
  %m = ttg.local_alloc %v : (tensor<64x128xf16, #blocked>) -> !ttg.memdesc<64x128xf16, #rowsInLds, #smem>
  %b = ttg.local_load %m : !ttg.memdesc<64x128xf16, #rowsInLds, #smem> -> tensor<64x128xf16, #dotB>
  tt.return %b : tensor<64x128xf16, #dotB>
}`),
    show: ["tt.load", "in_thread_transpose", "local_alloc", "local_load"],
  },
  "tritonamdgpu-block-pingpong": { ir: AMD_TILES_LOOP, show: ["tt.load", "setprio", "local_load", "= tt.dot"] },
  "triton-amdgpu-insert-instruction-sched-hints": {
    ir: onAmd(`tt.func @f(%q: tensor<128x32xf16, #dot>, %k: tensor<32x32xf16, #dotB>, %z: tensor<128x32xf32, #mfma>, %n: i32, %one: i32) {
  scf.for %i = %one to %n step %one : i32 {
    %s = tt.dot %q, %k, %z : tensor<128x32xf16, #dot> * tensor<32x32xf16, #dotB> -> tensor<128x32xf32, #mfma>
    %h = arith.truncf %s : tensor<128x32xf32, #mfma> to tensor<128x32xf16, #mfma>
    %p = ttg.convert_layout %h : tensor<128x32xf16, #mfma> -> tensor<128x32xf16, #dot>
    %o = tt.dot %p, %k, %z : tensor<128x32xf16, #dot> * tensor<32x32xf16, #dotB> -> tensor<128x32xf32, #mfma>
    "use"(%o) : (tensor<128x32xf32, #mfma>) -> ()
  }
  tt.return
}`),
    options: "variant=attention",
    show: ["scf.for", "sched_hint", "= tt.dot"],
  },
  "triton-amdgpu-lower-insert-instruction-sched-hints": {
    ir: `llvm.func @f(%x: f32) {
  amdg.instruction_sched_hint {variant = #amdg.SchedHintVariant<attention>}
  %e = llvm.fadd %x, %x : f32
  "use"(%e) : (f32) -> ()
  llvm.return
}`,
    show: ["func", "sched", "fadd", "iglp", "return"],
  },
  "tritonamdgpu-coalesce-async-copy": {
    ir: onAmd(`tt.func @f(%p: tensor<128x32x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 8]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %m: !ttg.memdesc<128x32xf16, #rowsInLds, #smem, mutable>) {
  %t = ttg.async_copy_global_to_local %p, %m : tensor<128x32x!tt.ptr<f16>, #blocked> -> <128x32xf16, #rowsInLds, #smem, mutable>
  tt.return
}`),
    options: "arch-generation-name=gfx942",
    show: ["#blocked", "convert_layout", "async_copy"],
  },
  "tritonamdgpu-update-async-wait-count": {
    ir: onAmd(`tt.func @f(%p: tensor<128x32x!tt.ptr<f16>, #blocked>, %m: !ttg.memdesc<128x32xf16, #rowsInLds, #smem, mutable>) {
  %a = ttg.async_copy_global_to_local %p, %m : tensor<128x32x!tt.ptr<f16>, #blocked> -> <128x32xf16, #rowsInLds, #smem, mutable>
  %b = ttg.async_commit_group tokens %a
  %c = ttg.async_copy_global_to_local %p, %m : tensor<128x32x!tt.ptr<f16>, #blocked> -> <128x32xf16, #rowsInLds, #smem, mutable>
  %d = ttg.async_commit_group tokens %c
  %w = ttg.async_wait %b {num = 1 : i32}
  tt.return
}`),
    options: "arch-generation-name=gfx942",
    show: ["async_copy", "commit", "async_wait"],
  },
  "canonicalize-llvm-ir": {
    ir: `llvm.func @f(%x: i32, %y: i32) -> i32 {
  %c = llvm.mlir.constant(true) : i1
  %r = llvm.select %c, %x, %y : i1, i32
  llvm.return %r : i32
}`,
    show: ["func", "constant", "select", "return", "}"],
  },
  "convert-arith-to-llvm": {
    ir: `llvm.func @f(%x: i32, %y: i32) -> i32 {
  %a = arith.addi %x, %y : i32
  %b = arith.muli %a, %y : i32
  llvm.return %b : i32
}`,
  },
  "convert-cf-to-llvm": {
    ir: `llvm.func @f(%c: i1, %x: i32) -> i32 {
  cf.cond_br %c, ^bb1(%x : i32), ^bb2
^bb1(%y: i32):
  llvm.return %y : i32
^bb2:
  cf.br ^bb1(%x : i32)
}`,
  },
  "convert-index-to-llvm": {
    ir: `llvm.func @f(%x: i32) -> i32 {
  llvm.return %x : i32
}`,
  },
  "convert-nv-gpu-to-llvm": {
    ir: `llvm.func @f() -> i32 {
  %w = nvg.warp_id
  llvm.return %w : i32
}`,
  },
  "convert-nvvm-to-llvm": {
    ir: `llvm.func @f(%p: !llvm.ptr<3>, %n: i32) {
  nvvm.mbarrier.init.shared %p, %n : !llvm.ptr<3>, i32
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  llvm.return
}`,
  },
  "convert-triton-gpu-to-llvm": {
    ir: on(
      "cuda:80",
      `tt.func public @f(%p: !tt.ptr<f32>, %n: i32) {
  %x = tt.load %p : !tt.ptr<f32>
  %i = tt.get_program_id x : i32
  %q = tt.addptr %p, %i : !tt.ptr<f32>, i32
  tt.store %q, %x : !tt.ptr<f32>
  tt.return
}`,
    ),
    options: "compute-capability=80 ptx-version=87",
    first: "allocate-shared-memory-nv",
    show: ["tt.load", "tt.get_program_id", "tt.addptr", "tt.store", "inline_asm", "ctaid", "getelementptr"],
  },
  "convert-warp-specialize-to-llvm": {
    ir: "llvm/convert-warp-specialize-to-llvm.mlir#0",
    show: ["ttg.warp_specialize", "default {", "partition0", "partition1", "llvm.switch", "nvvm.barrier id", "llvm.func"],
  },
  "enable-line-info": {
    ir: `llvm.func @f(%x: i32) -> i32 {
  %y = llvm.add %x, %x : i32 loc("k.py":3:7)
  llvm.return %y : i32 loc("k.py":4:3)
} loc("k.py":1:0)`,
    show: ["#di", "llvm.func", "llvm.add"],
  },
  "extract-variable-info": {
    ir: `llvm.func @f(%x: i32) -> i32 {
  %y = llvm.add %x, %x : i32 loc("y"("k.py":3:7))
  llvm.return %y : i32 loc("k.py":4:3)
} loc("k.py":1:0)`,
    show: ["#di_local_variable", "llvm.add", "dbg.value"],
  },
  "llvm-optimize-for-nvvm-target": {
    ir: `llvm.func @f(%x: f16, %y: f16) -> f16 {
  %z = llvm.fdiv %x, %y : f16
  llvm.return %z : f16
}`,
    show: ["fdiv", "fpext", "rcp", "fmul", "fma", "fptrunc"],
  },
  "gluon-inline": {
    ir: `tt.func private @twice(%x: i32) -> i32 {
  %r = arith.addi %x, %x : i32
  tt.return %r : i32
}
tt.func public @kernel(%x: i32) -> i32 {
  %r = tt.call @twice(%x) : (i32) -> i32
  tt.return %r : i32
}`,
  },
  "gluon-canonicalize": {
    ir: on(
      "cuda:90",
      `tt.func @f(%p: tensor<128x!tt.ptr<f32>, #four>, %x: tensor<128xf32, #four>) {
  %all = arith.constant dense<true> : tensor<128xi1, #four>
  %none = arith.constant dense<false> : tensor<128xi1, #four>
  tt.store %p, %x, %all : tensor<128x!tt.ptr<f32>, #four>
  tt.store %p, %x, %none : tensor<128x!tt.ptr<f32>, #four>
  tt.return
}`,
    ),
    show: ["tt.func", "constant", "store", "return"],
  },
  "gluon-infer-coalesced-encodings": {
    ir: on(
      "cuda:90",
      `tt.func @fill(%p: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #gluon.coalesced_encoding>
  %q = tt.splat %p : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>, #gluon.coalesced_encoding>
  %a = tt.addptr %q, %r : tensor<512x!tt.ptr<i32>, #gluon.coalesced_encoding>, tensor<512xi32, #gluon.coalesced_encoding>
  tt.store %a, %r : tensor<512x!tt.ptr<i32>, #gluon.coalesced_encoding>
  tt.return
}`,
    ),
    show: ["#blocked =", "tt.func", "make_range", "splat", "addptr", "store"],
  },
  "gluon-resolve-auto-encodings": {
    ir: on(
      "cuda:90",
      `tt.func @fill(%p: tensor<128x!tt.ptr<i32>, #four>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #gluon.auto_encoding>
  %s = arith.addi %r, %r : tensor<128xi32, #gluon.auto_encoding>
  %v = gluon.set_auto_layout %s : tensor<128xi32, #gluon.auto_encoding> -> tensor<128xi32, #four>
  tt.store %p, %v : tensor<128x!tt.ptr<i32>, #four>
  tt.return
}`,
    ),
  },
  "gluon-slimplify-control-flow": {
    ir: `tt.func @f(%x: i32, %n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %dead = arith.muli %x, %n : i32
  %y = arith.addi %x, %c0 : i32
  %z = arith.muli %y, %n : i32
  tt.return %z : i32
}`,
    show: ["tt.func", "arith", "return"],
  },
  "tritongpu-accelerate-matmul": {
    ir: on(
      "cuda:80",
      `tt.func @f(%a: tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>, %b: tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
  %d = tt.dot %a, %b, %c : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>> * tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>> -> tensor<64x64xf32, #blocked>
  tt.return %d : tensor<64x64xf32, #blocked>
}`,
    ),
    show: ["#mma", "convert_layout", "tt.dot"],
  },
  "tritonamdgpu-accelerate-matmul": {
    ir: onHip(
      `tt.func @f(%a: tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>, %b: tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
  %d = tt.dot %a, %b, %c : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>> * tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>> -> tensor<64x64xf32, #blocked>
  tt.return %d : tensor<64x64xf32, #blocked>
}`,
    ),
    options: "arch-generation-name=gfx942",
    show: ["#mma", "convert_layout", "tt.dot"],
  },
  "allocate-shared-memory-nv": {
    ir: on(
      "cuda:80",
      `tt.func @f(%x: tensor<64x64xf16, #blocked>) -> tensor<64x64xf16, #cols> {
  %y = ttg.convert_layout %x : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #cols>
  tt.return %y : tensor<64x64xf16, #cols>
}`,
    ),
    options: "compute-capability=80 ptx-version=87",
    show: ["module", "convert_layout", "return"],
  },
  "triton-nvidia-gpu-fence-insertion": {
    ir: on(
      "cuda:90",
      `tt.func @f(%x: tensor<64x64xf16, #blocked>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %c: tensor<64x64xf32, #wgmma>) -> tensor<64x64xf32, #wgmma> {
  %a = ttg.local_alloc %x : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
  %d = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #wgmma>
  tt.return %d : tensor<64x64xf32, #wgmma>
}`,
    ),
    options: "compute-capability=90",
    show: ["local_alloc", "fence", "warp_group_dot", "return"],
  },
  "triton-nvidia-mma-lowering": {
    ir: on(
      "cuda:100",
      `tt.func @f(%a: !ttg.memdesc<128x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %c: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>) {
  %true = arith.constant true
  ttng.tc_gen5_mma %a, %b, %c, %true, %true : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  tt.return
}`,
    ),
    show: ["local_alloc", "init_barrier", "tc_gen5_mma", "wait_barrier", "inval_barrier", "= arith.constant true", "return"],
  },
  "tritongpu-optimize-accumulator-init": {
    ir: on(
      "cuda:90",
      `tt.func @f(%a: !ttg.memdesc<64x64xf16, #shared, #smem>, %n: i32) -> tensor<64x64xf32, #wgmma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #wgmma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %zero) -> (tensor<64x64xf32, #wgmma>) : i32 {
    %d = ttng.warp_group_dot %a, %a, %p : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #wgmma>
    scf.yield %d : tensor<64x64xf32, #wgmma>
  }
  tt.return %r : tensor<64x64xf32, #wgmma>
}`,
    ),
    show: ["scf.for", "warp_group_dot", "yield"],
  },
  "tritongpu-optimize-dot-operands": {
    ir: "ttg/tritongpu-optimize-dot-operands.mlir#0",
    options: "hoist-layout-conversion=true",
    show: ["descriptor_load", "tt.trans", "local_alloc", "memdesc_trans", "warp_group_dot"],
  },
  "tritongpu-assign-latencies": { ir: GEMM, options: "num-stages=3", show: ["= scf.for", "tt.load", "= ttg.convert_layout", "= tt.dot"] },
  "tritongpu-schedule-loops": {
    ir: GEMM,
    first: "tritongpu-assign-latencies{num-stages=3}",
    show: ["tt.load", "convert_layout", "tt.dot", "tt.addptr"],
  },
  "tritongpu-pipeline": {
    ir: GEMM,
    first: "tritongpu-assign-latencies{num-stages=3},tritongpu-schedule-loops",
    options: "num-stages=3",
    show: ["tt.load", "local_alloc", "async_copy", "scf.for", "async_wait", "local_load", "= tt.dot", "ttg.convert"],
  },
  "triton-nvidia-gpu-plan-cta": {
    ir: `tt.func @f(%x: f16, %p: !tt.ptr<f32>) {
  %a = tt.splat %x : f16 -> tensor<128x64xf16>
  %b = tt.splat %x : f16 -> tensor<64x128xf16>
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %d = tt.dot %a, %b, %zero : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
  %q = tt.splat %p : !tt.ptr<f32> -> tensor<128x128x!tt.ptr<f32>>
  tt.store %q, %d : tensor<128x128x!tt.ptr<f32>>
  tt.return
}`,
    first: "convert-triton-to-tritongpu{target=cuda:90 num-warps=4 num-ctas=2}",
    show: ["#blocked =", "#blocked1 =", "#blocked2 =", "tt.dot"],
  },
  "triton-nvidia-gpu-proxy-fence-insertion": {
    ir: on(
      "cuda:90",
      `tt.func @f(%x: tensor<64x64xf16, #blocked>, %d: !tt.tensordesc<tensor<64x64xf16, #shared>>, %i: i32) {
  %a = ttg.local_alloc %x {allocation.offset = 0 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
  %y = ttg.local_load %a : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #blocked>
  %b = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  %true = arith.constant true
  %bar = ttg.local_alloc {allocation.offset = 16384 : i32} : () -> !ttg.memdesc<1xi64, #plain, #smem, mutable>
  ttng.async_tma_copy_global_to_local %d[%i, %i] %b, %bar, %true : !tt.tensordesc<tensor<64x64xf16, #shared>>, !ttg.memdesc<1xi64, #plain, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  "use"(%y) : (tensor<64x64xf16, #blocked>) -> ()
  tt.return
}`,
    ),
    options: "compute-capability=90",
    show: ["local_alloc", "local_load", "fence", "async_tma"],
  },
  "triton-nvidia-gpu-tmem-barrier-insertion": {
    ir: on(
      "cuda:100",
      `tt.func @f(%x: tensor<128x64xf32, #rows>) {
  %true = arith.constant true
  %m = ttng.tmem_alloc {tensor_memory_col_offset = 0 : i32, tensor_memory_row_offset = 0 : i32} : () -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  ttng.tmem_store %x, %m, %true : tensor<128x64xf32, #rows> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  %y = ttng.tmem_load %m : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #rows>
  "use"(%y) : (tensor<128x64xf32, #rows>) -> ()
  tt.return
}`,
    ),
    show: ["tmem_", "ttg.barrier", "use"],
  },
  "triton-nvidia-tmem-load-reduce": {
    ir: on(
      "cuda:100",
      `tt.func @f(%m: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>) {
  %y = ttng.tmem_load %m : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #rows>
  %r = "tt.reduce"(%y) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<128x64xf32, #rows>) -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #rows}>>
  "use"(%r) : (tensor<128xf32, #ttg.slice<{dim = 1, parent = #rows}>>) -> ()
  tt.return
}`,
    ),
    show: ["tmem_load", "tt.reduce", "use"],
  },
  "initialize-ws-cluster-barriers": {
    ir: `llvm.func @f(%x: i32) -> i32 {
  llvm.return %x : i32
}`,
    show: ["module", "func", "return"],
  },
  "triton-nvidia-check-matmul-two-cta": {
    ir: on(
      "cuda:100",
      `tt.func @f(%a: !ttg.memdesc<128x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %c: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>) {
  %true = arith.constant true
  ttng.tc_gen5_mma %a, %b, %c, %true, %true : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  tt.return
}`,
    ),
    show: ["module", "tc_gen5_mma", "return"],
  },
  "tritongpu-hoist-tmem-alloc": {
    ir: "ttg/tritongpu-hoist-tmem-alloc.mlir#0@carried",
    show: ["tmem_alloc", "scf.for", "tc_gen5_mma", "tmem_load", "tmem_store"],
  },
  "triton-nvidia-interleave-tmem": {
    ir: on(
      "cuda:100",
      `tt.func @f(%m: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, %c: i1, %x: i32) {
  %v = ttng.tmem_load %m : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #rows>
  %y = arith.addi %x, %x : i32
  %z = arith.muli %y, %x : i32
  "first"(%z) : (i32) -> ()
  "use"(%v) : (tensor<128x64xf32, #rows>) -> ()
  tt.return
}`,
    ),
    show: ["tmem_load", "arith", "first", "use"],
  },
  "triton-nvidia-optimize-tmem-layouts": {
    ir: "ttg/triton-nvidia-optimize-tmem-layouts.mlir#0",
    show: ["tmem_load", "reshape", "trans", "split", "subslice", "convert_layout"],
  },
  "tritongpu-promote-lhs-to-tmem": {
    ir: "ttg/tritongpu-hoist-tmem-alloc.mlir#0@stored",
    first: "tritongpu-optimize-accumulator-init,tritongpu-hoist-tmem-alloc",
    show: ["addf", "local_alloc", "tmem_alloc", "tc_gen5_mma"],
  },
  "triton-nvidia-gpu-remove-tmem-tokens": {
    ir: on(
      "cuda:100",
      `tt.func @f(%x: tensor<128x64xf32, #rows>) -> tensor<128x64xf32, #rows> {
  %m, %t = ttng.tmem_alloc %x : (tensor<128x64xf32, #rows>) -> (!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
  %v, %u = ttng.tmem_load %m[%t] : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #rows>
  tt.return %v : tensor<128x64xf32, #rows>
}`,
    ),
    show: ["tmem_alloc", "tmem_load", "poison", "return"],
  },
  "triton-tensor-memory-allocation": {
    ir: on(
      "cuda:100",
      `tt.func @f(%x: tensor<128x64xf32, #rows>) -> tensor<128x64xf32, #rows> {
  %m = ttng.tmem_alloc %x : (tensor<128x64xf32, #rows>) -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  %v = ttng.tmem_load %m : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #rows>
  tt.return %v : tensor<128x64xf32, #rows>
}`,
    ),
    show: ["module", "tmem_alloc", "tmem_load"],
  },
  "triton-nvidia-optimize-descriptor-encoding": {
    ir: on(
      "cuda:90",
      `tt.func public @f(%a: !tt.tensordesc<tensor<64x64xf16>>, %i: i32) -> tensor<64x64xf16, #blocked> {
  %x = tt.descriptor_load %a[%i, %i] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16, #blocked>
  tt.return %x : tensor<64x64xf16, #blocked>
}`,
    ),
    show: ["#shared", "tt.func", "descriptor_load"],
  },
  "triton-nvidia-tma-lowering": {
    ir: DESCRIPTOR_LOAD,
    show: ["descriptor_load", "local_alloc", "init_barrier", "barrier_expect", "async_tma", "wait_barrier", "local_load"],
  },
  "tritongpu-automatic-warp-specialization": {
    ir: "ttg/tritongpu-automatic-warp-specialization.mlir#0",
    options: "num-stages=3",
    show: ["scf.for", "descriptor_load", "warp_specialize(", "default", "partition", "async_tma_copy", "tc_gen5_mma"],
  },
  "tritongpu-partition-scheduling": {
    ir: "ttg/tritongpu-partition-scheduling.mlir#0",
    show: ["descriptor_load", "local_alloc", "tc_gen5_mma", "tmem_load", "truncf"],
  },
  "nvws-hoist-tmem-store": {
    ir: `${LAYOUTS}module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%n: i32) {
    %true = arith.constant true
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.000000e+00> : tensor<128x64xf32, #rows>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %acc, %t = ttng.tmem_alloc {ttg.partition = array<i32: 0>} : () -> (!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
      %u = ttng.tmem_store %zero, %acc[%t], %true {ttg.partition = array<i32: 0>} : tensor<128x64xf32, #rows> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
      %v, %w = ttng.tmem_load %acc[%u] {ttg.partition = array<i32: 0>} : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #rows>
      "use"(%v) {ttg.partition = array<i32: 0>} : (tensor<128x64xf32, #rows>) -> ()
    } {tt.warp_specialize}
    tt.return
  }
}`,
    show: ["tmem_alloc", "tmem_store"],
  },
  "nvws-insert-aref": {
    ir: "nvws/nvws-insert-aref.mlir#0",
    show: ["descriptor_load", "local_alloc", "aref.create", "aref.put", "local_load"],
  },
  "nvws-insert-tmem-aref": { ir: "nvws/nvws-insert-tmem-aref.mlir#0", show: ["tmem_alloc", "tmem_store", "aref.create %result"] },
  "nvws-assign-stage-phase": {
    ir: "nvws/nvws-lower-aref.mlir#0",
    show: ["aref.put.enter", "aref.get.enter"],
  },
  "nvws-lower-aref": {
    ir: "nvws/nvws-lower-aref.mlir#0",
    first: "nvws-assign-stage-phase",
    show: ["aref.create", "= ttg.local_alloc", "init_barrier"],
  },
  "tritongpu-partition-loops": {
    ir: "ttg/tritongpu-partition-loops.mlir#0",
    show: ["scf.for", "warp_group", "partition0", "partition1", "partition2", "tc_gen5_mma", "async_tma_copy"],
  },
  "nvws-lower-warp-group": {
    ir: "nvws/nvws-lower-warp-group.mlir#0",
    show: ["warp_group", "partition0", "partition1", "partition2", "warp_specialize(", "default"],
  },
  "tritongpu-optimize-partition-warps": {
    ir: on(
      "cuda:100",
      `tt.func @f(%n: i32) {
  ttg.warp_specialize(%n)
  default {
    ttg.warp_yield
  }
  partition0(%m: i32) num_warps(4) {
    "use"(%m) : (i32) -> ()
    ttg.warp_return
  } : (i32) -> ()
  tt.return
}`,
    ),
    show: ["warp_specialize", "default", "partition0", "use"],
  },
  "nvgpu-warp-specialization": {
    ir: "ttg/nvgpu-warp-specialization.mlir#2",
    options: "num-stages=3",
    show: ["scf.for", "descriptor_load", "warp_group_dot %", "warp_specialize(", "default", "partition0", "partition1"],
  },
  "optimize-amd-lds-usage": {
    ir: onAmd(`tt.func @f(%x: tensor<128x32xf16, #blocked>) -> tensor<128x32xf16, #dot> {
  %z = arith.addf %x, %x : tensor<128x32xf16, #blocked>
  %y = ttg.convert_layout %z : tensor<128x32xf16, #blocked> -> tensor<128x32xf16, #dot>
  tt.return %y : tensor<128x32xf16, #dot>
}`),
    options: "target-arch=gfx942",
    show: ["addf", "convert_layout", "return"],
  },
  "allocate-amdgpu-shared-memory": {
    ir: onAmd(`tt.func @f(%x: tensor<128x32xf16, #mfma>) -> tensor<128x32xf16, #blocked> {
  %y = ttg.convert_layout %x : tensor<128x32xf16, #mfma> -> tensor<128x32xf16, #blocked>
  tt.return %y : tensor<128x32xf16, #blocked>
}`),
    show: ["module", "convert_layout", "return"],
  },
  "tritoninstrument-concurrency-sanitizer": {
    ir: `
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#row = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @f(%x: tensor<128xf32, #row>) {
  %bar = ttg.local_alloc {allocation.offset = 512 : i32} : () -> !ttg.memdesc<1xi64, #shared, #smem, mutable>
  ttng.init_barrier %bar, 1 : !ttg.memdesc<1xi64, #shared, #smem, mutable>
  %buf = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<128xf32, #shared, #smem, mutable>
  ttg.local_store %x, %buf : tensor<128xf32, #row> -> !ttg.memdesc<128xf32, #shared, #smem, mutable>
  tt.return
}
}`,
    show: ["ttg.local_store", "tti.experimental_lock", "tt.call @", "assert_in_thread"],
  },
  "allocate-proton-global-scratch-buffer": {
    ir: `module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @f() {
  %0 = proton_gpu.global_scratch_alloc {alignment = 128 : i32, nbytes = 384 : i32} : !tt.ptr<i32>
  proton_gpu.initialize %0 : !tt.ptr<i32>
  tt.return
}
}`,
    show: ["module", "proton_gpu"],
  },
  "add-sched-barriers": {
    ir: `module attributes {"ttg.num-warps" = 4 : i32} {
llvm.func @f() -> i32 {
  %0 = proton_gpu.read_counter : i32
  llvm.return %0 : i32
}
}`,
    show: ["read_counter", "sched"],
  },
  "convert-proton-nvidia-gpu-to-llvm": {
    ir: `module attributes {"ttg.num-warps" = 4 : i32} {
llvm.func @f() -> i32 {
  %0 = proton_gpu.read_counter : i32
  llvm.return %0 : i32
}
}`,
    show: ["read_counter", "clock", "llvm.return"],
  },
  "convert-proton-amd-gpu-to-llvm": {
    ir: `module attributes {"ttg.num-warps" = 4 : i32} {
llvm.func @f() -> i32 {
  %0 = proton_gpu.read_counter : i32
  llvm.return %0 : i32
}
}`,
    options: "arch=gfx942",
    show: ["read_counter", "memtime", "trunc", "llvm.return"],
  },
  "convert-triton-amdgpu-to-llvm": {
    ir: onAmd(`tt.func public @f(%p: !tt.ptr<f32>, %n: i32) {
  %x = tt.load %p : !tt.ptr<f32>
  %i = tt.get_program_id x : i32
  %q = tt.addptr %p, %i : !tt.ptr<f32>, i32
  tt.store %q, %x : !tt.ptr<f32>
  tt.return
}`),
    options: "arch=gfx942",
    first: "allocate-amdgpu-shared-memory",
    show: ["tt.load", "tt.get_program_id", "tt.addptr", "tt.store", "llvm.load", "workgroup.id", "getelementptr", "llvm.store"],
  },
  "convert-builtin-func-to-llvm": {
    ir: `llvm.func @__triton_hip_fast_expf(f32) -> f32
llvm.func @f(%x: f32) -> f32 {
  %y = llvm.call @__triton_hip_fast_expf(%x) : (f32) -> f32
  llvm.return %y : f32
}`,
    show: ["call", "fmul", "return"],
  },
};
