/**
 * Where the ops came from that are new in a step of an imported dump: copies of another op, ops of the same source
 * line, ops whose values an identified op uses. A lowering makes many ops of one; with this each of them leads back.
 */
import { byName } from "../../support/by-name.js";
import type { Sliced } from "../../support/slices.js";
import { BLOCK, type TextIR } from "./text-ops.js";
import { hashOf, mixHash } from "./text-scan.js";

/** For each new op of `after` an op of `before`; -1 where none is known. `made` is what is known already. */
export function* inferOrigins(before: TextIR, after: TextIR, partner: Int32Array, made: Int32Array): Sliced<Int32Array> {
  const origin = made;
  for (let i = 0; i < origin.length; i++) if (partner[i]! >= 0 || after.kind[i] === BLOCK) origin[i] = -1;
  if (!partner.includes(-1)) return origin;
  yield* copies(before, after, partner, origin);
  const located = sameLocation(before, after, partner, origin);
  yield;
  if (!located) sameClass(before, after, partner, origin);
  yield;
  alongDataFlow(after, partner, origin);
  return origin;
}

const isNew = (after: TextIR, partner: Int32Array, origin: Int32Array, op: number): boolean =>
  partner[op] === -1 && origin[op] === -1 && after.kind[op] !== BLOCK;

/** An op that says the same of the same operands as an op before is a copy of it. */
function* copies(before: TextIR, after: TextIR, partner: Int32Array, origin: Int32Array): Sliced<void> {
  const source = (op: number): number => (partner[op]! >= 0 ? partner[op]! : origin[op]!);
  const key = (ir: TextIR, op: number, identity: (op: number) => number): number => {
    let h = mixHash(ir.shape[op]!, ir.loc[op]!);
    for (let k = ir.operandStart[op]!; k < ir.operandStart[op + 1]!; k++) {
      const value = ir.operands[k]!;
      const definer = value < 0 ? -2 : identity(ir.valueOp[value]!);
      if (definer === -1) return 0;
      h = mixHash(mixHash(h, definer), value < 0 ? 0 : ir.valueIndex[value]!);
    }
    return h || 1;
  };
  const known = new Map<number, number>();
  const itself = (op: number): number => op;
  for (let i = 0; i < before.numOps; i++) {
    known.set(key(before, i, itself), i);
    if (i % SLICE === SLICE - 1) yield;
  }
  for (let i = 0; i < after.numOps; i++) {
    if (i % SLICE === SLICE - 1) yield;
    if (!isNew(after, partner, origin, i)) continue;
    const k = key(after, i, source);
    if (k !== 0) origin[i] = known.get(k) ?? -1;
  }
}
/** Ops between two halts. */
const SLICE = 16_384;

/**
 * Ops of the same source line. Where a line made several ops, those that are gone come first in question, and an op does
 * not come from one above those that its operands come from. Returns whether there are locations at all.
 */
function sameLocation(before: TextIR, after: TextIR, partner: Int32Array, origin: Int32Array): boolean {
  const kept = new Uint8Array(before.numOps);
  for (const p of partner) if (p >= 0) kept[p] = 1;
  const byLoc = new Map<number, number[]>();
  for (let i = 0; i < before.numOps; i++) {
    const loc = before.loc[i]!;
    if (loc === 0 || before.kind[i] === BLOCK) continue;
    const list = byLoc.get(loc);
    if (list) list.push(i);
    else byLoc.set(loc, [i]);
  }
  if (byLoc.size === 0) return false;
  // Gone ops alone where there are any.
  for (const [loc, list] of byLoc) {
    const gone = list.filter((i) => !kept[i]);
    if (gone.length > 0 && gone.length < list.length) byLoc.set(loc, gone);
  }
  for (let i = 0; i < after.numOps; i++) {
    if (!isNew(after, partner, origin, i)) continue;
    const list = byLoc.get(after.loc[i]!);
    if (!list) continue;
    let from = list[0]!;
    if (list.length > 1)
      for (let k = after.operandStart[i]!; k < after.operandStart[i + 1]!; k++) {
        const value = after.operands[k]!;
        const above = value < 0 ? -1 : origin[after.valueOp[value]!]!;
        if (above > from && list.includes(above)) from = above;
      }
    origin[i] = from;
  }
  return true;
}

/** Names of the LLVM and NVVM dialects for what dialects above call otherwise. */
const CLASSES: Readonly<Record<string, string>> = byName({
  add: "addi",
  sub: "subi",
  mul: "muli",
  and: "andi",
  or: "ori",
  xor: "xori",
  shl: "shli",
  lshr: "shrui",
  ashr: "shrsi",
  sdiv: "divsi",
  udiv: "divui",
  srem: "remsi",
  urem: "remui",
  icmp: "cmpi",
  fadd: "addf",
  fsub: "subf",
  fmul: "mulf",
  fdiv: "divf",
  fcmp: "cmpf",
  fpext: "extf",
  fptrunc: "truncf",
  sitofp: "sitofp",
  getelementptr: "addptr",
});

/** The class of an op by its name; asm by the instruction. Undefined for what can come from anything. */
function classOf(ir: TextIR, op: number): string | undefined {
  const from = ir.lineStart[ir.line[op]!]!;
  const line = ir.text.slice(from, Math.min(from + 160, ir.lineStart[ir.line[op]! + 1]! - 1));
  const name = /^\s*(?:%[^=]* = )?"?([\w$.]+)/.exec(line)?.[1] ?? "";
  if (name.endsWith("inline_asm")) {
    if (/ld\.global/.test(line)) return "load";
    if (/st\.global/.test(line)) return "store";
    if (/cp\.async\.(?:commit|wait)/.test(line)) return "async_wait";
    if (/cp\.async/.test(line)) return "insert_slice_async";
    if (/mma\./.test(line)) return "dot";
    return undefined;
  }
  if (/ctaid/.test(name)) return "get_program_id";
  const last = name.slice(name.lastIndexOf(".") + 1);
  if (["constant", "undef", "insertvalue", "extractvalue", "bitcast"].includes(last)) return undefined;
  return CLASSES[last] ?? last;
}

/** Without locations: ops of one class are in the order of the ops they come from, and each of those has equally many. */
function sameClass(before: TextIR, after: TextIR, partner: Int32Array, origin: Int32Array): void {
  const kept = new Uint8Array(before.numOps);
  for (const p of partner) if (p >= 0) kept[p] = 1;
  const collect = (ir: TextIR, wanted: (op: number) => boolean): Map<string, number[]> => {
    const found = new Map<string, number[]>();
    for (let i = 0; i < ir.numOps; i++) {
      if (ir.kind[i] === BLOCK || !wanted(i)) continue;
      const name = classOf(ir, i);
      if (name === undefined) continue;
      const list = found.get(name);
      if (list) list.push(i);
      else found.set(name, [i]);
    }
    return found;
  };
  const sources = collect(before, (i) => !kept[i] && before.kind[i] !== hashOf("arith.constant"));
  for (const [name, made] of collect(after, (i) => isNew(after, partner, origin, i))) {
    const from = sources.get(name);
    if (from) made.forEach((op, k) => (origin[op] = from[Math.floor((k * from.length) / made.length)]!));
  }
}

/** A new op gets the origin of an op that uses its result; else of an op that makes an operand; else of the op before it. */
function alongDataFlow(after: TextIR, partner: Int32Array, origin: Int32Array): void {
  const source = (op: number): number => (partner[op]! >= 0 ? partner[op]! : origin[op]!);
  for (let i = after.numOps - 1; i >= 0; i--) {
    const from = source(i);
    if (from < 0) continue;
    for (let k = after.operandStart[i]!; k < after.operandStart[i + 1]!; k++) {
      const value = after.operands[k]!;
      if (value >= 0 && isNew(after, partner, origin, after.valueOp[value]!)) origin[after.valueOp[value]!] = from;
    }
  }
  for (let i = 0; i < after.numOps; i++) {
    if (!isNew(after, partner, origin, i)) continue;
    for (let k = after.operandStart[i]!; k < after.operandStart[i + 1]! && origin[i] === -1; k++) {
      const value = after.operands[k]!;
      if (value >= 0) origin[i] = source(after.valueOp[value]!);
    }
    if (origin[i] === -1 && i > 0) origin[i] = source(i - 1);
  }
}
