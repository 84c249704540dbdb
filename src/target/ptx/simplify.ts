/**
 * Makes nodes in their simplest form: constants are folded and moved together, bits that are not there or not asked for
 * vanish, multiplications and divisions by powers of two become shifts and masks. What a node can become depends on its
 * inputs alone, so a graph built through here is simplified once it is built.
 * Source: llvm/lib/Transforms/InstCombine, InstructionSimplify.cpp, what of it pays here.
 */
import { compare, foldIntBinary } from "../llvm-ir/fold.js";
import { type Graph, type Node, valueOf, type Width } from "./graph.js";
import { disjoint, isNonNegative, knownBits, maskOf, maximumOf, possible } from "./known-bits.js";

export type IntPredicate = "eq" | "ne" | "slt" | "sle" | "sgt" | "sge" | "ult" | "ule" | "ugt" | "uge";
const PREDICATES: readonly IntPredicate[] = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"];
const INVERSE: Readonly<Record<IntPredicate, IntPredicate>> = {
  eq: "ne",
  ne: "eq",
  slt: "sge",
  sle: "sgt",
  sgt: "sle",
  sge: "slt",
  ult: "uge",
  ule: "ugt",
  ugt: "ule",
  uge: "ult",
};
const SWAPPED: Readonly<Record<IntPredicate, IntPredicate>> = {
  eq: "eq",
  ne: "ne",
  slt: "sgt",
  sle: "sge",
  sgt: "slt",
  sge: "sle",
  ult: "ugt",
  ule: "uge",
  ugt: "ult",
  uge: "ule",
};
/** Names that foldIntBinary knows, by ours. */
const FOLDED: Readonly<Record<string, string>> = { shr: "lshr", sar: "ashr" };

export class Simplifier {
  constructor(
    readonly graph: Graph,
    /** Whether two floats are converted to halves by one instruction (sm_80). */
    readonly hasPackedConversion: boolean,
  ) {}

  constant(width: Width, value: bigint | number): Node {
    return this.graph.constant(width, value);
  }
  private make(op: string, a: Node, b: Node): Node {
    return this.graph.pure(op, a.width, [a, b]);
  }
  /** Two constants folded; undefined when one is none. */
  private fold(op: string, a: Node, b: Node): Node | undefined {
    const x = valueOf(a);
    const y = valueOf(b);
    if (x === undefined || y === undefined) return undefined;
    const value = foldIntBinary(FOLDED[op] ?? op, x, y, a.width);
    return value === undefined ? undefined : this.constant(a.width, value);
  }
  /** Constants stand on the right, other operands in order of their numbers. */
  private ordered(a: Node, b: Node): [Node, Node] {
    if (a.op === "const") return [b, a];
    return b.op !== "const" && a.id > b.id ? [b, a] : [a, b];
  }

  // --- sums ------------------------------------------------------------------------------------

  add(left: Node, right: Node): Node {
    const folded = this.fold("add", left, right);
    if (folded) return folded;
    const [a, b] = this.ordered(left, right);
    const y = valueOf(b);
    if (y === 0n) return a;
    if (y !== undefined) {
      const [base, offset] = this.splitOffset(a);
      if (offset !== 0n) return this.add(base, this.constant(a.width, offset + y));
      if (a.op === "sub" && valueOf(a.inputs[0]) !== undefined) return this.sub(this.add(a.inputs[0]!, b), a.inputs[1]!);
    } else {
      // Constants move outwards: (x + c) + y is (x + y) + c.
      const [x, p] = this.splitOffset(a);
      const [y, q] = this.splitOffset(b);
      if (p + q !== 0n || x !== a) return this.add(this.add(x, y), this.constant(a.width, p + q));
      if (b.op === "sub" && valueOf(b.inputs[0]) === 0n) return this.sub(a, b.inputs[1]!);
      if (a.op === "sub" && valueOf(a.inputs[0]) === 0n) return this.sub(b, a.inputs[1]!);
      if (a.op === "sub" && a.inputs[1] === b) return a.inputs[0]!;
      if (b.op === "sub" && b.inputs[1] === a) return b.inputs[0]!;
    }
    if (a.width > 1 && disjoint(a, b)) return this.or(a, b);
    if (a.width === 1) return this.xor(a, b);
    if (a === b) return this.shl(a, this.constant(a.width, 1));
    return this.make("add", a, b);
  }
  /** A node as another and a constant that is added to it. */
  splitOffset(node: Node): readonly [Node, bigint] {
    const value = valueOf(node.inputs[1]);
    if (value !== undefined && (node.op === "add" || (node.op === "or" && disjoint(node.inputs[0]!, node.inputs[1]!)))) {
      const [base, offset] = this.splitOffset(node.inputs[0]!);
      return [base, offset + value];
    }
    return [node, 0n];
  }
  sub(a: Node, b: Node): Node {
    const folded = this.fold("sub", a, b);
    if (folded) return folded;
    if (a === b) return this.constant(a.width, 0);
    const y = valueOf(b);
    if (y !== undefined) return this.add(a, this.constant(a.width, -y));
    if (a.width === 1) return this.xor(a, b);
    if (a.op === "add" && a.inputs[1] === b) return a.inputs[0]!;
    if (a.op === "add" && a.inputs[0] === b) return a.inputs[1]!;
    const [base, offset] = b.op === "add" ? this.splitOffset(b) : [b, 0n];
    if (offset !== 0n) return this.add(this.sub(a, base), this.constant(a.width, -offset));
    if (a.op === "add" && valueOf(a.inputs[1]) !== undefined) return this.add(this.sub(a.inputs[0]!, b), a.inputs[1]!);
    return this.make("sub", a, b);
  }
  mul(left: Node, right: Node): Node {
    const folded = this.fold("mul", left, right);
    if (folded) return folded;
    const [a, b] = this.ordered(left, right);
    const y = valueOf(b);
    if (a.width === 1) return this.and(a, b);
    if (y !== undefined) {
      if (y === 0n) return b;
      if (y === 1n) return a;
      if (y === -1n) return this.sub(this.constant(a.width, 0), a);
      const count = powerOfTwo(BigInt.asUintN(a.width, y));
      if (count !== undefined) return this.shl(a, this.constant(a.width, count));
      const inner = valueOf(a.inputs[1]);
      if (a.op === "mul" && inner !== undefined) return this.mul(a.inputs[0]!, this.constant(a.width, inner * y));
      if (a.op === "add" && inner !== undefined) return this.add(this.mul(a.inputs[0]!, b), this.constant(a.width, inner * y));
    }
    return this.make("mul", a, b);
  }

  // --- bits ------------------------------------------------------------------------------------

  and(left: Node, right: Node): Node {
    const folded = this.fold("and", left, right);
    if (folded) return folded;
    const [a, b] = this.ordered(left, right);
    if (a === b) return a;
    const y = valueOf(b);
    if (y !== undefined) {
      const mask = BigInt.asUintN(a.width, y);
      const may = possible(a) & mask;
      if (may === 0n) return this.constant(a.width, 0);
      if ((possible(a) & ~mask) === 0n) return a;
      if (may !== mask) return this.and(a, this.constant(a.width, may));
      if (a.op === "and" && valueOf(a.inputs[1]) !== undefined)
        return this.and(a.inputs[0]!, this.constant(a.width, y & valueOf(a.inputs[1])!));
      const asked = this.demanded(a, mask, 4);
      if (asked !== a) return this.and(asked, b);
      // A mask over a shift stands outside, where masks meet: (x & m) << c is (x << c) & (m << c).
      if ((a.op === "or" || a.op === "xor") && valueOf(a.inputs[1]) !== undefined)
        return this.bitwise(a.op, this.and(a.inputs[0]!, b), this.and(a.inputs[1]!, b));
      return this.make("and", a, b);
    }
    if (disjoint(a, b)) return this.constant(a.width, 0);
    if (a.op === "not" && a.inputs[0] === b) return this.constant(a.width, 0);
    if (b.op === "not" && b.inputs[0] === a) return this.constant(a.width, 0);
    return this.reassociated("and", a, b) ?? this.make("and", a, b);
  }
  or(left: Node, right: Node): Node {
    const folded = this.fold("or", left, right);
    if (folded) return folded;
    const [a, b] = this.ordered(left, right);
    const y = valueOf(b);
    if (y === 0n || a === b) return a;
    if (y === -1n) return b;
    if (y !== undefined) {
      const set = BigInt.asUintN(a.width, y);
      if ((knownBits(a).one & set) === set) return a;
      const inner = valueOf(a.inputs[1]);
      if (a.op === "or" && inner !== undefined) return this.or(a.inputs[0]!, this.constant(a.width, inner | y));
      if (a.op === "add" && inner !== undefined && disjoint(a, b)) return this.add(a.inputs[0]!, this.constant(a.width, inner + y));
    }
    return this.mergedMasks("or", a, b) ?? this.reassociated("or", a, b) ?? this.make("or", a, b);
  }
  xor(left: Node, right: Node): Node {
    const folded = this.fold("xor", left, right);
    if (folded) return folded;
    const [a, b] = this.ordered(left, right);
    if (a === b) return this.constant(a.width, 0);
    const y = valueOf(b);
    if (y === 0n) return a;
    if (y === -1n) return this.not(a);
    if (a.width > 1 && disjoint(a, b)) return this.or(a, b);
    if (y !== undefined) {
      const inner = valueOf(a.inputs[1]);
      if (a.op === "xor" && inner !== undefined) return this.xor(a.inputs[0]!, this.constant(a.width, inner ^ y));
    }
    if (a.op === "not" && b.op === "not") return this.xor(a.inputs[0]!, b.inputs[0]!);
    return this.mergedMasks("xor", a, b) ?? this.reassociated("xor", a, b) ?? this.make("xor", a, b);
  }
  not(a: Node): Node {
    const value = valueOf(a);
    if (value !== undefined) return this.constant(a.width, ~value);
    if (a.op === "not") return a.inputs[0]!;
    if (a.op === "icmp") return this.icmp(INVERSE[(a.info as string).split(":")[0] as IntPredicate], a.inputs[0]!, a.inputs[1]!);
    if (a.op.startsWith("setp.")) {
      const inverse = invertedFloatCompare(a.op);
      if (inverse) return this.graph.pure(inverse, 1, a.inputs);
    }
    return this.graph.pure("not", a.width, [a]);
  }
  bitwise(op: "and" | "or" | "xor", a: Node, b: Node): Node {
    return op === "and" ? this.and(a, b) : op === "or" ? this.or(a, b) : this.xor(a, b);
  }
  /** (x & m) op (x & n) is x & (m op n) for masks that do not meet. */
  private mergedMasks(op: "or" | "xor", a: Node, b: Node): Node | undefined {
    if (a.op !== "and" || b.op !== "and" || a.inputs[0] !== b.inputs[0]) return undefined;
    const m = valueOf(a.inputs[1]);
    const n = valueOf(b.inputs[1]);
    if (m === undefined || n === undefined) return undefined;
    return this.and(a.inputs[0]!, this.constant(a.width, op === "or" ? m | n : m ^ n));
  }
  /** Moves constants outwards, and masks of one value together, through chains of one operation. */
  private reassociated(op: "and" | "or" | "xor", a: Node, b: Node): Node | undefined {
    for (const [chain, other] of [
      [a, b],
      [b, a],
    ] as const) {
      if (chain.op !== op) continue;
      const [x, y] = chain.inputs as [Node, Node];
      if (valueOf(y) !== undefined && valueOf(other) === undefined) return this.bitwise(op, this.bitwise(op, x, other), y);
      if (op === "and" || other.op !== "and" || valueOf(other.inputs[1]) === undefined) continue;
      for (const [inner, rest] of [
        [x, y],
        [y, x],
      ] as const)
        if (inner.op === "and" && inner.inputs[0] === other.inputs[0] && valueOf(inner.inputs[1]) !== undefined)
          return this.bitwise(op, rest, this.bitwise(op, inner, other));
    }
    return undefined;
  }
  /** A node that has the same bits where `mask` has ones. */
  demanded(node: Node, mask: bigint, depth: number): Node {
    if (depth === 0) return node;
    const [a, b] = node.inputs as [Node, Node];
    const value = valueOf(b);
    switch (node.op) {
      case "or":
      case "xor": {
        if ((possible(a) & mask) === 0n) return this.demanded(b, mask, depth - 1);
        if ((possible(b) & mask) === 0n) return this.demanded(a, mask, depth - 1);
        const x = this.demanded(a, mask, depth - 1);
        const y =
          value === undefined ? this.demanded(b, mask, depth - 1) : this.constant(node.width, value & BigInt.asIntN(node.width, mask));
        return x === a && y === b ? node : this.bitwise(node.op, x, y);
      }
      case "and": {
        if (value === undefined) return node;
        const kept = BigInt.asUintN(node.width, value);
        if ((mask & possible(a) & ~kept) === 0n) return this.demanded(a, mask, depth - 1);
        const x = this.demanded(a, mask & kept, depth - 1);
        return x === a ? node : this.and(x, b);
      }
      case "add":
      case "sub":
      case "mul": {
        // Only lower bits matter to the bits asked for.
        const low = (1n << BigInt(mask.toString(2).length)) - 1n;
        if (low >= maskOf(node.width) || node.op === "mul") return node;
        if ((possible(b) & low) === 0n) return this.demanded(a, mask, depth - 1);
        if (node.op === "add" && (possible(a) & low) === 0n) return this.demanded(b, mask, depth - 1);
        return node;
      }
      default:
        return node;
    }
  }

  // --- shifts ----------------------------------------------------------------------------------

  shl(a: Node, b: Node): Node {
    const folded = this.fold("shl", a, b);
    if (folded) return folded;
    const count = valueOf(b);
    if (count === 0n) return a;
    if (count !== undefined) {
      if (count >= BigInt(a.width) || ((possible(a) << count) & maskOf(a.width)) === 0n) return this.constant(a.width, 0);
      const inner = valueOf(a.inputs[1]);
      if (inner !== undefined) {
        if (a.op === "shl") return this.shl(a.inputs[0]!, this.constant(a.width, inner + count));
        if (a.op === "and") return this.and(this.shl(a.inputs[0]!, b), this.constant(a.width, inner << count));
        if (a.op === "add" || a.op === "or" || a.op === "xor")
          return this.binary(a.op, this.shl(a.inputs[0]!, b), this.constant(a.width, inner << count));
        if (a.op === "mul") return this.mul(a.inputs[0]!, this.constant(a.width, inner << count));
        if (a.op === "shr" && inner === count) return this.and(a.inputs[0]!, this.constant(a.width, -1n << count));
        if (a.op === "shr" && inner > count)
          return this.and(this.shr(a.inputs[0]!, this.constant(a.width, inner - count)), this.constant(a.width, -1n << count));
        if (a.op === "shr" && inner < count)
          return this.and(this.shl(a.inputs[0]!, this.constant(a.width, count - inner)), this.constant(a.width, -1n << count));
      }
      const asked = this.demanded(a, maskOf(a.width) >> count, 4);
      if (asked !== a) return this.shl(asked, b);
    }
    return this.make("shl", a, b);
  }
  shr(a: Node, b: Node): Node {
    const folded = this.fold("shr", a, b);
    if (folded) return folded;
    const count = valueOf(b);
    if (count === 0n) return a;
    if (count !== undefined) {
      if (count >= BigInt(a.width) || possible(a) >> count === 0n) return this.constant(a.width, 0);
      const inner = valueOf(a.inputs[1]);
      if (inner !== undefined) {
        if (a.op === "shr") return this.shr(a.inputs[0]!, this.constant(a.width, inner + count));
        if (a.op === "and") {
          const mask = BigInt.asUintN(a.width, inner) >> count;
          return this.and(this.shr(a.inputs[0]!, b), this.constant(a.width, mask));
        }
        if (a.op === "or" || a.op === "xor") return this.bitwise(a.op, this.shr(a.inputs[0]!, b), this.shr(a.inputs[1]!, b));
        if (a.op === "shl" && inner === count) return this.and(a.inputs[0]!, this.constant(a.width, maskOf(a.width) >> count));
        if (a.op === "shl" && inner > count && a.width <= 32)
          return this.and(this.shl(a.inputs[0]!, this.constant(a.width, inner - count)), this.constant(a.width, maskOf(a.width) >> count));
        if (a.op === "shl" && inner < count && a.width <= 32)
          return this.and(this.shr(a.inputs[0]!, this.constant(a.width, count - inner)), this.constant(a.width, maskOf(a.width) >> count));
      } else if ((a.op === "or" || a.op === "xor") && (possible(a.inputs[0]!) >> count === 0n || possible(a.inputs[1]!) >> count === 0n))
        return this.bitwise(a.op, this.shr(a.inputs[0]!, b), this.shr(a.inputs[1]!, b));
      if (a.op === "sar" && inner !== undefined && count === BigInt(a.width - 1)) return this.shr(a.inputs[0]!, b);
    }
    return this.make("shr", a, b);
  }
  sar(a: Node, b: Node): Node {
    const folded = this.fold("sar", a, b);
    if (folded) return folded;
    const count = valueOf(b);
    if (count === 0n) return a;
    if (isNonNegative(a)) return this.shr(a, b);
    const inner = valueOf(a.inputs[1]);
    if (count !== undefined) {
      const asked = this.demanded(a, maskOf(a.width) & (-1n << count), 4);
      if (asked !== a) return this.sar(asked, b);
    }
    if (count !== undefined && a.op === "sar" && inner !== undefined) {
      const sum = inner + count;
      return this.sar(a.inputs[0]!, this.constant(a.width, sum < BigInt(a.width) ? sum : a.width - 1));
    }
    return this.make("sar", a, b);
  }

  // --- quotients -------------------------------------------------------------------------------

  udiv(a: Node, b: Node): Node {
    const folded = this.fold("udiv", a, b);
    if (folded) return folded;
    const y = valueOf(b);
    if (y === 1n) return a;
    const count = y === undefined ? undefined : powerOfTwo(BigInt.asUintN(a.width, y));
    if (count !== undefined) return this.shr(a, this.constant(a.width, count));
    if (y !== undefined && maximumOf(a) < BigInt.asUintN(a.width, y)) return this.constant(a.width, 0);
    if (y !== undefined && y !== 0n && a.width === 32) return this.unsignedQuotient(a, BigInt.asUintN(32, y));
    return this.make("udiv", a, b);
  }
  urem(a: Node, b: Node): Node {
    const folded = this.fold("urem", a, b);
    if (folded) return folded;
    const y = valueOf(b);
    if (y !== undefined) {
      const unsigned = BigInt.asUintN(a.width, y);
      if (powerOfTwo(unsigned) !== undefined) return this.and(a, this.constant(a.width, unsigned - 1n));
      if (maximumOf(a) < unsigned) return a;
      if (unsigned !== 0n && a.width === 32) return this.sub(a, this.mul(this.udiv(a, b), b));
    }
    return this.make("urem", a, b);
  }
  sdiv(a: Node, b: Node): Node {
    const folded = this.fold("sdiv", a, b);
    if (folded) return folded;
    const y = valueOf(b);
    if (y === 1n) return a;
    if (isNonNegative(a) && isNonNegative(b)) return this.udiv(a, b);
    const count = y === undefined || y <= 0n ? undefined : powerOfTwo(y);
    if (count !== undefined && count > 0) return this.sar(this.roundedTowardsZero(a, count), this.constant(a.width, count));
    if (y !== undefined && y > 1n && a.width === 32) return this.signedQuotient(a, y);
    return this.make("sdiv", a, b);
  }
  srem(a: Node, b: Node): Node {
    const folded = this.fold("srem", a, b);
    if (folded) return folded;
    if (isNonNegative(a) && isNonNegative(b)) return this.urem(a, b);
    const y = valueOf(b);
    const count = y === undefined ? undefined : powerOfTwo(y < 0n ? -y : y);
    if (count === 0) return this.constant(a.width, 0);
    if (count !== undefined) return this.sub(a, this.and(this.roundedTowardsZero(a, count), this.constant(a.width, -1n << BigInt(count))));
    if (y !== undefined && y > 1n && a.width === 32) return this.sub(a, this.mul(this.sdiv(a, b), b));
    return this.make("srem", a, b);
  }
  /**
   * x / d by a product with 2^(32 + k) / d, rounded up. Where that has 33 bits, the upper one is added by hand.
   * Source: Granlund, Montgomery, "Division by Invariant Integers using Multiplication".
   */
  private unsignedQuotient(a: Node, divisor: bigint): Node {
    const even = (divisor & 1n) === 0n ? BigInt(trailingZeroBits(divisor)) : 0n;
    const most = maximumOf(a);
    const bits = BigInt(divisor.toString(2).length);
    for (let k = 0n; k <= bits; k++) {
      const magic = ((1n << (32n + k)) + divisor - 1n) / divisor;
      const excess = magic * divisor - (1n << (32n + k));
      // Exact for all x up to `most` where the excess stays below one quotient.
      if (magic >> 32n === 0n && excess * most < 1n << (32n + k)) return this.shr(this.mulHigh("u", a, magic), this.constant(32, k));
    }
    if (even > 0n) return this.udiv(this.shr(a, this.constant(32, even)), this.constant(32, divisor >> even));
    const magic = ((1n << (32n + bits)) + divisor - 1n) / divisor - (1n << 32n);
    const high = this.mulHigh("u", a, magic);
    const sum = this.add(this.shr(this.sub(a, high), this.constant(32, 1)), high);
    return this.shr(sum, this.constant(32, bits - 1n));
  }
  private signedQuotient(a: Node, divisor: bigint): Node {
    let k = 0n;
    let magic = 0n;
    for (; k < 32n; k++) {
      magic = (1n << (32n + k)) / divisor + 1n;
      const excess = magic * divisor - (1n << (32n + k));
      if (excess <= 1n << (k + 1n)) break;
    }
    const wraps = magic >= 1n << 31n;
    const high = this.mulHigh("s", a, magic);
    const quotient = this.sar(wraps ? this.add(high, a) : high, this.constant(32, k));
    return this.add(quotient, this.shr(a, this.constant(32, 31)));
  }
  private mulHigh(sign: "u" | "s", a: Node, factor: bigint): Node {
    return this.graph.pure(`mul.hi.${sign}32`, 32, [a, this.constant(32, factor)]);
  }
  /** x + (x < 0 ? 2^count - 1 : 0) */
  private roundedTowardsZero(a: Node, count: number): Node {
    const sign = this.sar(a, this.constant(a.width, a.width - 1));
    return this.add(a, this.shr(sign, this.constant(a.width, a.width - count)));
  }

  binary(op: string, a: Node, b: Node): Node {
    switch (op) {
      case "add":
        return this.add(a, b);
      case "sub":
        return this.sub(a, b);
      case "mul":
        return this.mul(a, b);
      case "and":
        return this.and(a, b);
      case "or":
        return this.or(a, b);
      case "xor":
        return this.xor(a, b);
      case "shl":
        return this.shl(a, b);
      case "shr":
        return this.shr(a, b);
      case "sar":
        return this.sar(a, b);
      case "udiv":
        return this.udiv(a, b);
      case "urem":
        return this.urem(a, b);
      case "sdiv":
        return this.sdiv(a, b);
      case "srem":
        return this.srem(a, b);
      default:
        return this.minMax(op, a, b);
    }
  }
  private minMax(op: string, left: Node, right: Node): Node {
    const [a, b] = this.ordered(left, right);
    const [x, y] = [valueOf(a), valueOf(b)];
    if (a === b) return a;
    if (x !== undefined && y !== undefined) {
      const less = op.startsWith("s") ? x < y : BigInt.asUintN(a.width, x) < BigInt.asUintN(a.width, y);
      return op.endsWith("min") === less ? a : b;
    }
    if (op.startsWith("s") && isNonNegative(a) && isNonNegative(b)) return this.minMax(`u${op.slice(1)}`, a, b);
    if (y !== undefined && op === "umin" && maximumOf(a) <= BigInt.asUintN(a.width, y)) return a;
    return this.make(op, a, b);
  }

  // --- widths ----------------------------------------------------------------------------------

  zext(a: Node, width: Width): Node {
    if (a.width === width) return a;
    const value = valueOf(a);
    if (value !== undefined) return this.constant(width, BigInt.asUintN(a.width, value));
    if (a.width === 1) return this.select(a, this.constant(width, 1), this.constant(width, 0));
    if (a.op === "zext") return this.zext(a.inputs[0]!, width);
    if (a.op === "high" && a.inputs[0]!.width === width) return this.shr(a.inputs[0]!, this.constant(width, a.width));
    if (a.op === "trunc" && a.inputs[0]!.width === width) return this.and(a.inputs[0]!, this.constant(width, maskOf(a.width)));
    if (a.op === "trunc" && a.inputs[0]!.width < width)
      return this.zext(this.and(a.inputs[0]!, this.constant(a.inputs[0]!.width, maskOf(a.width))), width);
    const [base, offset] = this.splitOffset(a);
    // The sum of a value and a constant that do not share bits does not overflow.
    if (offset > 0n && a.op === "or") return this.or(this.zext(base, width), this.constant(width, BigInt.asUintN(a.width, offset)));
    return this.graph.pure("zext", width, [a]);
  }
  sext(a: Node, width: Width): Node {
    if (a.width === width) return a;
    const value = valueOf(a);
    if (value !== undefined) return this.constant(width, value);
    if (a.width === 1) return this.select(a, this.constant(width, -1), this.constant(width, 0));
    if (isNonNegative(a)) return this.zext(a, width);
    if (a.op === "sext") return this.sext(a.inputs[0]!, width);
    if (a.op === "high" && a.inputs[0]!.width === width) return this.sar(a.inputs[0]!, this.constant(width, a.width));
    if (a.op === "or" && valueOf(a.inputs[1]) !== undefined && valueOf(a.inputs[1])! >= 0n && disjoint(a.inputs[0]!, a.inputs[1]!))
      return this.or(this.sext(a.inputs[0]!, width), this.constant(width, valueOf(a.inputs[1])!));
    return this.graph.pure("sext", width, [a]);
  }
  trunc(a: Node, width: Width): Node {
    if (a.width === width) return a;
    const value = valueOf(a);
    if (value !== undefined) return this.constant(width, value);
    if (width === 1) return this.icmp("ne", this.and(a, this.constant(a.width, 1)), this.constant(a.width, 0));
    if (a.op === "zext" || a.op === "sext") {
      const inner = a.inputs[0]!;
      if (inner.width === width) return inner;
      if (inner.width > width) return this.trunc(inner, width);
      return a.op === "zext" ? this.zext(inner, width) : this.sext(inner, width);
    }
    if (a.op === "trunc") return this.trunc(a.inputs[0]!, width);
    if (a.op === "pack" && width === a.inputs[0]!.width) return a.inputs[0]!;
    if (a.op === "shr" && valueOf(a.inputs[1]) === BigInt(width) && a.width === 2 * width) return this.high(a.inputs[0]!);
    if (a.op === "select") {
      const [, x, y] = a.inputs;
      if (valueOf(x) !== undefined && valueOf(y) !== undefined)
        return this.select(a.inputs[0]!, this.trunc(x!, width), this.trunc(y!, width));
    }
    if ((a.op === "and" || a.op === "or" || a.op === "xor") && width === 16 && a.width === 32) {
      const asked = this.demanded(a, 0xffffn, 4);
      if (asked !== a) return this.trunc(asked, width);
    }
    return this.graph.pure("trunc", width, [a]);
  }
  /** Two halves as one register, the lower one first. */
  pack(low: Node, high: Node): Node {
    const width: Width = low.width === 16 ? 32 : 64;
    const [x, y] = [valueOf(low), valueOf(high)];
    if (x !== undefined && y !== undefined) return this.constant(width, BigInt.asUintN(low.width, x) | (y << BigInt(low.width)));
    if (low.op === "trunc" && high.op === "high" && low.inputs[0] === high.inputs[0] && high.inputs[0]!.width === width)
      return high.inputs[0]!;
    const both = /^cvt\.(rn|rz)\.(f16|bf16)\.f32$/.exec(low.op);
    if (both && this.hasPackedConversion && high.op === low.op)
      return this.graph.pure(`cvt.${both[1]}.${both[2]}x2.f32`, 32, [high.inputs[0]!, low.inputs[0]!]);
    return this.graph.pure("pack", width, [low, high]);
  }
  /** The upper half of a register. */
  high(a: Node): Node {
    if (a.op === "pack") return a.inputs[1]!;
    const half: Width = a.width === 64 ? 32 : 16;
    const value = valueOf(a);
    if (value !== undefined) return this.constant(half, value >> BigInt(half));
    if (a.op === "zext" && a.inputs[0]!.width === half) return this.constant(half, 0);
    if (a.op === "shl" && valueOf(a.inputs[1]) === BigInt(half)) return this.trunc(a.inputs[0]!, half);
    return this.graph.pure("high", half, [a]);
  }

  // --- choices ---------------------------------------------------------------------------------

  icmp(predicate: IntPredicate, left: Node, right: Node): Node {
    let [p, a, b] = [predicate, left, right];
    if (a.op === "const" && b.op !== "const") [p, a, b] = [SWAPPED[p], b, a];
    const [x, y] = [valueOf(a), valueOf(b)];
    if (x !== undefined && y !== undefined) return this.constant(1, compare(PREDICATES.indexOf(p), x, y, a.width) ? 1 : 0);
    if (a === b) return this.constant(1, p === "eq" || p === "sle" || p === "sge" || p === "ule" || p === "uge" ? 1 : 0);
    if (a.width === 1) return this.boolCompare(p, a, b);
    if (y !== undefined) {
      const known = this.decided(p, a, y);
      if (known !== undefined) return this.constant(1, known ? 1 : 0);
      if ((p === "eq" || p === "ne") && a.op === "add" && valueOf(a.inputs[1]) !== undefined)
        return this.icmp(p, a.inputs[0]!, this.constant(a.width, y - valueOf(a.inputs[1])!));
      // (x << c) & m compared with 0: the shift does not matter.
      if ((p === "eq" || p === "ne") && y === 0n && a.op === "and" && valueOf(a.inputs[1]) !== undefined) {
        const inner = a.inputs[0]!;
        const count = valueOf(inner.inputs[1]);
        const mask = BigInt.asUintN(a.width, valueOf(a.inputs[1])!);
        if (inner.op === "shl" && count !== undefined)
          return this.icmp(p, this.and(inner.inputs[0]!, this.constant(a.width, mask >> count)), b);
        if (inner.op === "shr" && count !== undefined && ((mask << count) & maskOf(a.width)) === mask << count)
          return this.icmp(p, this.and(inner.inputs[0]!, this.constant(a.width, mask << count)), b);
      }
      if (a.op === "select" && valueOf(a.inputs[1]) !== undefined && valueOf(a.inputs[2]) !== undefined) {
        const then = compare(PREDICATES.indexOf(p), valueOf(a.inputs[1])!, y, a.width);
        const other = compare(PREDICATES.indexOf(p), valueOf(a.inputs[2])!, y, a.width);
        if (then === other) return this.constant(1, then ? 1 : 0);
        return then ? a.inputs[0]! : this.not(a.inputs[0]!);
      }
      if (
        (p === "eq" || p === "ne") &&
        (a.op === "zext" || a.op === "sext") &&
        BigInt.asIntN(a.inputs[0]!.width, y) === y &&
        a.op === "sext"
      )
        return this.icmp(p, a.inputs[0]!, this.constant(a.inputs[0]!.width, y));
    }
    return this.graph.pure("icmp", 1, [a, b], `${p}`);
  }
  private decided(p: IntPredicate, a: Node, y: bigint): boolean | undefined {
    const most = maximumOf(a);
    const { one } = knownBits(a);
    const unsigned = BigInt.asUintN(a.width, y);
    const bothUnsigned = p.startsWith("u") || isNonNegative(a);
    if (p === "eq" || p === "ne") return (unsigned & ~most) !== 0n || (one & ~unsigned) !== 0n ? p === "ne" : undefined;
    if (!bothUnsigned) return undefined;
    if (p.startsWith("s") && y < 0n) return p === "sgt" || p === "sge";
    const kind = p.slice(1);
    if (kind === "lt" || kind === "ge") {
      if (most < unsigned) return kind === "lt";
      if (one >= unsigned) return kind === "ge";
    } else {
      if (most <= unsigned) return kind === "le";
      if (one > unsigned) return kind === "gt";
    }
    return undefined;
  }
  private boolCompare(p: IntPredicate, a: Node, b: Node): Node {
    if (p === "ne") return this.xor(a, b);
    if (p === "eq") return this.not(this.xor(a, b));
    // Signed, true is -1.
    const less = p === "ult" || p === "sgt" ? this.and(this.not(a), b) : p === "ugt" || p === "slt" ? this.and(a, this.not(b)) : undefined;
    return less ?? this.not(this.boolCompare(INVERSE[p], a, b));
  }
  select(condition: Node, then: Node, other: Node): Node {
    const known = valueOf(condition);
    if (known !== undefined) return known !== 0n ? then : other;
    if (then === other) return then;
    if (condition.op === "not") return this.select(condition.inputs[0]!, other, then);
    if (then.width === 1) {
      const [x, y] = [valueOf(then), valueOf(other)];
      if (x !== undefined && y !== undefined) return x !== 0n ? condition : this.not(condition);
      if (x !== undefined) return x !== 0n ? this.or(condition, other) : this.and(this.not(condition), other);
      if (y !== undefined) return y !== 0n ? this.or(this.not(condition), then) : this.and(condition, then);
    }
    if (then.op === "select" && then.inputs[0] === condition) return this.select(condition, then.inputs[1]!, other);
    if (other.op === "select" && other.inputs[0] === condition) return this.select(condition, then, other.inputs[2]!);
    return (
      this.movedBit(condition, then, other) ??
      this.minMaxOf(condition, then, other) ??
      this.graph.pure("select", then.width, [condition, then, other])
    );
  }
  /** (x & 2^i) == 0 ? 0 : 2^j is that bit, moved from i to j. */
  private movedBit(condition: Node, then: Node, other: Node): Node | undefined {
    if (condition.op !== "icmp" || valueOf(condition.inputs[1]) !== 0n) return undefined;
    const predicate = condition.info as string;
    if (predicate !== "eq" && predicate !== "ne") return undefined;
    const [unset, set] = predicate === "eq" ? [then, other] : [other, then];
    const tested = condition.inputs[0]!;
    const mask = tested.op === "and" ? valueOf(tested.inputs[1]) : undefined;
    const from = mask === undefined ? undefined : powerOfTwo(BigInt.asUintN(tested.width, mask));
    const value = valueOf(set);
    if (valueOf(unset) !== 0n || from === undefined || value === undefined || tested.width !== then.width) return undefined;
    const to = powerOfTwo(BigInt.asUintN(then.width, value));
    if (to === undefined) return undefined;
    return to >= from ? this.shl(tested, this.constant(then.width, to - from)) : this.shr(tested, this.constant(then.width, from - to));
  }
  private minMaxOf(condition: Node, then: Node, other: Node): Node | undefined {
    if (condition.op !== "icmp" || then.width < 32) return undefined;
    const [a, b] = condition.inputs as [Node, Node];
    const predicate = condition.info as string;
    if (predicate.length !== 3) return undefined;
    const sign = predicate[0]!;
    const isLess = predicate[1] === "l";
    if (then === a && other === b) return this.minMax(`${sign}${isLess ? "min" : "max"}`, a, b);
    return then === b && other === a ? this.minMax(`${sign}${isLess ? "max" : "min"}`, a, b) : undefined;
  }
}

const trailingZeroBits = (value: bigint): number => value.toString(2).length - 1 - value.toString(2).lastIndexOf("1");
/** The exponent of a power of two. */
export function powerOfTwo(value: bigint): number | undefined {
  return value > 0n && (value & (value - 1n)) === 0n ? value.toString(2).length - 1 : undefined;
}

const FLOAT_INVERSE: Readonly<Record<string, string>> = {
  eq: "neu",
  neu: "eq",
  ne: "equ",
  equ: "ne",
  lt: "geu",
  geu: "lt",
  le: "gtu",
  gtu: "le",
  gt: "leu",
  leu: "gt",
  ge: "ltu",
  ltu: "ge",
  num: "nan",
  nan: "num",
};
/** `setp.lt.f32` and `setp.geu.f32` are opposites. */
function invertedFloatCompare(op: string): string | undefined {
  const [, predicate, ...rest] = op.split(".");
  const inverse = FLOAT_INVERSE[predicate!];
  return inverse && ["setp", inverse, ...rest].join(".");
}
