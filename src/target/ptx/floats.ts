/**
 * Floating-point arithmetic. Operations that a target lacks are done in float: bfloat16 before sm_90, maximum with NaN before sm_80.
 * A product that a sum takes becomes one fused operation, as NVPTX does it wherever fusion is allowed.
 * Source: llvm/lib/Target/NVPTX/NVPTXISelLowering.cpp, NVPTXInstrInfo.td.
 */

import type { GpuTarget } from "../../gpu/nvidia.js";
import type { FloatKind } from "../../ir/builtin-types.js";
import { decode, encode } from "../../ir/float.js";
import * as arithmetic from "../../ir/float-arithmetic.js";
import { FLOAT_COMPARISONS } from "../../ptx/llvm-names.js";
import { type Node, operationOf, valueOf, type Width } from "./graph.js";
import { maskOf } from "./known-bits.js";
import type { Simplifier } from "./simplify.js";

export interface FloatOptions {
  /** 80 for sm_80. */
  readonly gpu: GpuTarget;
  /** Products and sums may be fused. */
  readonly fusion: boolean;
}

/** Whether a product with the reciprocal is the quotient, in f32 too. */
const isPowerOfTwo = (value: number): boolean => value > 2 ** -126 && value < 2 ** 126 && 2 ** Math.round(Math.log2(value)) === value;

const WIDTHS: Readonly<Record<string, Width>> = { f16: 16, bf16: 16, f32: 32, f64: 64 };

export class Floats {
  constructor(
    readonly s: Simplifier,
    readonly options: FloatOptions,
  ) {}

  constant(kind: string, value: number): Node {
    return this.s.constant(WIDTHS[kind]!, encode(value, kind as FloatKind));
  }
  private bits(node: Node): bigint | undefined {
    const value = valueOf(node);
    return value === undefined ? undefined : value & maskOf(node.width);
  }
  private fold(kind: string, compute: (a: bigint, b: bigint, kind: FloatKind) => bigint, a: Node, b: Node): Node | undefined {
    const [x, y] = [this.bits(a), this.bits(b)];
    return x === undefined || y === undefined ? undefined : this.s.constant(a.width, compute(x, y, kind as FloatKind));
  }
  /** The value of a constant. */
  private number(kind: string, node: Node): number | undefined {
    const bits = this.bits(node);
    return bits === undefined ? undefined : decode(bits, kind as FloatKind);
  }
  /** An instruction of PTX on registers. */
  make(mnemonic: string, width: Width, ...inputs: readonly Node[]): Node {
    return this.s.graph.ptx(mnemonic, width, inputs);
  }
  private get hasBf16(): boolean {
    return this.options.gpu.bf16 === "arithmetic";
  }
  /** Done in float, and rounded back. */
  private widened(kind: string, inputs: readonly Node[], compute: (...wide: readonly Node[]) => Node): Node {
    return this.convert("f32", kind, compute(...inputs.map((i) => this.convert(kind, "f32", i))));
  }
  /** `.rn` says that the assembler must not fuse either. */
  private name(op: string, kind: string): string {
    return this.options.fusion ? `${op}.${kind}` : `${op}.rn.${kind}`;
  }

  add(kind: string, a: Node, b: Node): Node {
    const folded = this.fold(kind, arithmetic.add, a, b);
    if (folded) return folded;
    // If both addends are products, the earlier one is fused.
    const [first, second] = b.rank < a.rank ? [b, a] : [a, b];
    const fused = this.fused(kind, first, second, false, false) ?? this.fused(kind, second, first, false, false);
    if (fused) return fused;
    if (kind === "bf16" && !this.hasBf16)
      return this.options.gpu.bf16 !== "none"
        ? this.fma(kind, a, this.constant(kind, 1), b)
        : this.widened(kind, [a, b], (x, y) => this.add("f32", x!, y!));
    const [x, y] = a.id > b.id ? [b, a] : [a, b];
    return this.make(this.name("add", kind), a.width, x, y);
  }
  sub(kind: string, a: Node, b: Node): Node {
    const folded = this.fold(kind, arithmetic.subtract, a, b);
    if (folded) return folded;
    const fused = this.fused(kind, a, b, false, true) ?? this.fused(kind, b, a, true, false);
    if (fused) return fused;
    if (kind === "bf16" && !this.hasBf16)
      return this.options.gpu.bf16 !== "none"
        ? this.fma(kind, b, this.constant(kind, -1), a)
        : this.widened(kind, [a, b], (x, y) => this.sub("f32", x!, y!));
    return this.make(this.name("sub", kind), a.width, a, b);
  }
  mul(kind: string, a: Node, b: Node): Node {
    const folded = this.fold(kind, arithmetic.multiply, a, b);
    if (folded) return folded;
    const [x, y] = a.kind === "const" || (b.kind !== "const" && a.id > b.id) ? [b, a] : [a, b];
    if (this.number(kind, y) === 1) return x;
    if (kind === "bf16" && !this.hasBf16)
      return this.options.gpu.bf16 !== "none"
        ? this.make("fma.rn.bf16", 16, x, y, this.constant(kind, -0))
        : this.widened(kind, [x, y], (p, q) => this.mul("f32", p!, q!));
    return this.make(this.name("mul", kind), a.width, x, y);
  }
  /** (product) + c in one operation, when `a` is a product of the same block, as far as LLVM looks; the product or c negated. */
  private fused(kind: string, a: Node, c: Node, negateProduct: boolean, negateAddend: boolean): Node | undefined {
    if (!this.options.fusion || operationOf(a) !== `mul.${kind}` || a.home !== this.s.graph.home) return undefined;
    const [x, y] = a.inputs as [Node, Node];
    return this.fma(kind, negateProduct ? this.negate(kind, x) : x, y, negateAddend ? this.negate(kind, c) : c);
  }
  fma(kind: string, a: Node, b: Node, c: Node): Node {
    if (kind === "bf16" && this.options.gpu.bf16 === "none") return this.widened(kind, [a, b, c], (x, y, z) => this.fma("f32", x!, y!, z!));
    const [x, y] = a.kind === "const" ? [b, a] : [a, b];
    return this.make(`fma.rn.${kind}`, a.width, x, y, c);
  }
  div(kind: string, a: Node, b: Node): Node {
    const folded = this.fold(kind, arithmetic.divide, a, b);
    if (folded) return folded;
    if (kind === "f16" || kind === "bf16") return this.widened(kind, [a, b], (x, y) => this.div("f32", x!, y!));
    if (this.number(kind, a) === 1) return this.make(`rcp.rn.${kind}`, a.width, b);
    return this.make(`div.rn.${kind}`, a.width, a, b);
  }
  /** a - trunc(a / b) * b. Source: llvm/lib/CodeGen/SelectionDAG/DAGCombiner.cpp, visitFREM. */
  rem(kind: string, a: Node, b: Node): Node {
    if (kind === "f16" || kind === "bf16") return this.widened(kind, [a, b], (x, y) => this.rem("f32", x!, y!));
    const by = this.number(kind, b);
    const isPower = by !== undefined && isPowerOfTwo(by);
    const whole = this.round("rzi", kind, isPower ? this.mul(kind, a, this.constant(kind, 1 / by)) : this.div(kind, a, b));
    if (isPower) return this.copysign(kind, by === 1 ? this.sub(kind, a, whole) : this.fma(kind, whole, this.negate(kind, b), a), a);
    if (by !== undefined && Number.isFinite(by)) return this.fma(kind, whole, this.negate(kind, b), a);
    const exact = this.make(`fma.rn.${kind}`, a.width, this.negate(kind, whole), b, a);
    const infinite = this.make(`testp.infinite.${kind}`, 1, b);
    return this.s.select(infinite, a, exact);
  }
  negate(kind: string, a: Node): Node {
    const bits = this.bits(a);
    const sign = 1n << BigInt(a.width - 1);
    if (bits !== undefined) return this.s.constant(a.width, bits ^ sign);
    if (operationOf(a) === `neg.${kind}`) return a.inputs[0]!;
    if (kind === "bf16" && this.options.gpu.bf16 === "none") return this.s.xor(a, this.s.constant(16, sign));
    return this.make(`neg.${kind}`, a.width, a);
  }
  abs(kind: string, a: Node): Node {
    if (a.width === 16) return this.s.and(a, this.s.constant(16, 0x7fff));
    return this.make(`abs.${kind}`, a.width, a);
  }
  copysign(kind: string, a: Node, b: Node): Node {
    if (a.width !== 16) return this.make(`copysign.${kind}`, a.width, b, a);
    return this.s.or(this.abs(kind, a), this.s.and(b, this.s.constant(16, -0x8000)));
  }

  /** `min` or `max`; with `nan`, a NaN goes through, and -0 is below +0. */
  extremum(op: "min" | "max", kind: string, nan: boolean, a: Node, b: Node): Node {
    const { nanExtrema } = this.options.gpu;
    if ((kind === "f16" || kind === "bf16") && !nanExtrema)
      return this.widened(kind, [a, b], (x, y) => this.extremum(op, "f32", nan, x!, y!));
    if (!nan) return this.make(`${op}.${kind}`, a.width, a, b);
    if (nanExtrema && kind !== "f64") return this.make(`${op}.NaN.${kind}`, a.width, a, b);
    const unordered = this.make(`setp.nan.${kind}`, 1, a, b);
    return this.s.select(unordered, this.add(kind, a, b), this.make(`${op}.${kind}`, a.width, a, b));
  }
  /** `predicate` is LLVM's: olt, une. */
  compare(predicate: string, kind: string, a: Node, b: Node): Node {
    if (predicate === "true" || predicate === "false") return this.s.constant(1, predicate === "true" ? 1 : 0);
    if (kind === "bf16" && !this.hasBf16) return this.compare(predicate, "f32", this.convert(kind, "f32", a), this.convert(kind, "f32", b));
    return this.make(`setp.${FLOAT_COMPARISONS[predicate]}.${kind}`, 1, a, b);
  }
  /** Rounds to an integral float: `rmi` down, `rpi` up, `rzi` to zero, `rni` to even. */
  round(mode: string, kind: string, a: Node): Node {
    if (kind === "bf16" && !this.hasBf16) return this.widened(kind, [a], (x) => this.round(mode, "f32", x!));
    return this.make(`cvt.${mode}.${kind}.${kind}`, a.width, a);
  }
  /** Halves go away from zero. */
  roundHalfAway(kind: string, a: Node): Node {
    if (kind === "f16" || kind === "bf16") return this.widened(kind, [a], (x) => this.roundHalfAway("f32", x!));
    const magnitude = this.abs(kind, a);
    const raised = this.round("rzi", kind, this.make(`add.rn.${kind}`, a.width, magnitude, this.constant(kind, 0.5)));
    // Just below a half, adding a half rounds up to one; above 2^23 there is nothing to round.
    const small = this.compare("olt", kind, magnitude, this.constant(kind, 0.5));
    const large = this.compare("ogt", kind, magnitude, this.constant(kind, kind === "f32" ? 8388608 : 4503599627370496));
    const rounded = this.s.select(small, this.constant(kind, 0), this.s.select(large, magnitude, raised));
    return this.copysign(kind, rounded, a);
  }
  unary(mnemonic: string, kind: string, a: Node): Node {
    if (kind === "f16" || kind === "bf16") return this.widened(kind, [a], (x) => this.unary(mnemonic, "f32", x!));
    return this.make(`${mnemonic}.${kind}`, a.width, a);
  }

  // --- conversions -----------------------------------------------------------------------------

  convert(from: string, to: string, a: Node): Node {
    if (from === to) return a;
    const value = this.number(from, a);
    if (value !== undefined && !Number.isNaN(value)) return this.constant(to, value);
    const width = WIDTHS[to]!;
    if (from === "bf16") {
      const single = this.s.shl(this.s.zext(a, 32), this.s.constant(32, 16));
      return to === "f32" ? single : this.convert("f32", to, single);
    }
    if (to === "bf16") {
      if (from !== "f32") return this.convert("f32", to, this.convert(from, "f32", a));
      return this.options.gpu.bf16 !== "none" ? this.make("cvt.rn.bf16.f32", 16, a) : this.roundToBf16(a);
    }
    const widens = width > WIDTHS[from]!;
    return this.make(`cvt.${widens ? "" : "rn."}${to}.${from}`, width, a);
  }
  /** To nearest even, in integer arithmetic; NaN stays NaN. */
  private roundToBf16(a: Node): Node {
    const { s } = this;
    const lowest = s.and(s.shr(a, s.constant(32, 16)), s.constant(32, 1));
    const rounded = s.add(s.add(a, lowest), s.constant(32, 0x7fff));
    const isNan = this.make("setp.nan.f32", 1, a, a);
    return s.trunc(s.shr(s.select(isNan, s.or(a, s.constant(32, 0x400000)), rounded), s.constant(32, 16)), 16);
  }
  /** An integer register of 32 or 64 bits as a float. */
  fromInteger(signed: boolean, to: string, a: Node): Node {
    if (to === "bf16" && !this.hasBf16) return this.convert("f32", to, this.fromInteger(signed, "f32", a));
    const value = valueOf(a);
    if (value !== undefined) {
      const number = Number(signed ? value : BigInt.asUintN(a.width, value));
      if (Number.isSafeInteger(number)) return this.constant(to, number);
    }
    return this.make(`cvt.rn.${to}.${signed ? "s" : "u"}${a.width}`, WIDTHS[to]!, a);
  }
  /** A float as an integer register, rounded towards zero. */
  toInteger(signed: boolean, from: string, width: 16 | 32 | 64, a: Node): Node {
    if (from === "bf16" && !this.hasBf16) return this.toInteger(signed, "f32", width, this.convert("bf16", "f32", a));
    if (operationOf(a) === `cvt.${from}.f16`) return this.toInteger(signed, "f16", width, a.inputs[0]!);
    return this.make(`cvt.rzi.${signed ? "s" : "u"}${width}.${from}`, width, a);
  }
}
