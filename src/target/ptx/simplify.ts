/**
 * Makes nodes in their simplest form: constants are folded and moved together, bits that are not there or not asked for
 * vanish, multiplications and divisions by powers of two become shifts and masks. A node's simplest form depends on its
 * inputs alone, so a graph built through here is simplified once it is built.
 * Source: llvm/lib/Transforms/InstCombine, InstructionSimplify.cpp, what of it pays here.
 */
import { foldIntBinary } from "../llvm-ir/fold.js";
import * as choices from "./choices.js";
import { type BinaryKind, type Graph, type Node, valueOf, type Width } from "./graph.js";
import { disjoint, isNonNegative, knownBits, maskOf, possible, powerOfTwo, signBits } from "./known-bits.js";
import * as quotients from "./quotients.js";
import * as widths from "./widths.js";

/** Names that foldIntBinary knows, by ours. */
const FOLDED: Readonly<Record<string, string>> = { shr: "lshr", sar: "ashr" };
const MOST_MOVES = 64;
const bothWays = (a: Node, b: Node): readonly (readonly [Node, Node])[] => [
  [a, b],
  [b, a],
];

export class Simplifier {
  constructor(
    readonly graph: Graph,
    /** Whether two floats are converted to halves by one instruction (sm_80). */
    readonly hasPackedConversion: boolean,
  ) {}

  #depth = 0;
  /**
   * The result of moving an operation into its operand; undefined after too many nested moves. Such chains are
   * short in programs. In longer ones the rest stays as it is: otherwise they would take time in the square of their length, and JavaScript's stack.
   */
  moved(move: () => Node | undefined): Node | undefined {
    if (this.#depth === MOST_MOVES) return undefined;
    this.#depth++;
    const made = move();
    this.#depth--;
    return made;
  }

  constant(width: Width, value: bigint | number): Node {
    return this.graph.constant(width, value);
  }
  make(kind: BinaryKind, a: Node, b: Node): Node {
    return this.graph.pure(kind, a.width, [a, b]);
  }
  /** Two constants folded; undefined when one is none. */
  fold(kind: BinaryKind, a: Node, b: Node): Node | undefined {
    const x = valueOf(a);
    const y = valueOf(b);
    if (x === undefined || y === undefined) return undefined;
    const value = foldIntBinary(FOLDED[kind] ?? kind, x, y, a.width);
    return value === undefined ? undefined : this.constant(a.width, value);
  }
  /** Constants are on the right, other operands in order of their numbers. */
  ordered(a: Node, b: Node): [Node, Node] {
    if (a.kind === "const") return [b, a];
    return b.kind !== "const" && a.id > b.id ? [b, a] : [a, b];
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
      if (a.kind === "sub" && valueOf(a.inputs[0]) !== undefined) return this.sub(this.add(a.inputs[0]!, b), a.inputs[1]!);
    } else {
      // Constants move outwards: (x + c) + y is (x + y) + c.
      const [x, p] = this.splitOffset(a);
      const [y, q] = this.splitOffset(b);
      if (p + q !== 0n || x !== a) return this.add(this.add(x, y), this.constant(a.width, p + q));
      if (b.kind === "sub" && valueOf(b.inputs[0]) === 0n) return this.sub(a, b.inputs[1]!);
      if (a.kind === "sub" && valueOf(a.inputs[0]) === 0n) return this.sub(b, a.inputs[1]!);
      if (a.kind === "sub" && a.inputs[1] === b) return a.inputs[0]!;
      if (b.kind === "sub" && b.inputs[1] === a) return b.inputs[0]!;
    }
    if (a.width > 1 && disjoint(a, b)) return this.or(a, b);
    if (a.width === 1) return this.xor(a, b);
    if (a === b) return this.shl(a, this.constant(a.width, 1));
    return this.make("add", a, b);
  }
  /** A node as another and a constant that is added to it. */
  splitOffset(node: Node): readonly [Node, bigint] {
    const value = valueOf(node.inputs[1]);
    if (value !== undefined && (node.kind === "add" || (node.kind === "or" && disjoint(node.inputs[0]!, node.inputs[1]!)))) {
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
    // 3 - x, where x has no other bits than 3, is x ^ 3: nothing is borrowed.
    const x = valueOf(a);
    if (x !== undefined && (possible(b) & ~x) === 0n) return this.xor(b, a);
    if (a.kind === "add" && a.inputs[1] === b) return a.inputs[0]!;
    if (a.kind === "add" && a.inputs[0] === b) return a.inputs[1]!;
    // x - (x & 3) is x & ~3.
    const part = b.kind === "and" && b.inputs[0] === a ? valueOf(b.inputs[1]) : undefined;
    if (part !== undefined) return this.and(a, this.constant(a.width, ~part));
    const [base, offset] = b.kind === "add" ? this.splitOffset(b) : [b, 0n];
    const [from, ahead] = offset === 0n ? [a, 0n] : this.splitOffset(a);
    if (offset !== 0n) return this.add(this.sub(from, base), this.constant(a.width, ahead - offset));
    if (a.kind === "add" && valueOf(a.inputs[1]) !== undefined) return this.add(this.sub(a.inputs[0]!, b), a.inputs[1]!);
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
      if (a.kind === "mul" && inner !== undefined) return this.mul(a.inputs[0]!, this.constant(a.width, inner * y));
      if (a.kind === "add" && inner !== undefined) return this.add(this.mul(a.inputs[0]!, b), this.constant(a.width, inner * y));
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
    if (y !== undefined) return this.moved(() => this.masked(a, b, y)) ?? this.make("and", a, b);
    if (disjoint(a, b)) return this.constant(a.width, 0);
    const zero = a.width === 1 ? choices.zeroInAll(this, "and", a, b) : undefined;
    if (zero) return zero;
    if (a.kind === "not" && a.inputs[0] === b) return this.constant(a.width, 0);
    if (b.kind === "not" && b.inputs[0] === a) return this.constant(a.width, 0);
    return (
      widths.bitwiseBefore(this, "and", a, b) ?? this.absorbed("and", a, b) ?? this.reassociated("and", a, b) ?? this.make("and", a, b)
    );
  }
  /** a & b, which is the constant y. */
  private masked(a: Node, b: Node, y: bigint): Node | undefined {
    const mask = BigInt.asUintN(a.width, y);
    const may = possible(a) & mask;
    if (may === 0n) return this.constant(a.width, 0);
    if ((possible(a) & ~mask) === 0n) return a;
    if (may !== mask) return this.and(a, this.constant(a.width, may));
    if (a.kind === "and" && valueOf(a.inputs[1]) !== undefined)
      return this.and(a.inputs[0]!, this.constant(a.width, y & valueOf(a.inputs[1])!));
    const asked = this.demanded(a, mask, 4);
    if (asked !== a) return this.and(asked, b);
    // A multiple of the power of two that a sum is rounded down to is added later: (x + 2c) & -c is (x & -c) + 2c.
    const added = a.kind === "add" ? valueOf(a.inputs[1]) : undefined;
    if (added !== undefined && powerOfTwo(-y) !== undefined && (added & ~y) === 0n)
      return this.add(this.and(a.inputs[0]!, b), a.inputs[1]!);
    // A mask over a shift goes outside, where masks meet: (x & m) << c is (x << c) & (m << c).
    if ((a.kind === "or" || a.kind === "xor") && valueOf(a.inputs[1]) !== undefined)
      return this.bitwise(a.kind, this.and(a.inputs[0]!, b), this.and(a.inputs[1]!, b));
    return undefined;
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
      if (a.kind === "or" && inner !== undefined) return this.or(a.inputs[0]!, this.constant(a.width, inner | y));
      if (a.kind === "add" && inner !== undefined && disjoint(a, b)) return this.add(a.inputs[0]!, this.constant(a.width, inner + y));
    }
    const zero = a.width === 1 ? choices.zeroInAll(this, "or", a, b) : undefined;
    return (
      zero ??
      this.mergedMasks("or", a, b) ??
      widths.bitwiseBefore(this, "or", a, b) ??
      this.absorbed("or", a, b) ??
      this.reassociated("or", a, b) ??
      this.make("or", a, b)
    );
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
      if (a.kind === "xor" && inner !== undefined) return this.xor(a.inputs[0]!, this.constant(a.width, inner ^ y));
      // Bits that are not set are added, and so become part of an address's offset.
      const own = BigInt.asIntN(a.width, y & possible(a));
      if (own !== y && a.width > 1) return this.or(this.xor(a, this.constant(a.width, own)), this.constant(a.width, y & ~own));
    }
    if (a.kind === "not" && b.kind === "not") return this.xor(a.inputs[0]!, b.inputs[0]!);
    for (const [x, y] of bothWays(a, b)) {
      const [p, q] = x.inputs;
      if (x.kind === "xor" && (p === y || q === y)) return p === y ? q! : p!;
    }
    return (
      this.mergedMasks("xor", a, b) ?? widths.bitwiseBefore(this, "xor", a, b) ?? this.reassociated("xor", a, b) ?? this.make("xor", a, b)
    );
  }
  not(a: Node): Node {
    const value = valueOf(a);
    if (value !== undefined) return this.constant(a.width, ~value);
    if (a.kind === "not") return a.inputs[0]!;
    const opposite = choices.opposite(this, a);
    if (opposite) return opposite;
    return this.graph.pure("not", a.width, [a]);
  }
  bitwise(kind: "and" | "or" | "xor", a: Node, b: Node): Node {
    return kind === "and" ? this.and(a, b) : kind === "or" ? this.or(a, b) : this.xor(a, b);
  }
  /** (x & m) op (x & n) is x & (m op n) for masks that do not meet. */
  private mergedMasks(kind: "or" | "xor", a: Node, b: Node): Node | undefined {
    if (a.kind !== "and" || b.kind !== "and" || a.inputs[0] !== b.inputs[0]) return undefined;
    const m = valueOf(a.inputs[1]);
    const n = valueOf(b.inputs[1]);
    if (m === undefined || n === undefined) return undefined;
    return this.and(a.inputs[0]!, this.constant(a.width, kind === "or" ? m | n : m ^ n));
  }
  /** x & (x & y) is x & y, x & (x | y) is x; the same with & and | exchanged. */
  private absorbed(kind: "and" | "or", a: Node, b: Node): Node | undefined {
    for (const [x, y] of bothWays(a, b)) if ((x.kind === "and" || x.kind === "or") && x.inputs.includes(y)) return x.kind === kind ? x : y;
    return undefined;
  }
  /** Moves constants outwards, and masks of one value together, through chains of one operation. */
  private reassociated(kind: "and" | "or" | "xor", a: Node, b: Node): Node | undefined {
    for (const [chain, other] of bothWays(a, b)) {
      if (chain.kind !== kind) continue;
      const [x, y] = chain.inputs as [Node, Node];
      if (valueOf(y) !== undefined && valueOf(other) === undefined) return this.bitwise(kind, this.bitwise(kind, x, other), y);
      if (kind === "and" || other.kind !== "and" || valueOf(other.inputs[1]) === undefined) continue;
      for (const [inner, rest] of bothWays(x, y))
        if (inner.kind === "and" && inner.inputs[0] === other.inputs[0] && valueOf(inner.inputs[1]) !== undefined)
          return this.bitwise(kind, rest, this.bitwise(kind, inner, other));
    }
    return undefined;
  }
  /** A node that has the same bits where `mask` has ones. */
  demanded(node: Node, mask: bigint, depth: number): Node {
    if (depth === 0) return node;
    const [a, b] = node.inputs as [Node, Node];
    const value = valueOf(b);
    switch (node.kind) {
      case "or":
      case "xor": {
        if ((possible(a) & mask) === 0n) return this.demanded(b, mask, depth - 1);
        if ((possible(b) & mask) === 0n) return this.demanded(a, mask, depth - 1);
        const x = this.demanded(a, mask, depth - 1);
        const y =
          value === undefined ? this.demanded(b, mask, depth - 1) : this.constant(node.width, value & BigInt.asIntN(node.width, mask));
        return x === a && y === b ? node : this.bitwise(node.kind, x, y);
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
        if (low >= maskOf(node.width) || node.kind === "mul") return node;
        if ((possible(b) & low) === 0n) return this.demanded(a, mask, depth - 1);
        if (node.kind === "add" && (possible(a) & low) === 0n) return this.demanded(b, mask, depth - 1);
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
    return (count === undefined ? undefined : this.moved(() => this.shiftedLeft(a, b, count))) ?? this.make("shl", a, b);
  }
  /** a << b, where b is the constant `count`. */
  private shiftedLeft(a: Node, b: Node, count: bigint): Node | undefined {
    if (count >= BigInt(a.width) || ((possible(a) << count) & maskOf(a.width)) === 0n) return this.constant(a.width, 0);
    const inner = valueOf(a.inputs[1]);
    if (inner !== undefined) {
      if (a.kind === "shl") return this.shl(a.inputs[0]!, this.constant(a.width, inner + count));
      if (a.kind === "and") return this.and(this.shl(a.inputs[0]!, b), this.constant(a.width, inner << count));
      if (a.kind === "add" || a.kind === "or" || a.kind === "xor")
        return this.binary(a.kind, this.shl(a.inputs[0]!, b), this.constant(a.width, inner << count));
      if (a.kind === "mul") return this.mul(a.inputs[0]!, this.constant(a.width, inner << count));
      if (a.kind === "shr" && inner === count) return this.and(a.inputs[0]!, this.constant(a.width, -1n << count));
      if (a.kind === "shr" && inner > count)
        return this.and(this.shr(a.inputs[0]!, this.constant(a.width, inner - count)), this.constant(a.width, -1n << count));
      if (a.kind === "shr" && inner < count)
        return this.and(this.shl(a.inputs[0]!, this.constant(a.width, count - inner)), this.constant(a.width, -1n << count));
    }
    const asked = this.demanded(a, maskOf(a.width) >> count, 4);
    if (asked !== a) return this.shl(asked, b);
    return undefined;
  }
  shr(a: Node, b: Node): Node {
    const folded = this.fold("shr", a, b);
    if (folded) return folded;
    const count = valueOf(b);
    if (count === 0n) return a;
    return (count === undefined ? undefined : this.moved(() => this.shiftedRight(a, b, count))) ?? this.make("shr", a, b);
  }
  /** a >> b, without sign, where b is the constant `count`. */
  private shiftedRight(a: Node, b: Node, count: bigint): Node | undefined {
    if (count >= BigInt(a.width) || possible(a) >> count === 0n) return this.constant(a.width, 0);
    const inner = valueOf(a.inputs[1]);
    if (inner !== undefined) {
      if (a.kind === "shr") return this.shr(a.inputs[0]!, this.constant(a.width, inner + count));
      if (a.kind === "and") {
        const mask = BigInt.asUintN(a.width, inner) >> count;
        return this.and(this.shr(a.inputs[0]!, b), this.constant(a.width, mask));
      }
      if (a.kind === "or" || a.kind === "xor") return this.bitwise(a.kind, this.shr(a.inputs[0]!, b), this.shr(a.inputs[1]!, b));
      if (a.kind === "shl" && inner === count) return this.and(a.inputs[0]!, this.constant(a.width, maskOf(a.width) >> count));
      if (a.kind === "shl" && inner > count && a.width <= 32)
        return this.and(this.shl(a.inputs[0]!, this.constant(a.width, inner - count)), this.constant(a.width, maskOf(a.width) >> count));
      if (a.kind === "shl" && inner < count && a.width <= 32)
        return this.and(this.shr(a.inputs[0]!, this.constant(a.width, count - inner)), this.constant(a.width, maskOf(a.width) >> count));
    } else if ((a.kind === "or" || a.kind === "xor") && (possible(a.inputs[0]!) >> count === 0n || possible(a.inputs[1]!) >> count === 0n))
      return this.bitwise(a.kind, this.shr(a.inputs[0]!, b), this.shr(a.inputs[1]!, b));
    if (a.kind === "sar" && inner !== undefined && count === BigInt(a.width - 1)) return this.shr(a.inputs[0]!, b);
    return undefined;
  }
  sar(a: Node, b: Node): Node {
    const folded = this.fold("sar", a, b);
    if (folded) return folded;
    const count = valueOf(b);
    if (count === 0n) return a;
    if (isNonNegative(a)) return this.shr(a, b);
    if (count === undefined) return this.make("sar", a, b);
    if (count >= BigInt(a.width)) return this.sar(a, this.constant(a.width, a.width - 1));
    const asked = this.demanded(a, maskOf(a.width) & (-1n << count), 4);
    if (asked !== a) return this.sar(asked, b);
    // Bits that are the sign already are not made signs again: (x << c) >> c is x.
    if (a.kind === "shl" && valueOf(a.inputs[1]) === count && signBits(a.inputs[0]!) > count) return a.inputs[0]!;
    const inner = a.kind === "sar" ? valueOf(a.inputs[1]) : undefined;
    if (inner !== undefined) return this.sar(a.inputs[0]!, this.constant(a.width, inner + count));
    return this.make("sar", a, b);
  }

  // --- elsewhere ---------------------------------------------------------------------------------

  udiv(a: Node, b: Node): Node {
    return quotients.udiv(this, a, b);
  }
  urem(a: Node, b: Node): Node {
    return quotients.urem(this, a, b);
  }
  sdiv(a: Node, b: Node): Node {
    return quotients.sdiv(this, a, b);
  }
  srem(a: Node, b: Node): Node {
    return quotients.srem(this, a, b);
  }
  zext(a: Node, width: Width): Node {
    return widths.zext(this, a, width);
  }
  sext(a: Node, width: Width): Node {
    return widths.sext(this, a, width);
  }
  trunc(a: Node, width: Width): Node {
    return widths.trunc(this, a, width);
  }
  /** Two halves as one register, the lower one first. */
  pack(low: Node, high: Node): Node {
    return widths.pack(this, low, high);
  }
  /** The upper half of a register. */
  high(a: Node): Node {
    return widths.high(this, a);
  }
  icmp(predicate: choices.IntPredicate, left: Node, right: Node): Node {
    return choices.icmp(this, predicate, left, right);
  }
  select(condition: Node, then: Node, other: Node): Node {
    return choices.select(this, condition, then, other);
  }
  /** A pure node with other inputs. */
  again(node: Node, inputs: readonly Node[]): Node {
    const { width } = node;
    const [a, b, c] = inputs as [Node, Node, Node];
    switch (node.kind) {
      case "zext":
      case "sext":
      case "trunc":
        return this[node.kind](a, width);
      case "not":
      case "high":
        return this[node.kind](a);
      case "pack":
        return this.pack(a, b);
      case "icmp":
        return this.icmp(node.data, a, b);
      case "select":
        return this.select(a, b, c);
      case "ptx":
        return this.graph.ptx(node.data, width, inputs);
      case "const":
      case "param":
      case "special":
      case "address":
      case "stack":
      case "result":
      case "copy":
      case "asm":
      case "phi":
      case "effect":
        return node;
      default:
        return this.binary(node.kind, a, b);
    }
  }
  binary(kind: BinaryKind, a: Node, b: Node): Node {
    switch (kind) {
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
        return choices.minMax(this, kind, a, b);
    }
  }
}
