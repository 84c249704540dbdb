/** Faults in what works on TTIR, and in folds and patterns that run at every stage. */
import { type Fault, inFile } from "../fault.js";

export const TTIR_FAULTS: readonly Fault[] = [
  ...inFile("dialects/arith/ops/integer.ts", [
    {
      in: "SubIOp",
      fault: "x - 0 is 0",
      find: "if (isZeroInt(constants[1])) return lhs;",
      replace: "if (isZeroInt(constants[1])) return rhs;",
    },
    {
      in: "SubIOp",
      fault: "(a + b) - b is b",
      find: "if (add && rhs === add.rhs) return add.lhs;",
      replace: "if (add && rhs === add.rhs) return add.rhs;",
    },
    { in: "SubIOp", fault: "constants are subtracted the other way around", find: "(a, b) => a - b", replace: "(a, b) => b - a" },
    {
      in: "MulIOp",
      fault: "x * 1 is 1",
      find: "if (isOneInt(constants[1])) return lhs;",
      replace: "if (isOneInt(constants[1])) return rhs;",
    },
    { in: "MulIOp", fault: "constants are added", find: "(a, b) => a * b", replace: "(a, b) => a + b" },
  ]),
  ...inFile("dialects/arith/ops/bitwise.ts", [
    {
      in: "AndIOp",
      fault: "x and all ones is all ones",
      find: "if (isAllOnesInt(constants[1])) return lhs;",
      replace: "if (isAllOnesInt(constants[1])) return rhs;",
    },
    {
      in: "OrIOp",
      fault: "x or 0 is 0",
      find: "if (isZeroInt(constants[1])) return lhs;",
      replace: "if (isZeroInt(constants[1])) return rhs;",
    },
    {
      in: "XOrIOp",
      fault: "xor(xor(x, a), a) is a",
      kernel: "undone",
      find: "if (left && left.rhs === rhs) return left.lhs;",
      replace: "if (left && left.rhs === rhs) return left.rhs;",
    },
    {
      in: "ShRSIOp",
      fault: "constants are shifted without sign",
      find: "(a, amount) => a >> amount",
      replace: "(a, amount, width) => BigInt.asUintN(width, a) >> amount",
    },
  ]),
  ...inFile("dialects/arith/ops/cast.ts", [
    {
      in: "zeroExtend",
      fault: "constants are extended with sign",
      find: "BigInt.asUintN(storageWidth(from), value)",
      replace: "BigInt.asIntN(storageWidth(from), value)",
    },
    {
      in: "ExtSIOp",
      fault: "a zero extension below a sign extension is one of sign",
      kernel: "undone",
      find: "ExtSIOp.match(from.definingOp)",
      replace: "ExtUIOp.match(from.definingOp) ?? ExtSIOp.match(from.definingOp)",
    },
    {
      in: "TruncIOp",
      fault: "a truncation of an extension is the source when it is wider",
      find: "if (widthOf(source) > widthOf(out)) return",
      replace: "if (widthOf(source) < widthOf(out)) return",
    },
    {
      in: "TruncFOp",
      fault: "any extension below a truncation goes",
      find: "if (source === elementOf(out)) return ext.in;",
      replace: 'if (widthOf(ext.in) === widthOf(out)) return (op.setOperand(0, ext.in), "inPlace");',
    },
    {
      in: "SIToFPOp",
      fault: "constants are converted without sign",
      find: "float.fromInteger(value, kindOf(to))",
      replace: "float.fromInteger(BigInt.asUintN(32, value), kindOf(to))",
    },
  ]),
  ...inFile("dialects/arith/ops/compare.ts", [
    { in: "applyCmpI", fault: "constants are compared with <= for <", find: "return x < y;", replace: "return x <= y;" },
    { in: "CmpIOp", fault: "operands are swapped and the predicate stays", find: "SWAPPED_CMPI[predicate]", replace: "predicate" },
    {
      in: "CmpIOp",
      fault: "a value compared with itself is never equal",
      find: "HOLDS_FOR_EQUAL.has(predicate)",
      replace: "!HOLDS_FOR_EQUAL.has(predicate)",
    },
  ]),
  ...inFile("dialects/tt/canonicalize.ts", [
    {
      in: "broadcastOfBroadcast",
      fault: "a broadcast of anything is of its operand",
      find: "const inner = BroadcastOp.match(op.src.definingOp);",
      replace: "const inner = BroadcastOp.match(op.src.definingOp) as typeof op | undefined;",
      equivalent: "only a type is written out",
    },
    { in: "constantMask", fault: "a constant mask is read the other way around", find: "!== 0n", replace: "=== 0n" },
    {
      in: "maskedLoad",
      fault: "the cache modifier is lost",
      find: "boundaryCheck, padding, cache, evict, isVolatile }, { types",
      replace: "boundaryCheck, padding, evict, isVolatile }, { types",
      equivalent: "cache modifiers say nothing of results",
    },
    {
      in: "maskedStore",
      fault: "a store that is always masked off stays, without its mask",
      find: "if (!mask) return rw.erase(op);",
      replace: "",
    },
    {
      in: "expandDims",
      fault: "a broadcast that is expanded keeps its shape",
      find: "{ src: broadcast.src, axis },",
      replace: "{ src: broadcast.src, axis: axis === 0 ? 1 : 0 },",
    },
  ]),
  ...inFile("passes/tt/combine.ts", [
    {
      in: "combineDotAdd",
      fault: "dot(a, b, c) + d loses c",
      find: "if (!isZeroInt(dot.c) && !isZeroFloat(dot.c)) return",
      replace: "if (false) return",
    },
    {
      in: "combineDotAdd",
      fault: "a dot with other uses is changed",
      kernel: "kept",
      find: "if (!dot.d.hasOneUse()) return",
      replace: "if (false) return",
    },
    {
      in: "combineSelectMaskedLoad",
      fault: "the loads' own value stands for masked elements",
      find: "other: select.false_value",
      replace: "other: load.other",
    },
    {
      in: "combineSelectMaskedLoad",
      fault: "the mask need not be the condition",
      find: "if (splat?.src !== select.condition) return",
      replace: "if (!splat) return",
    },
    {
      in: "areOffsetsCombinable",
      fault: "sums that overflow are combined",
      find: "return a !== undefined && b !== undefined && BigInt.asIntN(width, a + b) ===",
      replace: "return true || BigInt.asIntN(width, a! + b!) ===",
    },
    {
      in: "combineAddPtr",
      fault: "one offset is lost",
      find: "{ lhs: inner.offset, rhs: outer.offset }",
      replace: "{ lhs: inner.offset, rhs: inner.offset }",
    },
    {
      in: "combineAddPtr",
      fault: "hints of the first offset are given to the sum",
      find: "const hint = outer.op.attr(name);",
      replace: "const hint = inner.op.attr(name);",
    },
    {
      in: "combineBroadcastMulReduce",
      fault: "factors in the wrong order",
      find: "if (x?.axis !== 2 || y?.axis !== 0) return",
      replace: "if (!x || !y) return",
    },
    {
      in: "combineReshapeReduce",
      fault: "a reshape may reorder whoever uses it",
      find: "if (reshape.result.users().some((user) => !ReduceOp.is(user) && !HistogramOp.is(user)))",
      replace: "if (false)",
    },
    {
      in: "combineReshapeReduce",
      fault: "a reshape to more than a vector may reorder",
      find: "shapeOf(reshape.result.type).length !== 1",
      replace: "shapeOf(reshape.result.type).length > 2",
    },
  ]),
  ...inFile("passes/tt/reorder-broadcast.ts", [
    {
      in: "moveSplatAfterElementwise",
      fault: "every operand is the first",
      find: "const scalars = (sources as readonly Operation[]).map((source) => {",
      replace:
        "const scalars = (sources as readonly Operation[]).map((_, i, all) => all[i === 1 && all[0]!.result(0).type === all[1]!.result(0).type ? 0 : i]!).map((source) => {",
    },
    {
      in: "moveBroadcastAfterElementwise",
      fault: "operands in reverse order",
      find: "    rw,\n    op,\n    operands,",
      replace: "    rw,\n    op,\n    operands.length === 2 && operands[0]!.type === operands[1]!.type ? operands.toReversed() : operands,",
    },
    {
      in: "sameShape",
      fault: "shapes of one rank are the same",
      find: "x.length === y.length && x.every((extent, i) => extent === y[i])",
      replace: "x.length === y.length",
    },
  ]),
  ...inFile("rewrite/cse.ts", [
    { in: "operation", fault: "reads across writes are one", find: "!writesBetween(existing, op)", replace: "true" },
    { in: "onlyReads", fault: "writes are merged too", find: 'effects.every((e) => e.kind === "read")', replace: "true" },
    {
      in: "restore",
      fault: "what a branch knows holds after it",
      find: "while (this.#ops.length > mark)",
      replace: "while (this.#ops.length > mark + 1)",
    },
    {
      in: "writesBetween",
      fault: "an atomic between two loads does not count",
      find: 'if (!effects || effects.some((e) => e.kind === "write")) return true;',
      replace: 'if (effects?.some((e) => e.kind === "write") && !op.name.includes("atomic")) return true;',
    },
  ]),
  ...inFile("passes/tt/loop-aware-cse.ts", [
    {
      in: "requireIterArgs",
      fault: "carried values need not start equal",
      find: "if (this.#initArgs[i] !== this.#initArgs[j]) return false;",
      replace: "",
    },
    {
      in: "uniteIterArgs",
      fault: "results that look alike at the start are one",
      find: "candidates.find((i) => equalities.areIterArgsEqual(i, j))",
      replace: "candidates[0]",
    },
    { in: "requireOps", fault: "attributes do not matter", kernel: "turns", find: "a.attrs !== b.attrs || ", replace: "" },
  ]),
  ...inFile("passes/tt/licm.ts", [
    {
      in: "loopInvariantCodeMotion",
      fault: "loads leave loops that write",
      kernel: "outside",
      find: "(loopReadsOnly ??= readsOnly(loop))",
      replace: "(loopReadsOnly ??= true)",
    },
    {
      in: "loopInvariantCodeMotion",
      fault: "loads leave by the wrong mask",
      find: 'predicate: "slt", lhs, rhs',
      replace: 'predicate: "sgt", lhs, rhs',
    },
    {
      in: "setMask",
      fault: "the old mask stays",
      find: "if (load.mask) return op.setOperand(1, mask);",
      replace: "if (load.mask) return;",
    },
  ]),
  ...inFile("passes/tt/unroll-loop.ts", [
    {
      in: "unrolledBounds",
      fault: "rounds are not rounded up",
      find: "rw.value(DivUIOp, { lhs: sum, rhs: step }, options)",
      replace: "rw.value(DivUIOp, { lhs: distance, rhs: step }, options)",
      equivalent:
        "the loop after it goes on where the unrolled one ends, up to the same bound, and both do whole steps: fewer rounds in the one are more in the other; bounds that fall are undefined upstream too",
    },
    {
      in: "unrolledBounds",
      fault: "constant rounds: one too many",
      find: "(tripCount - (tripCount % BigInt(factor)))",
      replace: "(tripCount - (tripCount % BigInt(factor)) + BigInt(factor))",
    },
    {
      in: "unrolledBounds",
      fault: "no rounds are left over",
      find: "const hasEpilogue = end < upper;",
      replace: "const hasEpilogue = false;",
    },
    {
      in: "repeatBody",
      fault: "every copy has the first index",
      find: "value: intAttr(iv.type, i)",
      replace: "value: intAttr(iv.type, 0)",
    },
    {
      in: "repeatBody",
      fault: "every copy goes on from the first one",
      find: "last = yielded.map((value) => mapping.get(value));",
      replace: "if (i === 1) last = yielded.map((value) => mapping.get(value));",
    },
    { in: "unrollLoop", fault: "the rest starts from the beginning", find: "epilogue.setOperand(0, bounds.upperBound);", replace: "" },
  ]),
  ...inFile("passes/tt/rewrite-tensor-pointer.ts", [
    {
      in: "advance",
      fault: "the pointer does not advance",
      find: "this.#pointers.set(result, { ...pointer, offsets: moved });",
      replace: "this.#pointers.set(result, pointer);",
    },
    {
      in: "advance",
      fault: "all dimensions advance by the first offset",
      find: "this.widen(offsets[i]!)",
      replace: "this.widen(offsets[0]!)",
    },
    { in: "load", fault: "zeros where NaN is asked for", find: 'padding === "nan"', replace: "false" },
    {
      in: "access",
      fault: "the first dimension is not checked",
      find: "blockMask(maker, pointer, range, boundaryCheck)",
      replace: "blockMask(maker, pointer, range, boundaryCheck.slice(1))",
    },
  ]),
  ...inFile("passes/tt/rewrite-tensor-descriptor-to-pointer.ts", [
    {
      in: "unpack",
      fault: "strides for sizes",
      find: "shape: parts.slice(1, 1 + rank)",
      replace: "shape: parts.slice(1 + rank, 1 + 2 * rank)",
    },
    { in: "access", fault: "only the first dimension is checked", find: "[...offsets.keys()]", replace: "[0]" },
    {
      in: "other",
      fault: "NaN and zero are exchanged",
      find: "true_value: nan, false_value: zero",
      replace: "true_value: zero, false_value: nan",
    },
    {
      in: "reductionOf",
      fault: "minima are maxima",
      find: 'signedness === "signed" ? kind',
      replace: 'signedness === "signed" ? (kind === "min" ? "max" : "min")',
    },
  ]),
  ...inFile("dialects/scf/canonicalize/for.ts", [
    {
      in: "forOpIterArgsFolder",
      fault: "a value that the loop changes is taken for its first one",
      kernel: "turns",
      find: "arg === back || init === back ||",
      replace: 'arg === back || init === back || back.definingOp?.name === "arith.constant" ||',
    },
    {
      in: "simplifyTrivialLoops",
      fault: "a loop of two rounds runs once",
      find: "if (count === 1n) return",
      replace: "if (count === 1n || count === 2n) return",
    },
    {
      in: "simplifyTrivialLoops",
      fault: "a loop of one round never runs",
      find: "if (count === 0n) return",
      replace: "if (count <= 1n) return",
    },
  ]),
];
