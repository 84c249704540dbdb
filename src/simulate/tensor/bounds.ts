/**
 * How far another stage may lie off and still be right: the bounds of the table, carried along with the values of one more
 * run of the source. Loaded values and constants are exact; an op that rounds leaves open its type's part of the result, a sum
 * of the magnitudes that it adds; what operands leave open goes on to first order, as the op itself says when it is executed
 * with each of them moved up and down. The larger of the two counts:
 *
 *     %d = arith.subf %a, %b     a, b loaded: 1e-5 (|a| + |b|)
 *     %e = math.exp %d           max(1e-5 e^d, e^(d + bound) - e^d)
 *     %h = arith.truncf %e       a step of a half where a rounding boundary is within reach, else nothing
 *     %c = arith.cmpf ogt %e, %x     may be the other way round where they are so close;
 *     %s = arith.select %c, %a, %b   and then this is off by |a - b|
 *
 * A zero has the sign that the source gives it, but for matrix products, maxima and minima of zeros of either sign, and what is
 * rounded to zero and may come from either side of it: %h, where %e is 0 or -1e-9.
 * So orders of sums, fused multiply-adds and approximated functions are covered, and nothing else is. Bounds belong to
 * arrays of elements: an array without one is exact. Memory keeps those of what is stored.
 */

import { BufferLoadOp } from "../../dialects/amdg/ops/buffer.js";
import * as arith from "../../dialects/arith/ops/index.js";
import * as math from "../../dialects/math/ops/index.js";
import * as tt from "../../dialects/tt/ops/index.js";
import * as ttg from "../../dialects/ttg/ops/index.js";
import type { OpDef } from "../../ir/define-op.js";
import { isPureOp } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";
import { dot, type InputPrecision } from "./dot-product.js";
import { type Data, type Element, floatElement } from "./elements.js";
import type { Instruction } from "./instructions.js";
import { loop } from "./loops.js";
import type { Frame, Machine } from "./machine.js";
import { alike } from "./rules/elementwise.js";
import { LEAST, OPEN_SIGN, TOLERANCES } from "./tolerances.js";
import { numberAt, type Tensor, tensor, type Val } from "./value.js";

const F64 = floatElement("f64");

/** Ops that hand on what they are given, whatever it is: bounds go through them as the elements do. */
const MOVES: ReadonlySet<OpDef> = new Set<OpDef>([
  ...[tt.SplatOp, tt.UnsplatOp, tt.ExpandDimsOp, tt.ReshapeOp, tt.ViewOp, tt.BroadcastOp, tt.TransOp, tt.CatOp, tt.JoinOp, tt.SplitOp],
  ...[tt.GatherOp, ttg.ConvertLayoutOp],
]);
/** Ops of arith and math whose result every stage rounds alike, or that round nothing. */
const ROUNDED_ALIKE: ReadonlySet<OpDef> = new Set<OpDef>([
  ...[arith.ConstantOp, arith.NegFOp, arith.SelectOp, arith.BitcastOp, arith.SIToFPOp, arith.UIToFPOp, arith.ExtFOp, arith.TruncFOp],
  ...[arith.MaximumFOp, arith.MinimumFOp, arith.ScalingExtFOp, arith.ScalingTruncFOp],
  ...[math.AbsFOp, math.CeilOp, math.FloorOp, math.TruncOp, math.RoundOp, math.RoundEvenOp, math.CopySignOp, math.ClampFOp],
]);
const ROUNDS = /^(?:arith|math)\.|^tt\.(?:extern_elementwise|precise_\w+)$/;

/** The error bound of each element. */
export type Bound = Float64Array;

export class Bounds {
  readonly #of = new WeakMap<Data, Bound>();
  /** Error bounds of the values stored in global memory, by address; a value without an entry is exact. */
  readonly stored = new Map<number, number>();

  /** Executes an instruction and finds what its results leave open. */
  run(instruction: Instruction, frame: Frame, machine: Machine): void {
    const { op, ins, outs } = instruction;
    const { env } = frame;
    const before = new Map(ins.map((slot) => [slot, env[slot]!]));
    instruction.run(frame, machine);
    if (op.regions.length > 0 || outs.length === 0 || !isFunction(op)) return;
    const open = [...before].filter(([, value]) => value.form === "tensor" && this.#of.has(value.data)) as [number, Tensor][];
    const results = outs.map((slot) => env[slot]!);
    const given = ins.map((slot) => before.get(slot)!);
    const own = results.map((result) => (isLoad(op) ? this.#boundOf(result) : roundingOf(op, result, given)));
    if (open.length > 0 && MOVES.has(op.def)) this.#move(instruction, frame, machine, results);
    else if (open.length > 0 || own.some(Boolean)) {
      const spreads = this.#spreads(instruction, frame, machine, open, results);
      results.forEach((result, i) => {
        const bound = larger(own[i], spreads[i]);
        if (!bound || result.form !== "tensor") return;
        // The operand itself, which keeps its own.
        const isOperand = open.some(([, value]) => value.data === result.data);
        const fresh = isOperand ? { ...result, data: result.data.slice() as Data } : result;
        this.#set(fresh.data, bound);
        results[i] = fresh;
      });
    }
    results.forEach((result, i) => {
      env[outs[i]!] = result;
    });
  }

  /** The op executed on the bounds in place of the elements. */
  #move(instruction: Instruction, frame: Frame, machine: Machine, results: readonly Val[]): void {
    const { env } = frame;
    const moved = tt.GatherOp.is(instruction.op) ? instruction.ins.slice(0, 1) : instruction.ins;
    const kept = moved.map((slot) => env[slot] as Tensor);
    kept.forEach((value, i) => {
      env[moved[i]!] = asTensor(value, this.#boundOf(value) ?? new Float64Array(value.data.length));
    });
    instruction.run(frame, machine);
    results.forEach((result, i) => {
      this.#set((result as Tensor).data, (env[instruction.outs[i]!] as Tensor).data);
    });
    kept.forEach((value, i) => {
      env[moved[i]!] = value;
    });
  }

  /** How far results move when operands do, one operand at a time. */
  #spreads(
    instruction: Instruction,
    frame: Frame,
    machine: Machine,
    open: readonly (readonly [number, Tensor])[],
    results: readonly Val[],
  ): (Bound | undefined)[] {
    const { op, outs } = instruction;
    // Sorts exchange elements so: what comes out is one of those that went in.
    if (arith.XOrIOp.is(op) && (results[0] as Tensor).element.width > 1)
      return [open.map(([, value]) => this.#boundOf(value)).reduce(larger)];
    const { env } = frame;
    const spreads = results.map((result) => (result.form === "tensor" ? new Float64Array(result.data.length) : undefined));
    const turn = turnOf(op);
    for (const [slot, value] of open) {
      const [up, down] = (["+", "-"] as const).map((sign) => {
        env[slot] = moved(value, this.#of.get(value.data)!, sign);
        instruction.run(frame, machine);
        return outs.map((out) => env[out] as Tensor);
      });
      env[slot] = value;
      // A NaN says nothing here: it must be one in all stages.
      spreads.forEach((spread, i) => {
        if (!spread) return;
        const far = computed(F64, `Math.max(${apart("b")}, ${apart("c")})`, results[i] as Tensor, up![i]!, down![i]!);
        const by = this.#of.get(value.data)!;
        for (let at = 0; at < far.length; at++) spread[at]! += Math.max(far[at] as number, turn?.(by[at]!) ?? 0);
      });
    }
    return spreads;
  }

  /**
   * The error bound of a matrix product: its share of the sum of magnitudes, and the bounds carried over from its operands. tf32 may
   * be f32 in other stages where `mayBeExact`: it leaves out a part of either operand.
   */
  product(result: Tensor, a: Tensor, b: Tensor, c: Tensor, precision: InputPrecision, mayBeExact = false): void {
    if (result.element.family !== "float") return;
    const [sizeA, sizeB] = [magnitudes(a), magnitudes(b)];
    // To tf32 an operand is rounded, perhaps the other way.
    const least = precision === "tf32" && a.element.name === "f32" ? TOLERANCES["tf32"]! : 0;
    const open = (value: Tensor, size: Tensor): Tensor | undefined => {
      const bound = this.#boundOf(value);
      return bound && asTensor(value, computed(F64, `a > 0 ? Math.max(a, ${least} * b) : 0`, asTensor(value, bound), size));
    };
    const [openA, openB] = [open(a, sizeA), open(b, sizeB)];
    const zero = asTensor(c, new Float64Array(c.data.length));
    let carried = zero;
    if (openA) carried = dot(openA, sizeB, carried, "ieee");
    if (openB) carried = dot(sizeA, openB, carried, "ieee");
    // A chain of products is one sum: each adds its part to what the accumulator leaves open.
    const most = mayBeExact && least > 0 ? 2 * least : TOLERANCES[result.element.name];
    const sizes = asTensor(c, dot(sizeA, sizeB, zero, "ieee").data);
    // Sums of f32 round once for each product that is not zero, in whatever order; a few more for the accumulator and the parts of bf16x6.
    const counts = precision === "f32" ? dot(nonZeros(a), nonZeros(b), zero, "ieee") : zero;
    const part = precision === "f32" ? `Math.min(${most}, ${2 ** -23} * (b + 4))` : most;
    const parts = [sizes, magnitudes(c)].map((size) => asTensor(c, computed(F64, `a * ${part}`, size, counts)));
    this.#set(
      result.data,
      computed(
        F64,
        `((x) => x === x ? x || ${OPEN_SIGN} : Infinity)(Math.max(a + b, Math.max(a, c) + d))`,
        ...parts,
        carried,
        asTensor(c, this.#boundOf(c) ?? zero.data),
      ),
    );
  }

  #set(data: Data, bound: Data): void {
    if ((bound as Bound).some((x) => x > 0)) this.#of.set(data, bound as Bound);
  }
  #boundOf(value: Val): Bound | undefined {
    return value.form === "tensor" ? this.#of.get(value.data) : undefined;
  }

  // --- What moves elements from array to array ----------------------------------------------------

  /** `to[i]` was set to `from[at[i]]`. */
  taken(from: Data, at: Int32Array, to: Data): void {
    const bound = this.#of.get(from);
    if (!bound) return;
    const taken = new Float64Array(at.length);
    for (let i = 0; i < at.length; i++) taken[i] = bound[at[i]!]!;
    this.#of.set(to, taken);
  }
  /** `to[at[i]]` was set to `from[i]`. */
  put(from: Data, at: Int32Array, to: Data): void {
    const bound = this.#of.get(from);
    if (!bound && !this.#of.has(to)) return;
    const into = this.#of.get(to) ?? new Float64Array(to.length);
    for (let i = 0; i < at.length; i++) into[at[i]!] = bound?.[i] ?? 0;
    this.#of.set(to, into);
  }
  /** `to` from `at` on was set to what `from` holds from `begin` to `end`. */
  copied(from: Data, begin: number, end: number, to: Data, at: number): void {
    const bound = this.#of.get(from);
    if (!bound) return;
    const into = this.#of.get(to) ?? new Float64Array(to.length);
    into.set(bound.subarray(begin, end), at);
    this.#of.set(to, into);
  }

  // --- Global memory ------------------------------------------------------------------------------

  loaded(addresses: Data, mask: Data | undefined, data: Data): void {
    if (this.stored.size === 0) return;
    const bound = Float64Array.from(data as Float64Array, (_, i) =>
      mask && !mask[i] ? 0 : (this.stored.get(addresses[i] as number) ?? 0),
    );
    this.#set(data, bound);
  }
  storedFrom(data: Data, addresses: Data, mask: Data | undefined): void {
    const bound = this.#of.get(data);
    for (let i = 0; i < addresses.length; i++) if (!mask || mask[i]) this.#store(addresses[i] as number, bound?.[i] ?? 0);
  }
  /** An atomic met `found` in memory, element by element, and combined it with `data`. */
  combined(kind: string, element: Element, found: Data, data: Data, addresses: Data, mask: Data | undefined): void {
    const [bound, result] = [this.#of.get(data), new Float64Array(found.length)];
    const isSum = kind === "add" || kind === "fadd";
    const part = isSum && element.family === "float" ? TOLERANCES[element.name]! : 0;
    const size = (from: Data, i: number) => Math.abs(numberAt({ element, data: from } as Tensor, i));
    for (let i = 0; i < addresses.length; i++) {
      if (mask && !mask[i]) continue;
      const address = addresses[i] as number;
      const [was, by] = [this.stored.get(address) ?? 0, bound?.[i] ?? 0];
      result[i] = was;
      const [a, b] = [size(found, i), size(data, i)];
      const own = a > 0 && b > 0 ? part * (a + b) : 0;
      this.#store(address, kind === "exch" ? by : Math.max(own, isSum ? was + by : Math.max(was, by)));
    }
    this.#set(found, result);
  }
  #store(address: number, bound: number): void {
    if (bound > 0) this.stored.set(address, bound);
    else this.stored.delete(address);
  }
}

const isLoad = (op: Operation): boolean => tt.LoadOp.is(op) || BufferLoadOp.is(op);

/** Whether an op may be executed again to see what else it gives. */
function isFunction(op: Operation): boolean {
  if (tt.DotOp.is(op) || tt.DotScaledOp.is(op)) return false;
  return isPureOp(op) || isLoad(op) || tt.ExternElementwiseOp.is(op);
}

/** How far a periodic function may be off where its operand is off by so much: an operand that is off by a whole turn seems to change nothing. */
function turnOf(op: Operation): ((by: number) => number) | undefined {
  const name = tt.ExternElementwiseOp.match(op)?.symbol ?? op.name;
  const [, which, pi] = /^(?:math\.|__(?:nv|ocml)_(?:fast_|native_)?)(sin|cos|tan)(pi)?f?(?:_f\d+)?$/.exec(name) ?? [];
  if (!which) return undefined;
  const factor = pi ? Math.PI : 1;
  return which === "tan" ? (by) => (by * factor < 1 ? 0 : Infinity) : (by) => Math.min(by * factor, 2);
}

/** The error bound that an op adds by rounding its result. */
function roundingOf(op: Operation, result: Val, operands: readonly Val[]): Bound | undefined {
  if (result.form !== "tensor" || result.element.family !== "float") return undefined;
  if (!ROUNDS.test(op.name) || ROUNDED_ALIKE.has(op.def)) return undefined;
  const { element } = result;
  const of = (size: string) =>
    `((size) => size > 0 && size < Infinity ? Math.max(${TOLERANCES[element.name]} * size, ${LEAST[element.name]}) : 0)(${size})`;
  const [a, b, c] = operands as readonly Tensor[];
  const bound = (size: string, ...tensors: readonly Tensor[]) => computed(F64, of(size), ...tensors) as Bound;
  if (arith.MaxNumFOp.is(op) || arith.MinNumFOp.is(op))
    return computed(F64, `a === 0 && b === 0 && !Object.is(a, b) ? ${OPEN_SIGN} : 0`, a!, b!) as Bound;
  if (arith.AddFOp.is(op) || arith.SubFOp.is(op)) return bound("a !== 0 && b !== 0 ? Math.abs(a) + Math.abs(b) : 0", a!, b!);
  // A product may round to zero: it is not zero in a fused multiply-add.
  if (arith.MulFOp.is(op) && element.name !== "f64")
    return bound(`a * b === c ? 0 : Math.max(Math.abs(c), ${Number.MIN_VALUE})`, a!, b!, result);
  if (math.FmaOp.is(op)) return bound("Math.abs(a * b) + Math.abs(c)", a!, b!, c!);
  return bound("Math.abs(a)", result);
}

/** The expression of elements of tensors, of which those that hold one element are repeated. */
function computed(out: Element, expression: string, ...tensors: readonly Tensor[]): Data {
  const same = alike(tensors);
  const result = out.alloc(Math.max(...same.map((t) => t.data.length)));
  const ins = same.map((t) => t.element);
  loop(out, ins, expression)(result.length, result, ...same.map((t) => t.data));
  return result;
}

/** A tensor with every element as far up or down as it may be; a boolean is the other one. */
function moved(value: Tensor, bound: Bound, sign: "+" | "-"): Tensor {
  const { element, shape } = value;
  const steps = `Math.ceil(Math.min(b, ${2 ** Math.max(element.width - 2, 0)}))`;
  const by = element.family === "float" ? "b" : element.big ? `BigInt(${steps})` : steps;
  const expression = element.width === 1 ? "b > 0 ? (a ? 0 : -1) : a" : `b > 0 ? a ${sign} ${by} : a`;
  return tensor(element, shape, computed(element, expression, value, asTensor(value, bound)));
}

/** How far the result is from a moved one. A zero of the other sign counts: a rounded result may be zero from either side. */
const apart = (other: string): string =>
  `(Math.abs(Number(a - ${other})) || (Object.is(a, ${other}) || a !== ${other} ? 0 : ${OPEN_SIGN}))`;

const asTensor = ({ shape }: Tensor, bound: Data): Tensor => tensor(F64, shape, bound);
const larger = (a: Bound | undefined, b: Bound | undefined): Bound | undefined => (a && b ? a.map((x, i) => Math.max(x, b[i]!)) : (a ?? b));
const nonZeros = (value: Tensor): Tensor => tensor(F64, value.shape, computed(F64, "a === 0 ? 0 : 1", value));
const magnitudes = (value: Tensor): Tensor => tensor(F64, value.shape, computed(F64, "Math.abs(a)", value));
