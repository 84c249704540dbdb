/**
 * A function as a graph, between the LLVM dialect and PTX text.
 *
 * A node is a value in one register: it has a width (1 is a predicate), and its operation says how the bits are read, so a
 * bitcast is no node. Values of 8 bits live in 32-bit registers, of which the upper bits mean nothing. Aggregates and vectors
 * do not exist: they are lists of nodes while the graph is built.
 *
 *     llvm.add %a, %c4 : i32          add(a, const 4), width 32
 *     llvm.fadd %x, %y : f32          fadd.f32(x, y), width 32
 *     nvvm.barrier0                   an effect: bar.sync 0
 *
 * Pure nodes stand nowhere until they are scheduled, and equal ones are one node (`Graph.pure`): that removes common
 * subexpressions and dead code. Effects and phis belong to a block.
 */

import type { Operation } from "../../ir/operation.js";

/** Bits of a register: a predicate, .b16, .b32, .b64. */
export type Width = 1 | 16 | 32 | 64;

export class Node {
  /** The block it belongs to: given for effects and phis, found by the scheduler for pure nodes. */
  block: Block | undefined;
  /** How many nodes, effects and terminators use it; counted by the scheduler. */
  uses = 0;
  constructor(
    readonly id: number,
    /** `add`, `fadd.f32`, `const`, `phi`, `load`, or a PTX mnemonic (see `isMnemonic`). */
    readonly op: string,
    readonly width: Width,
    public inputs: readonly Node[],
    /** The operation's data besides inputs: a constant's value, a predicate, a number of bits, an access. */
    public info: NodeInfo,
    /** Index of a source location, 0 for none. */
    readonly loc: number,
    /**
     * How late the value is there: effects and phis count up, what is computed comes after its inputs.
     * Source: llvm/lib/Transforms/Scalar/Reassociate.cpp, getRank.
     */
    readonly rank: number,
    /** Number of the block that it was made for first. */
    readonly home: number,
  ) {}
}

export type NodeInfo = bigint | number | string | Effect | undefined;

/** The data of effects besides their inputs. */
export type Effect =
  /** Reads `count` registers of `width` bits from the address that is the first input. */
  | {
      readonly kind: "load";
      readonly space: string;
      readonly bits: number;
      readonly count: number;
      readonly volatile: boolean;
      readonly align: number;
      /** The width of the register that the sign is extended to. */
      readonly signedTo?: Width;
    }
  /** Inputs: address, then values. */
  | {
      readonly kind: "store";
      readonly space: string;
      readonly bits: number;
      readonly count: number;
      readonly volatile: boolean;
      readonly align: number;
    }
  /**
   * Text with `$0`: results come first, then inputs; `results` are their widths. `ties` are the results that inputs share a
   * register with; `copied` says of which inputs that must be so.
   */
  | {
      readonly kind: "asm";
      readonly text: string;
      readonly results: readonly Width[];
      readonly ties: readonly (number | undefined)[];
      readonly copied: readonly boolean[];
    }
  /** One instruction: `results` registers, then the inputs; `form` places them: `shfl.sync.bfly.b32 $0, $1, ...`. */
  | { readonly kind: "instruction"; readonly form: string; readonly results: readonly Width[] }
  | {
      readonly kind: "call";
      readonly callee: string;
      readonly results: readonly Width[];
      readonly paramBits: readonly number[];
      readonly resultBits: readonly number[];
    };

export type Terminator =
  | { readonly kind: "jump"; target: Block }
  | { readonly kind: "branch"; condition: Node; ifTrue: Block; ifFalse: Block }
  | { readonly kind: "return"; readonly values: readonly Node[]; readonly bits: readonly number[] }
  | { readonly kind: "unreachable" };

export class Block {
  phis: Node[] = [];
  effects: Node[] = [];
  terminator: Terminator = { kind: "unreachable" };
  /** In the order of the phis' inputs. */
  predecessors: Block[] = [];
  /** Source location of the terminator. */
  loc = 0;
  // Results of the analysis (see cfg.ts):
  order = -1;
  dominator: Block | undefined;
  depth = 0;
  loopDepth = 0;
  /** Do not unroll the loop that this branch closes. */
  noUnroll = false;
  /** The rank of the node made last in this block, see `Node.rank`. */
  rank: number;
  constructor(readonly id: number) {
    this.rank = (id + 1) * 2 ** 16;
  }
}

export function successorsOf(block: Block): readonly Block[] {
  const t = block.terminator;
  if (t.kind === "jump") return [t.target];
  return t.kind === "branch" ? [t.ifTrue, t.ifFalse] : [];
}

/** A mnemonic of PTX that computes one register from registers, without effect: `cvt.rn.f16.f32`. */
export const isMnemonic = (op: string): boolean => op.includes(".");

/** Makes nodes; equal pure ones only once. */
export class Graph {
  readonly #pure = new Map<string, Node>();
  #next = 0;
  /** Location given to new nodes. */
  loc = 0;
  /** Number of the block that nodes are made for. */
  home = 0;
  /** The op that nodes are made for, and what of it has an effect or is assembly. */
  origin: Operation | undefined;
  readonly effectsOf = new Map<Operation, Node[]>();

  /** A node without effect, as it is: see simplify.ts for what may become of it. */
  pure(op: string, width: Width, inputs: readonly Node[], info?: bigint | number | string): Node {
    let key = `${op} ${width}`;
    for (const input of inputs) key += ` ${input.id}`;
    if (info !== undefined) key += `#${info}`;
    let node = this.#pure.get(key);
    if (!node) this.#pure.set(key, (node = new Node(this.#next++, op, width, inputs, info, this.loc, rankOf(op, inputs), this.home)));
    return node;
  }
  /** Text without side effect: an `asm` node. */
  pureEffect(block: Block, effect: Effect, inputs: readonly Node[]): Node {
    const key = `${JSON.stringify(effect)} ${inputs.map((i) => i.id).join(" ")}`;
    const known = this.#pure.get(key);
    const node = known ?? new Node(this.#next++, "asm", 32, inputs, effect, this.loc, ++block.rank, block.id);
    this.#pure.set(key, node);
    this.note(known ? [] : [node]);
    return node;
  }
  constant(width: Width, value: bigint | number): Node {
    return this.pure("const", width, NONE, BigInt.asIntN(width, BigInt(value)));
  }
  /** An effect at the end of a block. */
  effect(block: Block, effect: Effect, inputs: readonly Node[]): Node {
    const node = new Node(this.#next++, "effect", 32, inputs, effect, this.loc, ++block.rank, block.id);
    node.block = block;
    block.effects.push(node);
    this.note([node]);
    return node;
  }
  private note(nodes: readonly Node[]): void {
    if (!this.origin) return;
    const known = this.effectsOf.get(this.origin);
    if (known) known.push(...nodes);
    else this.effectsOf.set(this.origin, [...nodes]);
  }
  /** One of an effect's results. */
  result(effect: Node, index: number, width: Width): Node {
    return this.pure("result", width, [effect], index);
  }
  phi(block: Block, width: Width): Node {
    const node = new Node(this.#next++, "phi", width, NONE, undefined, this.loc, ++block.rank, block.id);
    node.block = block;
    block.phis.push(node);
    return node;
  }
}
const NONE: readonly Node[] = [];
function rankOf(op: string, inputs: readonly Node[]): number {
  let rank = 0;
  for (const input of inputs) if (input.rank > rank) rank = input.rank;
  return op === "const" || op === "result" || op === "not" || op.startsWith("neg.") ? rank : rank + 1;
}

export const isConst = (node: Node): boolean => node.op === "const";
/** The value of a constant, sign-extended; undefined for other nodes. */
export const valueOf = (node: Node | undefined): bigint | undefined => (node?.op === "const" ? (node.info as bigint) : undefined);
/** Whether a node has no effect, so that it may stand anywhere that its inputs dominate. */
export const isPure = (node: Node): boolean => node.op !== "phi" && node.op !== "effect";
