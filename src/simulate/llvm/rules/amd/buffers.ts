/** Accesses by a buffer's descriptor, and copies straight to LDS. */
import * as rocdl from "../../../../dialects/rocdl/ops/index.js";
import { intOf } from "../../../../ir/builtin-attrs.js";
import type { Value } from "../../../../ir/value.js";
import { type FunctionText, NotExecutable } from "../../function-text.js";
import type { Leaf } from "../../leaves.js";
import { constantIndex, type Family, type Rule } from "../rule.js";
import { fresh } from "./words.js";

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
    const name = BUFFER_ATOMICS[kind]!;
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

/**
 * A copy to LDS of so many bytes a lane. The lanes of a wave fill the memory from one address on, in their order. Each copy is a group of
 * its own: a wait is for all but the last N of them. Other memory operations, which the counter counts too, are not counted: that
 * they end first is no promise of the program.
 */
function copyToLds(f: FunctionText, from: string, to: Value, bytes: number, size?: string): void {
  const [lane, at] = fresh(f, 2);
  f.put(`mov.u32 ${lane}, %tid.x`);
  f.put(`and.b32 ${lane}, ${lane}, ${f.amd!.warpSize - 1}`);
  f.put(`mad.lo.u32 ${at}, ${lane}, ${bytes}, ${f.scalar(to)}`);
  copy(f, from, at!, bytes, size);
}
function copy(f: FunctionText, from: string, at: string, bytes: number, size?: string): void {
  f.put(`cp.async.words.shared.global [${at}], [${from}], ${[bytes, size].filter((v) => v !== undefined).join(", ")}`);
  f.put(f.amd!.warpSize === 64 ? "wave.commit_copies" : "cp.async.commit_group");
}
const bytesOfCopy = (size: number | undefined): number => {
  if (size === undefined || size % 4 !== 0) throw new NotExecutable("copies of less than a word");
  return size;
};
const bufferToLds: Rule = (f, op) => {
  const { rsrc, ldsPtr, size, voffset, soffset, offset } = rocdl.RawPtrBufferLoadLdsOp.match(op)!;
  if (constantIndex(offset) !== 0) throw new NotExecutable("a copy with an offset in its instruction");
  const bytes = bytesOfCopy(constantIndex(size));
  const { at, on } = place(f, rsrc, voffset, soffset, bytes);
  const [known] = fresh(f, 1);
  f.put(`selp.b32 ${known}, ${bytes}, 0, ${on}`);
  copyToLds(f, at, ldsPtr, bytes, known);
};
const globalToLds: Rule = (f, op) => {
  const { globalPtr, ldsPtr, size, offset } = rocdl.GlobalLoadLdsOp.match(op)!;
  if (offset !== 0) throw new NotExecutable("a copy with an offset in its instruction");
  copyToLds(f, f.scalar(globalPtr), ldsPtr, bytesOfCopy(size));
};
/** On gfx1250 each lane names its place in LDS. */
const laneToLds =
  (bits: number): Rule =>
  (f, op) =>
    copy(f, f.scalar(op.operand(0)), f.scalar(op.operand(1)), bytesOfCopy(bits / 8));

/** Waits until at most so many copies are under way. */
const waitForCopies = (f: FunctionText, count: number): void => f.put(`cp.async.wait_group ${count}`);
const MOST = 63;
/** `s_waitcnt`: the counter of vector memory on CDNA, of which copies are a part. */
const waitForCounters: Rule = (f, op) => {
  const bits = intOf(op.attr("bitfield"))!;
  const vector = (bits & 15) | ((bits >> 10) & 48);
  if (f.amd!.family.startsWith("CDNA") && vector < MOST) waitForCopies(f, vector);
};
const waitAsync: Rule = (f, op) => {
  const count = constantIndex(op.operand(0));
  if (count === undefined) throw new NotExecutable("a count that is not constant");
  waitForCopies(f, count);
};

export const BUFFERS: Family = [
  ["rocdl.make.buffer.rsrc", makeBuffer],
  ["rocdl.raw.ptr.buffer.load", bufferLoad],
  ["rocdl.raw.ptr.buffer.store", bufferStore],
  ["rocdl.raw.ptr.buffer.atomic.cmpswap", bufferCas],
  ["rocdl.raw.ptr.buffer.load.lds", bufferToLds],
  ["rocdl.global.load.lds", globalToLds],
  ["rocdl.s.waitcnt", waitForCounters],
];
/** By the intrinsic's name. */
export const BUFFER_INTRINSICS: Family = [
  ...Object.keys(BUFFER_ATOMICS).map((kind) => [`llvm.amdgcn.raw.ptr.buffer.atomic.${kind}`, bufferAtomic(kind)] as const),
  ["llvm.amdgcn.raw.ptr.buffer.atomic.cmpswap", bufferCas],
  ...[32, 64, 96, 128].map((bits) => [`llvm.amdgcn.global.load.async.to.lds.b${bits}`, laneToLds(bits)] as const),
  ["llvm.amdgcn.s.wait.asynccnt", waitAsync],
];
