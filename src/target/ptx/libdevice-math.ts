/** The language that functions of libdevice are written in: operations on nodes of one kind of float, branches and loops. */
import type { Floats } from "./floats.js";
import { type Block, type Node, valueOf, type Width } from "./graph.js";
import type { Fit } from "./libdevice-coefficients.js";
import type { PtxLowering } from "./lower.js";
import type { Simplifier } from "./simplify.js";

/** A function of libdevice, for the kind of float of `m`. */
export type LibdeviceRule = (m: LibdeviceMath, x: Node, ...others: readonly Node[]) => Node;

/** A number as the unevaluated sum of two. */
export interface Pair {
  readonly h: Node;
  readonly l: Node;
}

export class LibdeviceMath {
  readonly s: Simplifier;
  readonly f: Floats;
  readonly width: 32 | 64;
  /** Subnormals are flushed. */
  readonly flushes: boolean;
  /** `ftz.f32`, `f32` or `f64`: how mnemonics end. */
  readonly type: string;
  constructor(
    readonly l: PtxLowering,
    readonly kind: "f32" | "f64",
  ) {
    this.s = l.s;
    this.f = l.floats;
    this.width = kind === "f32" ? 32 : 64;
    this.flushes = kind === "f32" && l.options.ftz;
    this.type = this.flushes ? "ftz.f32" : kind;
  }
  get isFloat(): boolean {
    return this.kind === "f32";
  }
  /** The same for the other kind. */
  as(kind: "f32" | "f64"): LibdeviceMath {
    return new LibdeviceMath(this.l, kind);
  }
  /** Selects the value for this kind. */
  by<T>(f32: T, f64: T): T {
    return this.isFloat ? f32 : f64;
  }

  // --- constants ---------------------------------------------------------------------------------

  number(value: number): Node {
    return this.f.constant(this.kind, value);
  }
  int(value: number | bigint, width: Width = this.width): Node {
    return this.s.constant(width, value);
  }
  get nan(): Node {
    return this.number(Number.NaN);
  }
  get infinity(): Node {
    return this.number(Number.POSITIVE_INFINITY);
  }

  // --- arithmetic: never fused, never reordered -----------------------------------------------------

  make(mnemonic: string, width: Width, ...inputs: readonly Node[]): Node {
    return this.f.make(mnemonic, width, ...inputs);
  }
  /** An instruction of this kind of float: `op("rcp.rn", x)`. */
  op(name: string, ...inputs: readonly Node[]): Node {
    return this.make(`${name}.${this.type}`, this.width, ...inputs);
  }
  add(a: Node, b: Node | number): Node {
    return this.op("add.rn", a, this.of(b));
  }
  sub(a: Node | number, b: Node): Node {
    return this.op("sub.rn", this.of(a), b);
  }
  mul(a: Node, b: Node | number): Node {
    return this.op("mul.rn", a, this.of(b));
  }
  fma(a: Node, b: Node | number, c: Node | number): Node {
    return this.op("fma.rn", a, this.of(b), this.of(c));
  }
  /** In f32 to 2 ulp, as libdevice has it unless set otherwise. */
  div(a: Node | number, b: Node): Node {
    return this.op(this.by("div.full", "div.rn"), this.of(a), b);
  }
  rcp(a: Node): Node {
    return this.op(this.by("rcp.approx", "rcp.rn"), a);
  }
  sqrt(a: Node): Node {
    return this.op(this.by("sqrt.approx", "sqrt.rn"), a);
  }
  neg(a: Node): Node {
    return this.f.negate(this.kind, a);
  }
  abs(a: Node): Node {
    return this.f.abs(this.kind, a);
  }
  min(a: Node, b: Node | number): Node {
    return this.op("min", a, this.of(b));
  }
  max(a: Node, b: Node | number): Node {
    return this.op("max", a, this.of(b));
  }
  clamp(a: Node, low: number, high: number): Node {
    return this.min(this.max(a, low), high);
  }
  /** `mode`: `rni` to even, `rzi` to zero, `rmi` down, `rpi` up. */
  round(mode: string, a: Node): Node {
    return this.make(`cvt.${mode}.${this.type}.${this.kind}`, this.width, a);
  }
  copysign(magnitude: Node, sign: Node): Node {
    return this.f.copysign(this.kind, magnitude, sign);
  }
  /** c[0] + x c[1] + x^2 c[2] ... */
  polynomial(x: Node, fit: Fit | readonly number[]): Node {
    const coefficients = "f32" in fit ? fit[this.kind] : fit;
    let sum = this.number(coefficients.at(-1)!);
    for (let i = coefficients.length - 2; i >= 0; i--) sum = this.fma(sum, x, coefficients[i]!);
    return sum;
  }
  private of(value: Node | number): Node {
    return typeof value === "number" ? this.number(value) : value;
  }

  // --- pairs -----------------------------------------------------------------------------------------

  /** A constant that needs more bits than one float has. */
  constantPair(high: number, low: number): Pair {
    if (!this.isFloat) return { h: this.number(high), l: this.number(low) };
    const rounded = Math.fround(high);
    return { h: this.number(rounded), l: this.number(high - rounded) };
  }
  /** a + b exactly, where |a| >= |b| or a is zero. */
  fastSum(a: Node, b: Node): Pair {
    const h = this.add(a, b);
    return { h, l: this.sub(b, this.sub(h, a)) };
  }
  /** a + b exactly (Knuth). */
  exactSum(a: Node, b: Node): Pair {
    const h = this.add(a, b);
    const v = this.sub(h, a);
    return { h, l: this.add(this.sub(a, this.sub(h, v)), this.sub(b, v)) };
  }
  exactProduct(a: Node, b: Node): Pair {
    const h = this.mul(a, b);
    return { h, l: this.fma(a, b, this.neg(h)) };
  }
  pairTimes(a: Pair, b: Pair): Pair {
    const { h, l } = this.exactProduct(a.h, b.h);
    return this.fastSum(h, this.fma(a.h, b.l, this.fma(a.l, b.h, l)));
  }

  // --- comparisons -----------------------------------------------------------------------------------

  /** `predicate` is PTX's: lt, ge, equ, nan ... */
  compare(predicate: string, a: Node, b: Node | number): Node {
    return this.make(`setp.${predicate}.${this.type}`, 1, a, this.of(b));
  }
  less(a: Node, b: Node | number): Node {
    return this.compare("lt", a, b);
  }
  greater(a: Node, b: Node | number): Node {
    return this.compare("gt", a, b);
  }
  equal(a: Node, b: Node | number): Node {
    return this.compare("eq", a, b);
  }
  isNan(a: Node, b: Node = a): Node {
    return this.compare("nan", a, b);
  }
  /** The sign bit. */
  isNegative(a: Node): Node {
    return this.s.icmp("slt", a, this.int(0, a.width));
  }
  select(condition: Node, then: Node | number, other: Node | number): Node {
    return this.s.select(condition, this.of(then), this.of(other));
  }

  // --- exponents -------------------------------------------------------------------------------------

  /** Bits of the fraction. */
  get fraction(): number {
    return this.by(23, 52);
  }
  get bias(): number {
    return this.by(127, 1023);
  }
  /** 2^n for an integer of 32 bits; for -bias zero. */
  powerOfTwo(n: Node): Node {
    const { s } = this;
    const biased = s.add(n, this.int(this.bias, 32));
    return this.isFloat ? s.shl(biased, this.int(23, 32)) : s.pack(this.int(0, 32), s.shl(biased, this.int(20, 32)));
  }
  /** x 2^n for |n| <= 2 bias, rounded once where x is in [0.5, 2]. */
  timesPowerOfTwo(x: Node, n: Node): Node {
    const half = this.s.sar(n, this.int(1, 32));
    return this.mul(this.mul(x, this.powerOfTwo(half)), this.powerOfTwo(this.s.sub(n, half)));
  }
  /** The integer nearest to x, |x| < 2^21, as a float and as bits of which the low ones are its own. */
  nearest(x: Node, factor: number): { readonly float: Node; readonly int: Node } {
    const magic = this.by(12582912, 6755399441055744);
    const sum = this.fma(x, factor, magic);
    return { float: this.add(sum, -magic), int: this.isFloat ? sum : this.s.trunc(sum, 32) };
  }
  /** x = 2^e m, m from `low` (given by its bits) to twice that; subnormals included. */
  normalize(x: Node, low: number | bigint): { readonly e: Node; readonly m: Node; readonly exponentBits: Node } {
    const { s } = this;
    const scaled = this.flushes ? undefined : this.less(x, this.by(2 ** -126, 2 ** -1022));
    const normal = scaled ? this.select(scaled, this.mul(x, 2 ** this.fraction * 4), x) : x;
    const mask = this.by<bigint>(-0x800000n, -0x10000000000000n);
    const exponentBits = s.and(s.sub(normal, this.int(low)), this.int(mask));
    const m = s.sub(normal, exponentBits);
    const bias = scaled ? this.select(scaled, -(this.fraction + 2), 0) : undefined;
    if (this.isFloat) {
      const whole = this.make("cvt.rn.f32.s32", 32, exponentBits);
      return { e: bias ? this.fma(whole, 2 ** -23, bias) : this.mul(whole, 2 ** -23), m, exponentBits };
    }
    const whole = this.make("cvt.rn.f64.s32", 64, s.sar(s.high(exponentBits), this.int(20, 32)));
    return { e: this.add(whole, bias!), m, exponentBits };
  }

  // --- control -----------------------------------------------------------------------------------------

  /** `then()` where the condition holds, else `other()`: a branch, for what is long and rare. */
  branch(condition: Node, then: () => readonly Node[], other: () => readonly Node[]): readonly Node[] {
    const known = valueOf(condition);
    if (known !== undefined) return known === 0n ? other() : then();
    const { l } = this;
    const after = l.newBlock();
    const from = l.block;
    const arms = [then, other].map((compute) => {
      const start = this.enter([from]);
      const values = compute();
      l.block.terminator = { kind: "jump", target: after };
      return { start, end: l.block, values };
    });
    from.terminator = { kind: "branch", condition, ifTrue: arms[0]!.start, ifFalse: arms[1]!.start };
    after.predecessors.push(...arms.map((arm) => arm.end));
    this.at(after);
    return arms[0]!.values.map((value, i) => {
      const phi = l.graph.phi(after, value.width);
      phi.inputs = arms.map((arm) => arm.values[i]!);
      return phi;
    });
  }
  /** As `branch`, of one value. */
  either(condition: Node, then: () => Node, other: () => Node): Node {
    return this.branch(
      condition,
      () => [then()],
      () => [other()],
    )[0]!;
  }
  /** Does `body` once, and again while `again` holds; the values after the last time. */
  loop(
    initial: readonly Node[],
    body: (...values: readonly Node[]) => { readonly next: readonly Node[]; readonly again: Node },
  ): readonly Node[] {
    const { l } = this;
    const from = l.block;
    const head = this.enter([from]);
    from.terminator = { kind: "jump", target: head };
    const phis = initial.map((value) => l.graph.phi(head, value.width));
    const { next, again } = body(...phis);
    const last = l.block;
    const latch = this.enter([last]);
    latch.terminator = { kind: "jump", target: head };
    head.predecessors.push(latch);
    phis.forEach((phi, i) => {
      phi.inputs = [initial[i]!, next[i]!];
    });
    const after = this.enter([last]);
    last.terminator = { kind: "branch", condition: again, ifTrue: latch, ifFalse: after };
    return next;
  }
  private enter(predecessors: readonly Block[]): Block {
    const block = this.l.newBlock();
    block.predecessors.push(...predecessors);
    block.loc = this.l.graph.loc;
    this.at(block);
    return block;
  }
  private at(block: Block): void {
    this.l.block = block;
    this.l.graph.home = block.id;
  }
}
