/** The ROCDL dialect, LLVM's intrinsics of AMD's GPUs and ROCm's device library. */
import * as rocdl from "../../../dialects/rocdl/ops/index.js";
import { intOf } from "../../../ir/builtin-attrs.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { type FunctionText, NotExecutable } from "../function-text.js";
import type { Leaf } from "../leaves.js";
import { constantIndex, type Family, nothing, type Rule } from "./rule.js";

/** A flag among the attributes. */
const flag = (op: Operation, name: string): number => ((intOf(op.attr(name)) ?? 0) === 0 ? 0 : 1);
/** Instructions of waves are executed for waves of 64 lanes. */
const wave = (f: FunctionText, text: string): void => {
  if (f.amd?.warpSize !== 64) throw new NotExecutable("waves of 32 lanes are not modelled");
  f.put(`wave.${text}`);
};
const list = (registers: readonly string[]): string => `{${registers.join(", ")}}`;

const special =
  (name: string): Rule =>
  (f, op) =>
    f.put(`mov.u32 ${f.define(op.result(0))[0]}, %${name}`);

/** A value as words; 8 and 16 bits have one each. */
function wordsOf(f: FunctionText, value: Value): readonly string[] {
  const { bits } = f.leaves(value.type)[0]!;
  const registers = f.use(value);
  if (bits === 1) throw new NotExecutable("bits of predicates");
  const total = bits * registers.length;
  if (total % 32 === 0) return f.reshape(registers, bits, 32);
  if (registers.length > 1) throw new NotExecutable(`${total} bits in words`);
  const word = f.fresh(32);
  f.put(`cvt.u32.u${bits} ${word}, ${registers[0]}`);
  return [word];
}
/** The value of a result from words. */
function fromWords(f: FunctionText, result: Value, words: readonly string[]): void {
  const leaves = f.leaves(result.type);
  const { bits } = leaves[0]!;
  if (bits * leaves.length >= 32) return f.bind(result, f.reshape(words, 32, bits));
  const [d] = f.define(result);
  f.put(`cvt.u${bits}.u32 ${d}, ${words[0]}`);
}
const fresh = (f: FunctionText, count: number): string[] => Array.from({ length: count }, () => f.fresh(32));
const register = (f: FunctionText, value: number): string => {
  const r = f.fresh(32);
  f.put(`mov.b32 ${r}, ${value}`);
  return r;
};

/** Moves each word of a value between lanes. */
function moveWords(f: FunctionText, source: Value, result: Value, move: (d: string, word: string, i: number) => void): void {
  const words = wordsOf(f, source);
  const moved = fresh(f, words.length);
  words.forEach((word, i) => {
    move(moved[i]!, word, i);
  });
  fromWords(f, result, moved);
}

const updateDpp: Rule = (f, op) => {
  const { old, src, res, dppCtrl, rowMask, bankMask, boundCtrl } = rocdl.UpdateDppOp.match(op)!;
  const before = wordsOf(f, old);
  moveWords(f, src, res, (d, word, i) =>
    wave(f, `dpp.b32 ${d}, ${before[i]}, ${word}, ${dppCtrl}, ${rowMask}, ${bankMask}, ${boundCtrl ? 1 : 0}`),
  );
};
const byIndex =
  (name: string, [value, index]: readonly [number, number]): Rule =>
  (f, op) =>
    moveWords(f, op.operand(value), op.result(0), (d, word) => wave(f, `${name}.b32 ${d}, ${word}, ${f.scalar(op.operand(index))}`));
const swizzle: Rule = (f, op) => {
  const pattern = constantIndex(op.operand(1));
  if (pattern === undefined) throw new NotExecutable("a pattern that is not constant");
  moveWords(f, op.operand(0), op.result(0), (d, word) => wave(f, `swizzle.b32 ${d}, ${word}, ${pattern}`));
};
const readFirst: Rule = (f, op) => moveWords(f, op.operand(0), op.result(0), (d, word) => wave(f, `readfirstlane.b32 ${d}, ${word}`));
const ballot: Rule = (f, op) => {
  const halves = fresh(f, 2);
  wave(f, `ballot.b32 ${halves.join(", ")}, ${f.scalar(op.operand(0))}`);
  if (f.leaves(op.result(0).type)[0]!.bits !== 64) throw new NotExecutable("waves of 32 lanes are not modelled");
  fromWords(f, op.result(0), halves);
};
const swap =
  (rows: number): Rule =>
  (f, op) => {
    const made = fresh(f, 2);
    wave(f, `swap.${rows}.b32 ${made.join(", ")}, ${f.scalar(op.operand(0))}, ${f.scalar(op.operand(1))}`);
    f.bind(op.result(0), made);
  };

/** Lanes below this one among those of half a wave. */
const mbcnt =
  (half: 0 | 1): Rule =>
  (f, op) => {
    const [own, below, mask, count] = fresh(f, 4);
    const p = f.fresh(1);
    f.put(`mov.u32 ${own}, %warpid`);
    f.put(`and.b32 ${own}, ${own}, 1`);
    f.put(`mov.u32 ${below}, %lanemask_lt`);
    f.put(`setp.eq.u32 ${p}, ${own}, ${half}`);
    f.put(`selp.b32 ${mask}, ${below}, ${half === 0 ? -1 : 0}, ${p}`);
    f.put(`and.b32 ${mask}, ${mask}, ${f.scalar(op.operand(0))}`);
    f.put(`popc.b32 ${count}, ${mask}`);
    f.put(`add.u32 ${f.define(op.result(0))[0]}, ${count}, ${f.scalar(op.operand(1))}`);
  };

/** The descriptor of a buffer: its first byte and the number of its bytes. */
const makeBuffer: Rule = (f, op) => {
  const { base, numRecords, res } = rocdl.MakeBufferRsrcOp.match(op)!;
  f.bind(res, [f.scalar(base), f.scalar(numRecords)]);
};

/** The address of an access by a buffer, and whether it lies within. */
function place(f: FunctionText, rsrc: Value, offset: Value, soffset: Value, bytes: number): { readonly at: string; readonly on: string } {
  const [base, records] = f.use(rsrc) as [string, string];
  const [wide, uniform, end, at] = [f.fresh(64), f.fresh(64), f.fresh(64), f.fresh(64)];
  const on = f.fresh(1);
  f.put(`cvt.u64.u32 ${wide}, ${f.scalar(offset)}`);
  f.put(`cvt.u64.u32 ${uniform}, ${f.scalar(soffset)}`);
  f.put(`add.u64 ${wide}, ${wide}, ${uniform}`);
  f.put(`add.u64 ${end}, ${wide}, ${bytes}`);
  f.put(`setp.le.u64 ${on}, ${end}, ${records}`);
  f.put(`add.u64 ${at}, ${base}, ${wide}`);
  return { at, on };
}
const bytesOf = (leaves: readonly Leaf[]): number => (leaves.length * leaves[0]!.bits) / 8;

// An access is aligned to words, or to its element where that is smaller, and not to its size.
const bufferLoad: Rule = (f, op) => {
  const { rsrc, offset, soffset, res } = rocdl.RawPtrBufferLoadOp.match(op)!;
  const leaves = f.leaves(res.type);
  const { at, on } = place(f, rsrc, offset, soffset, bytesOf(leaves));
  f.define(res).forEach((d, i) => {
    const { bits } = leaves[i]!;
    f.put(`mov.b${Math.max(bits, 16)} ${d}, 0`);
    f.put(`@${on} ld.global.b${bits} ${d}, [${at}+${(i * bits) / 8}]`);
  });
};
const bufferStore: Rule = (f, op) => {
  const { vdata, rsrc, offset, soffset } = rocdl.RawPtrBufferStoreOp.match(op)!;
  const leaves = f.leaves(vdata.type);
  const { at, on } = place(f, rsrc, offset, soffset, bytesOf(leaves));
  f.use(vdata).forEach((value, i) => {
    const { bits } = leaves[i]!;
    f.put(`@${on} st.global.b${bits} [${at}+${(i * bits) / 8}], ${value}`);
  });
};
const BUFFER_ATOMICS: Readonly<Record<string, string>> = {
  add: "add.u",
  smax: "max.s",
  smin: "min.s",
  umax: "max.u",
  umin: "min.u",
  max: "max.s",
  min: "min.s",
  and: "and.b",
  or: "or.b",
  xor: "xor.b",
  swap: "exch.b",
  exch: "exch.b",
  fadd: "add.",
};
const bufferAtomic =
  (kind: string): Rule =>
  (f, op) => {
    const [data, rsrc, offset, soffset] = op.operands as unknown as readonly [Value, Value, Value, Value];
    const leaves = f.leaves(data.type);
    const name = BUFFER_ATOMICS[kind];
    if (name === undefined) throw new NotExecutable(`a buffer's atomic ${kind}`);
    const { at, on } = place(f, rsrc, offset, soffset, bytesOf(leaves));
    const values = f.use(data);
    f.define(op.result(0)).forEach((d, i) => {
      const { bits, float } = leaves[i]!;
      const noftz = float === "f16" || float === "bf16" ? "noftz." : "";
      const type = kind === "fadd" ? `${noftz}${float}` : String(bits);
      f.put(`mov.b${bits} ${d}, 0`);
      f.put(`@${on} atom.relaxed.gpu.global.${name}${type} ${d}, [${at}+${(i * bits) / 8}], ${values[i]}`);
    });
  };
const bufferCas: Rule = (f, op) => {
  const { src, cmp, rsrc, offset, soffset, res } = rocdl.RawPtrBufferAtomicCmpSwap.match(op)!;
  const { bits } = f.leaves(src.type)[0]!;
  const { at, on } = place(f, rsrc, offset, soffset, bits / 8);
  const [d] = f.define(res);
  f.put(`mov.b${bits} ${d}, 0`);
  f.put(`@${on} atom.relaxed.gpu.global.cas.b${bits} ${d}, [${at}], ${f.scalar(cmp)}, ${f.scalar(src)}`);
};

/** The kinds of fp8 of a GPU: CDNA3's have a bias of their own, and no negative zero. */
const small = (f: FunctionText, name: string): string => {
  const suffix = f.amd?.family === "CDNA3" && name !== "fp4" ? "fnuz" : "";
  return ({ fp8: "e4m3", bf8: "e5m2", fp4: "e2m1" }[name] ?? name) + suffix;
};
const one = (f: FunctionText): string => register(f, 0x3f800000);

function unpack(f: FunctionText, op: Operation, wide: string, from: string, at: number, scale: string): void {
  const pair = fresh(f, wide === "f32" ? 2 : 1);
  f.put(`amd.unpack.${wide}.${from} ${list(pair)}, ${f.scalar(op.operand(0))}, ${at}, ${scale}`);
  fromWords(f, op.result(0), pair);
}
function pack(
  f: FunctionText,
  result: Value,
  to: string,
  pair: readonly string[],
  old: string,
  at: number,
  scale: string,
  rounding = "rn",
): void {
  const [d] = fresh(f, 1);
  f.put(`amd.pack.${to}.${rounding} ${d}, ${pair.join(", ")}, ${old}, ${at}, ${scale}`);
  fromWords(f, result, [d!]);
}
/** Two floats of 16 bits as f32. */
function widened(f: FunctionText, value: Value, kind: string): readonly string[] {
  return f.use(value).map((half) => {
    const [wide] = fresh(f, 1);
    f.put(`cvt.f32.${kind} ${wide}, ${half}`);
    return wide!;
  });
}
const NARROW = ["fp8", "bf8"];
const WIDE = ["f32", "f16", "bf16"];
const CONVERSIONS: Family = [
  ...NARROW.flatMap(
    (name): Family => [
      [`rocdl.cvt.pk.f32.${name}`, (f, op) => unpack(f, op, "f32", small(f, name), flag(op, "wordSel"), one(f))],
      [
        `rocdl.cvt.pk.${name}.f32`,
        (f, op) => {
          const [a, b, old] = op.operands.map((o) => f.scalar(o)) as [string, string, string];
          pack(f, op.result(0), small(f, name), [a, b], old, flag(op, "wordSel"), one(f));
        },
      ],
    ],
  ),
  ...WIDE.flatMap(
    (wide): Family => [
      ...NARROW.map((name): Family[number] => [
        `rocdl.cvt.scalef32.pk.${wide}.${name}`,
        (f, op) => unpack(f, op, wide, small(f, name), flag(op, "srcLoHiSel"), f.scalar(op.operand(1))),
      ]),
      [
        `rocdl.cvt.scalef32.pk.${wide}.fp4`,
        (f, op) => unpack(f, op, wide, small(f, "fp4"), intOf(op.attr("srcSelIndex")) ?? 0, f.scalar(op.operand(1))),
      ],
      ...NARROW.map((name): Family[number] => [
        `rocdl.cvt.scalef32.pk.${name}.${wide}`,
        (f, op) => {
          const [old] = wordsOf(f, op.operand(0));
          const pair = wide === "f32" ? [1, 2].map((i) => f.scalar(op.operand(i))) : widened(f, op.operand(1), wide);
          pack(f, op.result(0), small(f, name), pair, old!, flag(op, "dstLoHiSel"), f.scalar(op.operands.at(-1)!));
        },
      ]),
    ],
  ),
  [
    "rocdl.cvt.pkrtz",
    (f, op) => {
      const pair = op.operands.map((o) => f.scalar(o));
      pack(f, op.result(0), "f16", pair, register(f, 0), 0, one(f), "rz");
    },
  ],
];

/** The element types of a matrix instruction's operands, by what follows its shape. */
function elementTypes(f: FunctionText, name: string): readonly [string, string] {
  const kinds = name.split(".");
  if (kinds.length === 2) return [small(f, kinds[0]!), small(f, kinds[1]!)];
  const kind = name
    .replace(/\.1k$|^\./g, "")
    .replace("i8", "s8")
    .replace("xf32", "tf32");
  return [kind, kind];
}
const FORMATS = ["e4m3", "e5m2", "e2m3", "e3m2", "e2m1"];

const mfma: Rule = (f, op) => {
  const found = /^rocdl\.mfma\.(?:scale\.)?(f32|f64|i32)\.(\d+)x(\d+)x(\d+)\.?(.*)$/.exec(op.name);
  if (!found) throw new NotExecutable("a matrix instruction of another shape");
  const [, result = "", m = "", n = "", k = "", kinds = ""] = found;
  const [a, b, c, ...flags] = op.operands as unknown as readonly [Value, Value, Value, ...Value[]];
  const constants = flags.map(constantIndex);
  const types =
    kinds === "f8f6f4"
      ? [FORMATS[constants[0] ?? -1] ?? "", FORMATS[constants[1] ?? -1] ?? ""]
      : elementTypes(f, kinds === "bf16.1k" ? "bf16" : kinds);
  if (types.includes("")) throw new NotExecutable("a format that is not constant");
  const isDouble = result === "f64";
  const operand = (value: Value): string => list(isDouble ? f.use(value) : wordsOf(f, value));
  const blocks = m === "4" ? 16 : 1;
  const out = f.define(op.result(0));
  // With constant zeros in place of both scales LLVM takes the instruction without scales.
  const isScaled = kinds === "f8f6f4" && !(constants[3] === 0 && constants[5] === 0);
  const broadcast = kinds === "f8f6f4" ? [0, 0] : [constants[0] ?? 0, constants[1] ?? 0];
  const extra = [...broadcast, ...(isScaled ? flags.slice(2).map((v) => f.scalar(v)) : [])].join(", ");
  wave(
    f,
    `mfma.${m}x${n}x${k}x${blocks}.${result === "i32" ? "s32" : result}.${types.join(".")} ${list(out)}, ${operand(a)}, ${operand(b)}, ${list(f.use(c))}, ${extra}`,
  );
};

const transposedRead =
  (bits: number): Rule =>
  (f, op) => {
    if (f.amd?.warpSize === 64) wave(f, "sync");
    const [own, got] = [fresh(f, 2), fresh(f, 2)];
    f.put(`ld.shared.v2.b32 ${list(own)}, [${f.scalar(op.operand(0))}]`);
    wave(f, `transpose.b${bits} ${list(got)}, ${list(own)}`);
    fromWords(f, op.result(0), got);
  };

const barrier: Rule = (f) => f.put("bar.sync 0");

export const ROCDL: Family = [
  ...["x", "y", "z"].flatMap(
    (axis): Family => [
      [`rocdl.workitem.id.${axis}`, special(`tid.${axis}`)],
      [`rocdl.workgroup.id.${axis}`, special(`ctaid.${axis}`)],
      [`rocdl.workgroup.dim.${axis}`, special(`ntid.${axis}`)],
      [`rocdl.grid.dim.${axis}`, special(`nctaid.${axis}`)],
    ],
  ),
  ["rocdl.update.dpp", updateDpp],
  ["rocdl.ds_bpermute", byIndex("bpermute", [1, 0])],
  ["rocdl.readlane", byIndex("readlane", [0, 1])],
  ["rocdl.ds_swizzle", swizzle],
  ["rocdl.ballot", ballot],
  ["rocdl.mbcnt.lo", mbcnt(0)],
  ["rocdl.mbcnt.hi", mbcnt(1)],
  ["rocdl.make.buffer.rsrc", makeBuffer],
  ["rocdl.raw.ptr.buffer.load", bufferLoad],
  ["rocdl.raw.ptr.buffer.store", bufferStore],
  ["rocdl.raw.ptr.buffer.atomic.cmpswap", bufferCas],
  ["rocdl.barrier", barrier],
  ["rocdl.s.barrier", barrier],
  // Waits and hints to the order of instructions: accesses take effect in their order here.
  ...["s.waitcnt", "s.sleep", "s.setprio", "sched.barrier", "sched.group.barrier", "iglp.opt"].map(
    (name) => [`rocdl.${name}`, nothing] as const,
  ),
  ["rocdl.ds.read.tr16.b64", transposedRead(16)],
  ["rocdl.ds.read.tr8.b64", transposedRead(8)],
  ...CONVERSIONS,
];
/** A matrix instruction, by its name. */
export const matrixRule = (name: string): Rule | undefined => (name.startsWith("rocdl.mfma.") ? mfma : undefined);

const float =
  (text: string): Rule =>
  (f, op) =>
    f.put(`${text} ${f.define(op.result(0))[0]}, ${op.operands.map((o) => f.scalar(o)).join(", ")}`);

/** Intrinsics of AMD's GPUs, by name; called as functions too. */
const INTRINSICS: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["llvm.exp2.f32", float("ex2.approx.f32")],
  ["llvm.log2.f32", float("lg2.approx.f32")],
  ["llvm.amdgcn.exp2.f32", float("ex2.approx.f32")],
  ["llvm.amdgcn.log.f32", float("lg2.approx.f32")],
  ["llvm.amdgcn.sqrt.f32", float("sqrt.rn.f32")],
  ["llvm.amdgcn.rsq.f32", float("rsqrt.approx.f32")],
  ["llvm.amdgcn.rcp.f32", float("rcp.rn.f32")],
  ["llvm.amdgcn.perm", float("amd.perm")],
  ["llvm.amdgcn.readfirstlane", readFirst],
  ["llvm.amdgcn.ds.bpermute", byIndex("bpermute", [1, 0])],
  ["llvm.amdgcn.ds.permute", byIndex("permute", [1, 0])],
  ["llvm.amdgcn.permlane16.swap", swap(16)],
  ["llvm.amdgcn.permlane32.swap", swap(32)],
  ["llvm.amdgcn.wave.barrier", (f) => wave(f, "sync")],
  ["llvm.amdgcn.raw.ptr.buffer.atomic.cmpswap", bufferCas],
]);
const ATOMIC = "llvm.amdgcn.raw.ptr.buffer.atomic.";
export const amdIntrinsic = (name: string): Rule | undefined =>
  INTRINSICS.get(name) ?? (name.startsWith(ATOMIC) ? bufferAtomic(name.slice(ATOMIC.length)) : undefined);
/** The function of NVIDIA's math library that does what one of ROCm's does. */
export function ofDeviceLibrary(name: string): string | undefined {
  const found = /^__ocml_(\w+)_f(32|64)$/.exec(name);
  return found ? `__nv_${found[1]}${found[2] === "32" ? "f" : ""}` : undefined;
}
