/** Faults in AMD's passes and in the lowering for its GPUs. They are planted for the `hip:` targets. */
import { type Fault, inFile } from "../fault.js";

export const AMD_FAULTS: readonly Fault[] = [
  ...inFile("passes/amd/range-analysis.ts", [
    { in: "fixedRange", fault: "a range ends where it begins", find: "BigInt(makeRange.end - 1)", replace: "BigInt(makeRange.start)" },
    { in: "selected", fault: "a select is always true", find: "unite(whenTrue, whenFalse)", replace: "whenTrue" },
    { in: "infer", fault: "joined values are those of the first", find: "unite(known[0]!, known[1]!)", replace: "known[0]" },
    { in: "visitInductionVar", fault: "a loop's number never ends", find: "if (to >= from)", replace: "to = from; if (to >= from)" },
  ]),
  ...inFile("passes/amd/canonicalize-pointers/offsets.ts", [
    {
      in: "addOffsets",
      fault: "zero and an offset are zero",
      find: "if (isZero(a)) return castOffset(rw, loc, b, type);",
      replace: "if (isZero(a)) return castOffset(rw, loc, a, type);",
    },
    {
      in: "product",
      fault: "a product without the second cross term",
      find: "{ lhs: sum, rhs: right }",
      replace: "{ lhs: sum, rhs: left }",
    },
    {
      in: "decompose",
      fault: "the scalar part of a sum is the first one's",
      find: "addOffsets(rw, loc, a.uniform, b.uniform)",
      replace: "a.uniform",
    },
    { in: "decompose", fault: "the rest of a sum is the second one's", find: "addOffsets(rw, loc, a.rest, b.rest)", replace: "b.rest" },
    {
      in: "castOffset",
      fault: "offsets of 64 bits are kept in 32",
      find: "if (from === width) return offset;",
      replace: "if (from >= width) return offset;",
    },
  ]),
  ...inFile("passes/amd/canonicalize-pointers/patterns.ts", [
    { in: "addToSmallTensor", fault: "the offset so far is forgotten", find: "[offset, by]", replace: "[by]" },
    {
      in: "pointerPatterns",
      fault: "both pointers of a select have the first one's offset",
      find: "[base, choose(whenTrue[1], whenFalse[1])]",
      replace: "[base, whenTrue[1]]",
    },
  ]),
  ...inFile("passes/amd/canonicalize-pointers/small-tensor-offset.ts", [
    {
      in: "smallTensorOffset",
      fault: "scalars are left out where there is a tensor",
      find: "(uniform ? withUniform(rw, loc, uniform, rest, splats) : rest)",
      replace: "rest",
    },
  ]),
  ...inFile("passes/amd/convert-buffer-ops.ts", [
    { in: "maskOf", fault: "no mask", find: "isConstant && isOneInt(mask)", replace: "mask !== undefined" },
    { in: "otherOf", fault: "no value for masked elements", find: "(isZeroInt(other) || isZeroFloat(other))", replace: "other" },
    { in: "#unfit", fault: "offsets may be negative", find: "if (range.smin < 0n || range.smax < 0n)", replace: "if (range.smax < 0n)" },
    {
      in: "atomicRMW",
      fault: "maxima of signed integers as of unsigned ones",
      find: "if (isMinMax && IntegerType.is(type))",
      replace: "if (isMinMax && isInteger(type, 1))",
    },
    { in: "atomicRMW", fault: "halves need not lie in pairs", find: "width % 2 !== 0 &&", replace: "width % 2 === 2 &&" },
  ]),
  ...inFile("passes/amd/accelerate-matmul/accelerate-matmul.ts", [
    {
      in: "dotToMfma",
      fault: "f32 is multiplied as xf32",
      find: 'dot.inputPrecision === "tf32" && gpu.mfma === 3',
      replace: "gpu.mfma === 3",
    },
    { in: "dotToMfma", fault: "the formats of fp8 are exchanged", find: '? "e4m3" : "e5m2"', replace: '? "e5m2" : "e4m3"' },
    {
      in: "dotToMfma",
      fault: "b is read as a",
      find: "const rhs = operand(b, 1, instruction.b)",
      replace: "const rhs = operand(a, 1, instruction.b)",
    },
  ]),
  ...inFile("passes/amd/pipeline/lower-loops.ts", [
    { in: "single", fault: "a buffer less", find: "Math.max(1, last - storeStage)", replace: "Math.max(1, last - storeStage - 1)" },
    { in: "#createStreams", fault: "the ring of buffers is one longer", find: 'predicate: "slt"', replace: 'predicate: "sle"' },
    { in: "#createStreams", fault: "always the first buffer", find: "true_value: next", replace: "true_value: zero" },
    {
      in: "#asyncCopy",
      fault: "copies have no mask",
      find: "{ src, result: buffer, mask, other,",
      replace: "{ src, result: buffer, mask: undefined, other: undefined,",
    },
    {
      in: "#asyncCopy",
      fault: "the value for masked elements is left out",
      find: "mask, other, cache, evict, isVolatile, contiguity }",
      replace: "mask, cache, evict, isVolatile, contiguity }",
    },
  ]),
  ...inFile("passes/amd/pipeline/pipeline.ts", [
    {
      in: "predicate",
      fault: "a dot that is not done gives its operand",
      find: "results: [op.operand(2)]",
      replace: "results: [...op.results]",
    },
  ]),
  ...inFile("passes/amd/reorder-instructions.ts", [
    {
      in: "earliestPlace",
      fault: "loads move across atomics and barriers",
      find: "|| [AtomicRMWOp, AtomicCASOp, BarrierOp, ForOp, WhileOp].some((def) => def.is(op))",
      replace: "",
    },
  ]),
  ...inFile("passes/amd/block-pingpong/clusters.ts", [
    { in: "slice", fault: "all parts are the first", find: "kDim === 1 ? [0, i * width] : [i * width, 0]", replace: "[0, 0]" },
    { in: "slice", fault: "each part adds to the sum before", find: "if (i > 0) mapping", replace: "if (i > 1) mapping" },
    { in: "startInTurn", fault: "no half waits", find: 'predicate: "ne"', replace: 'predicate: "eq"' },
  ]),
  ...inFile("passes/amd/block-pingpong/placer.ts", [
    {
      in: "clusterBarrier",
      fault: "clusters without barriers",
      find: "return this.add(BarrierOp, {}).schedBarrier();",
      replace: "return this.schedBarrier();",
    },
  ]),
  ...inFile("passes/amd/update-async-wait-count.ts", [
    {
      in: "run",
      fault: "one instruction too many is left under way",
      find: "num_inst: Number.isFinite(least) ? least : 0",
      replace: "num_inst: Number.isFinite(least) ? least + 1 : 0",
    },
  ]),
  ...inFile("passes/amd/coalesce-async-copy.ts", [
    {
      in: "coalesceWrites",
      fault: "the mask keeps its layout",
      find: "[mask, other].flatMap((value) => (value ? [convert(value)] : []))",
      replace: "[mask, other].flatMap((value) => (value ? [value] : []))",
    },
  ]),
  ...inFile("passes/amd/to-llvm/buffer.ts", [
    { in: "bufferArgs", fault: "no mask", find: "b.select(predicate, bytes, past)", replace: "bytes" },
    {
      in: "bufferArgs",
      fault: "offsets of elements count bytes",
      find: "Math.max(8, scalarBits(elementTypeOrSelf(type))) / 8",
      replace: "1",
    },
    {
      in: "LOAD",
      fault: "buffers are read wider than the mask allows",
      find: "masksOf(lo, mask, vectorSizeAt(ptr, offsets, lo.axisInfo))",
      replace: "{ ...masksOf(lo, mask, 1), vec: vectorSizeAt(ptr, offsets, lo.axisInfo) }",
    },
    {
      in: "LOAD",
      fault: "zero for masked elements of a buffer",
      find: "if (otherwise && !isZero(otherwise))",
      replace: "if (otherwise && isZero(otherwise))",
    },
    {
      in: "LOAD",
      fault: "buffers are read with the mask of the first",
      find: "mask ? masks[start]! : b.i1(true)",
      replace: "mask ? masks[0]! : b.i1(true)",
    },
    { in: "STORE", fault: "no mask", find: "mask ? b.and(thread, masks[start]!) : thread", replace: "thread" },
    { in: "STORE", fault: "registers that repeat are stored, others not", find: "(start & free.register) !== 0", replace: "start !== 0" },
  ]),
  ...inFile("passes/amd/to-llvm/load-store.ts", [
    { in: "LOAD", fault: "the mask of the first", find: "masks[start], () => packed", replace: "masks[0], () => packed" },
    {
      in: "LOAD",
      fault: "zero for masked elements",
      find: "others ? b.packVector(others.slice(start, start + vec)) : zeroOf(b, type)",
      replace: "zeroOf(b, type)",
    },
    { in: "STORE", fault: "stores have no mask", find: "mask ? b.and(thread, masks[start]!) : thread", replace: "thread" },
    {
      in: "redundantThreadPredicate",
      fault: "lanes with the same data do not count",
      find: "[lane, masks.lane]",
      replace: "[lane, 0]",
      equivalent: "lanes that store one value twice leave the same memory",
    },
    {
      in: "masksOf",
      fault: "accesses wider than their mask allows",
      find: "Math.min(most, lo.axisInfo.getMaskAlignment(mask))",
      replace: "most",
    },
  ]),
  ...inFile("passes/amd/to-llvm/atomics.ts", [
    { in: "lowerRMW", fault: "atomics have no mask", find: "masks ? b.and(thread, masks[i]!) : thread", replace: "thread" },
    {
      in: "lowerRMW",
      fault: "threads with the same data all add",
      find: "redundantThreadPredicate(lo, freeVariableMasks(ptr.type))",
      replace: "b.i1(true)",
    },
    {
      in: "BUFFER_RMW",
      fault: "threads with the same data all add",
      find: "redundantThreadPredicate(lo, freeVariableMasks(value.type))",
      replace: "b.i1(true)",
    },
    { in: "BUFFER_RMW", fault: "no mask", find: "mask ? b.and(thread, masks[start]!) : thread", replace: "thread" },
    {
      in: "lowerCAS",
      fault: "every thread swaps",
      find: 'b.icmp("eq", threadId(lo), b.i32(0))',
      replace: 'b.icmp("uge", threadId(lo), b.i32(0))',
    },
    { in: "loadShared", fault: "no barrier before the result is read", find: "lo.code.barrier(lo);", replace: "" },
  ]),
  ...inFile("passes/amd/to-llvm/atomic-waves.ts", [
    { in: "popcount", fault: "half of the bits", find: "b.i64(56)", replace: "b.i64(57)" },
    { in: "prefixSum", fault: "rows are summed alone", find: "[ROW_BCAST_31, 0xc, 0xf],", replace: "" },
    {
      in: "gatherActive",
      fault: "values stay where they are",
      find: 'const moved = permute(lo, value, "permute", index);',
      replace: "const moved = value;",
    },
    { in: "combine", fault: "sums are those of one lane", find: "return b.add(x, y);", replace: "return x;" },
    { in: "reduceInWave", fault: "half of a group is left out", find: "let distance = 32;", replace: "let distance = 1;" },
    {
      in: "reduceInWave",
      fault: "every lane of a group accesses memory",
      find: 'b.icmp("ne", b.and(role, b.i32(1)), b.i32(0))',
      replace: 'b.icmp("ne", role, b.i32(-1))',
    },
    {
      in: "addByPairs",
      fault: "pairs need not be neighbours",
      find: "b.and(b.and(isAligned, b.and(rightActive, mask)), isAdjacent)",
      replace: "b.and(isAligned, b.and(rightActive, mask))",
    },
    { in: "addByPairs", fault: "the odd lane adds nothing", find: "b.or(own, moveWord(lo, own, ROW_SHL_1))", replace: "own" },
  ]),
  ...inFile("passes/amd/to-llvm/lanes.ts", [
    { in: "shuffleXor", fault: "the lane's own value from 16 on", find: "if (mask > 16)", replace: "if (mask > 32)" },
    { in: "shuffleXor", fault: "quads are rotated", find: "(lane ^ mask)", replace: "((lane + mask) & 3)" },
    {
      in: "shuffleXor",
      fault: "halves of a row do not change places",
      find: "mask === 4 ? 0xa : 0xc), ROW_SHL",
      replace: "mask === 4 ? 0xf : 0xf), ROW_SHL",
    },
    {
      in: "shuffleUp",
      fault: "the first lanes wrap around",
      find: "b.select(isFirst, lane, b.sub(lane, by))",
      replace: "b.sub(lane, by)",
      equivalent: "scans do not use what the first lanes get",
    },
    { in: "bpermute", fault: "lanes are counted in bytes", find: "b.shl(lane, b.i32(2))", replace: "lane" },
    { in: "permuteBytes", fault: "words are exchanged", find: "[high, low, bytes]", replace: "[low, high, bytes]" },
    {
      in: "inWords",
      fault: "halves are exchanged",
      find: "[inWords(lo, low!, move), inWords(lo, high!, move)]",
      replace: "[inWords(lo, high!, move), inWords(lo, low!, move)]",
    },
  ]),
  ...inFile("passes/amd/to-llvm/warp-reduce.ts", [
    { in: "reduceByDpp", fault: "a step is left out", find: "[8, 4, 2, 1]", replace: "[8, 4, 2]" },
    { in: "reduceByDpp", fault: "rows are joined once", find: "step(step(acc, BCAST_15, 0xa), BCAST_31)", replace: "step(acc, BCAST_31)" },
    { in: "reduceByDpp", fault: "the result of another lane", find: "b.i32(target.threadsPerWarp - 1)", replace: "b.i32(0)" },
    {
      in: "swapRows",
      fault: "a lane's own value twice",
      find: "[0, 1].map((i) => b.extractValue(swapped, i))",
      replace: "[0, 0].map((i) => b.extractValue(swapped, i))",
    },
  ]),
  ...inFile("passes/amd/to-llvm/permlane-swaps.ts", [
    { in: "swapPairs", fault: "rows are swapped, registers not", find: "out[r1] = b.extractValue(swapped, 1);", replace: "" },
    {
      in: "convertBySwaps",
      fault: "registers keep their places",
      find: "renamed[pReg.applyPacked({ register: i })]",
      replace: "renamed[i]",
    },
  ]),
  ...inFile("passes/amd/to-llvm/mfma.ts", [
    { in: "lowerMfma", fault: "operands are exchanged", find: "isTransposed ? [y, x] : [x, y]", replace: "isTransposed ? [x, y] : [y, x]" },
    { in: "lowerMfma", fault: "the first part of K alone", find: "step < steps", replace: "step < Math.max(1, steps - 1)" },
    {
      in: "lowerMfma",
      fault: "a short K counts as often as it is repeated",
      find: "Math.max(1, depth / typeOf(a).shape.at(-1)!)",
      replace: "1",
    },
    { in: "lowerMfma", fault: "xf32 as f32", find: "operand.kWidth * 2", replace: "operand.kWidth" },
    {
      in: "#first",
      fault: "tiles in columns",
      find: "(batch * this.shape[0] + m) * this.shape[1] + n",
      replace: "(batch * this.shape[0] + m) + n * this.shape[0]",
    },
    { in: "vectorsOf", fault: "the first vector of a row", find: "count + vec]!", replace: "count]!" },
    {
      in: "lowerScaledMfma",
      fault: "scales of the first row",
      find: "(row * repA.k + step) % (alongK * across)",
      replace: "step % (alongK * across)",
    },
    {
      in: "lowerScaledMfma",
      fault: "scales are not exchanged with operands",
      find: "...x.scale, ...y.scale",
      replace: "...y.scale, ...x.scale",
    },
  ]),
  ...inFile("passes/amd/to-llvm/fp-conversions.ts", [
    { in: "f32ToBf16", fault: "ties are rounded down", find: "b.add(b.add(word, odd), most)", replace: "b.add(word, most)" },
    { in: "f32ToBf16", fault: "rounded towards zero", find: "b.add(b.add(word, odd), most)", replace: "word" },
    {
      in: "narrow",
      fault: "pairs are exchanged",
      find: "[b.extractElement(narrowed, low), b.extractElement(narrowed, high)]",
      replace: "[b.extractElement(narrowed, high), b.extractElement(narrowed, low)]",
    },
  ]),
  ...inFile("passes/amd/to-llvm/fp8-conversions.ts", [
    { in: "narrowByBits", fault: "ties are rounded up", find: "b.add(odd, n(2 ** (dropped - 1) - 1))", replace: "n(2 ** (dropped - 1))" },
    { in: "narrowByBits", fault: "subnormal numbers are rounded down at ties", find: 'i % 2 === 0 ? "ule" : "ult"', replace: '"ule"' },
    {
      in: "narrowByBits",
      fault: "no saturation",
      find: 'b.select(b.icmp("ugt", magnitude, n(most)), b.i8(largest), byte)',
      replace: "byte",
    },
    { in: "e4m3ToF16", fault: "no NaN", find: "b.select(isNaN, b.i16(0x7e00), half)", replace: "half" },
    { in: "e4m3ToF16", fault: "subnormal numbers as normal ones", find: "i < 8", replace: "i < 1" },
    { in: "widenToF32", fault: "halves of a word are exchanged", find: "[false, true]", replace: "[true, false]" },
    { in: "narrowFromF32", fault: "the first pair twice", find: "values.slice(wordSel ? 2 : 0)", replace: "values.slice(0)" },
    { in: "f16ToE5M2", fault: "rounded towards zero", find: "b.add(magnitude, bias)", replace: "magnitude" },
    { in: "toBf16", fault: "no sign", find: "b.or(word, signs[i]!)", replace: "word" },
    {
      in: "widenScaled",
      fault: "halves of a word are exchanged",
      find: "[false, true].map((srcLoHiSel)",
      replace: "[true, false].map((srcLoHiSel)",
    },
    { in: "narrowScaled", fault: "the first pair twice", find: "values.slice(dstLoHiSel ? 2 : 0)", replace: "values.slice(0)" },
  ]),
  ...inFile("passes/amd/to-llvm/upcasts.ts", [
    { in: "fp4ByTable", fault: "odd and even are exchanged", find: "[odd31, even20]", replace: "[even20, odd31]" },
    {
      in: "timesScale",
      fault: "a NaN scale is a number",
      find: "if (fastMath) return product;",
      replace: "if (!fastMath) return product;",
    },
    {
      in: "lowerUpcastMXFP",
      fault: "scales of the first lane",
      find: "const first = b.mul(b.urem(lane, b.i32(rows)), b.i32(holders));",
      replace: "const first = b.mul(b.urem(lane, b.i32(1)), b.i32(holders));",
    },
  ]),
  ...inFile("passes/amd/to-llvm/transposed-reads.ts", [
    { in: "readTransposed", fault: "the first vector again", find: "b.add(offset, offsetOf(j))", replace: "offset" },
    {
      in: "readTransposed",
      fault: "offsets are added where they are exclusive",
      find: "b.xor(start, offsetOf(i))",
      replace: "b.add(start, offsetOf(i))",
    },
  ]),
  ...inFile("passes/amd/to-llvm/padded-conversions.ts", [
    { in: "lowerPadded", fault: "no barrier before the next round", find: "if (round > 0) lo.code.barrier(lo);", replace: "" },
    {
      in: "lowerPadded",
      fault: "padding where it is stored alone",
      find: "addressOf(load, loadStart, first)",
      replace: "addressOf(load, storeStart, first)",
    },
  ]),
  ...inFile("passes/amd/to-llvm/async-copies.ts", [
    {
      in: "copyToLds",
      fault: "the mask of the lane itself",
      find: "mask = b.trunc(b.lshr(b.value(BallotOp, { pred: mask }, word), b.zext(from, word)), i1(ctx));",
      replace: "void word;",
    },
    { in: "copyToLds", fault: "the address of the lane itself", find: "source = lo.code.shuffleIdx(lo, source, from);", replace: "" },
    { in: "copyToLds", fault: "masked elements are stored where they hold", find: 'b.icmp("ne", own, b.i1(true))', replace: "own" },
  ]),
  ...inFile("passes/amd/to-llvm/async-waits.ts", [
    {
      in: "addBarriersAfterWaits",
      fault: "a wait is for all warps",
      find: "rw.from(wait, () => rw.setAfter(wait).create(LocalBarrierOp, {}, { loc: wait.locRef }));",
      replace: "",
    },
    { in: "skipBarrier", fault: "no barrier before a copy", find: "(waited(before) || waited(after))", replace: "true" },
  ]),
  ...inFile("passes/amd/to-llvm/tiles.ts", [
    { in: "TILES", fault: "slices begin at zero", find: "x + static_offsets[dim]!", replace: "x" },
  ]),
  ...inFile("passes/amd/to-llvm/math.ts", [
    { in: "AMD_MATH", fault: "e to the power of 2", find: "lo.b.fmul(x, lo.b.f32(Math.LOG2E))", replace: "x" },
    { in: "AMD_MATH", fault: "small roots are not made smaller again", find: "b.fmul(root, b.f32(2 ** -16))", replace: "root" },
    {
      in: "callLibrary",
      fault: "arguments of bf16 in the wrong order",
      find: "const args = operands.map(",
      replace: "const args = operands.toReversed().map(",
    },
  ]),
  ...inFile("passes/amd/to-llvm/dot.ts", [
    {
      in: "multiplyAddOf",
      fault: "bytes two at once",
      find: 'name: "llvm.amdgcn.sdot4", count: 4',
      replace: 'name: "llvm.amdgcn.sdot4", count: 2',
    },
  ]),
];
