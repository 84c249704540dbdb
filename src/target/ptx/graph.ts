/**
 * A function as a graph, between the LLVM dialect and PTX text.
 *
 * A node is a value in one register: it has a width (1 is a predicate), and its kind says how the bits are read, so a
 * bitcast is no node. Values of 8 bits live in 32-bit registers, of which the upper bits mean nothing. Aggregates and vectors
 * do not exist: they are lists of nodes while the graph is built.
 *
 *     llvm.add %a, %c4 : i32          add(a, const 4), width 32
 *     llvm.fadd %x, %y : f32          ptx add.rn.f32(x, y), width 32
 *     nvvm.barrier0                   an effect: bar.sync 0
 *
 * Pure nodes have no place until they are scheduled, and equal ones are one node (`Graph.pure`): that removes common
 * subexpressions and dead code. Effects and phis belong to a block.
 */

import type { CmpIPredicate } from "../../dialects/arith/attrs.js";
import type { Operation } from "../../ir/operation.js";

/** Bits of a register: a predicate, .b16, .b32, .b64. */
export type Width = 1 | 16 | 32 | 64;

export type ExtremumKind = "smin" | "smax" | "umin" | "umax";
/** Operations on two integers. */
export type BinaryKind =
  | ("add" | "sub" | "mul" | "and" | "or" | "xor" | "shl" | "shr" | "sar" | "udiv" | "urem" | "sdiv" | "srem")
  | ExtremumKind;

/** The data of kinds of nodes besides inputs. */
interface DataOf extends Readonly<Record<BinaryKind | "not" | "zext" | "sext" | "trunc" | "high" | "pack" | "select" | "phi", undefined>> {
  /** An integer or the bits of a float, sign-extended. */
  readonly const: bigint;
  /** A parameter of the function, by its number. */
  readonly param: { readonly index: number; readonly bits: number | "by value" };
  /** `%tid.x` and its like, with the largest value it may have. */
  readonly special: { readonly register: string; readonly most: number | undefined };
  /** The address of a symbol, generic or in its state space. */
  readonly address: { readonly symbol: string; readonly isGeneric: boolean };
  /** The generic address of the stack of that name. */
  readonly stack: string;
  readonly icmp: CmpIPredicate;
  /** Which of the results of an effect, its input. */
  readonly result: number;
  /** The value of an operand of an effect in a register of its own. */
  readonly copy: { readonly effect: number; readonly operand: number };
  /** An instruction that computes one register from registers, by its mnemonic: `cvt.rn.f16.f32`. */
  readonly ptx: string;
  /** Assembly without effect. */
  readonly asm: Asm;
  readonly effect: Effect;
}
export type Kind = keyof DataOf;
/** The kinds of which equal nodes are one. */
export type PureKind = Exclude<Kind, "phi" | "effect" | "asm">;

class NodeOf<K extends Kind> {
  /** The block it belongs to: given for effects and phis, found by the scheduler for pure nodes. */
  block: Block | undefined;
  /** How many nodes, effects and terminators use it; counted by the scheduler. */
  uses = 0;
  constructor(
    readonly id: number,
    readonly kind: K,
    readonly width: Width,
    public inputs: readonly Node[],
    public data: DataOf[K],
    /** Index of a source location, 0 for none. */
    readonly loc: number,
    /**
     * How late the value is there: effects and phis count up, what is computed comes after its inputs.
     * Source: llvm/lib/Transforms/Scalar/Reassociate.cpp, getRank.
     */
    readonly rank: number,
    /** Number of the block that it was made for first. */
    readonly home: number,
    /** Its place in the program's order: its number, or that of the node that it was made in place of. */
    readonly place: number,
  ) {}
}
/** A node of any kind, or of some: `node.kind` says what `node.data` is. */
export type Node<K extends Kind = Kind> = { readonly [P in K]: NodeOf<P> }[K];

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
  | Asm
  /** One instruction: `results` registers, then the inputs; `form` places them: `shfl.sync.bfly.b32 $0, $1, ...`. */
  | { readonly kind: "instruction"; readonly form: string; readonly results: readonly Width[] }
  | {
      readonly kind: "call";
      readonly callee: string;
      readonly results: readonly Width[];
      readonly paramBits: readonly number[];
      readonly resultBits: readonly number[];
    };
/**
 * Text with `$0`: results come first, then inputs; `results` are their widths. `ties` are the results that inputs share a
 * register with; `copied` says of which inputs that must be so.
 */
export interface Asm {
  readonly kind: "asm";
  readonly text: string;
  readonly results: readonly Width[];
  readonly ties: readonly (number | undefined)[];
  readonly copied: readonly boolean[];
}

export type Terminator =
  | { readonly kind: "jump"; target: Block }
  | { readonly kind: "branch"; condition: Node; ifTrue: Block; ifFalse: Block }
  | { readonly kind: "return"; readonly values: readonly Node[]; readonly bits: readonly number[] }
  | { readonly kind: "unreachable" };

export class Block {
  phis: Node<"phi">[] = [];
  effects: Node<"effect">[] = [];
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

/** Makes nodes; equal pure ones only once. */
export class Graph {
  readonly #pure = new Map<string, Node>();
  #next = 0;
  /** Location given to new nodes. */
  loc = 0;
  /** Number of the block that nodes are made for. */
  home = 0;
  #place: number | undefined;
  /** The op that nodes are made for, and what of it has an effect or is assembly. */
  origin: Operation | undefined;
  readonly effectsOf = new Map<Operation, Node[]>();

  /** A node without effect, as it is: see simplify.ts for what may become of it. */
  pure<K extends PureKind>(
    kind: K,
    width: Width,
    inputs: readonly Node[],
    ...[data]: undefined extends DataOf[K] ? [] : [DataOf[K]]
  ): Node<K> {
    let key = `${kind} ${width}`;
    for (const input of inputs) key += ` ${input.id}`;
    if (data !== undefined) key += `#${typeof data === "object" ? Object.values(data).join(" ") : data}`;
    let node = this.#pure.get(key) as Node<K> | undefined;
    if (!node)
      this.#pure.set(key, (node = this.node(kind, width, inputs, data as DataOf[K], rankOf(kind, data, inputs), this.home)) as Node);
    return node;
  }
  /** A node that computes what another one does, at a place of its own. */
  copyOf(node: Node): Node {
    return this.node(node.kind, node.width, node.inputs, node.data, node.rank, this.home);
  }
  private node<K extends Kind>(kind: K, width: Width, inputs: readonly Node[], data: DataOf[K], rank: number, home: number): Node<K> {
    const id = this.#next++;
    return new NodeOf(id, kind, width, inputs, data, this.loc, rank, home, this.#place ?? id) as Node<K>;
  }
  /** Nodes that are made in place of another have its source location, block and place in the program's order. */
  inPlaceOf<T>(node: Node, make: () => T): T {
    const [loc, home, place] = [this.loc, this.home, this.#place];
    [this.loc, this.home, this.#place] = [node.loc, node.home, node.place];
    const made = make();
    [this.loc, this.home, this.#place] = [loc, home, place];
    return made;
  }
  /** An instruction that computes a register, by its mnemonic. */
  ptx(mnemonic: string, width: Width, inputs: readonly Node[]): Node {
    return this.pure("ptx", width, inputs, mnemonic);
  }
  /** Text without side effect: an `asm` node. */
  assembly(block: Block, asm: Asm, inputs: readonly Node[]): Node {
    const key = `${JSON.stringify(asm)} ${inputs.map((i) => i.id).join(" ")}`;
    const known = this.#pure.get(key);
    const node = known ?? this.node("asm", 32, inputs, asm, ++block.rank, block.id);
    this.#pure.set(key, node);
    this.note(known ? [] : [node]);
    return node;
  }
  constant(width: Width, value: bigint | number): Node {
    return this.pure("const", width, NONE, BigInt.asIntN(width, BigInt(value)));
  }
  /** An effect at the end of a block. */
  effect(block: Block, effect: Effect, inputs: readonly Node[]): Node<"effect"> {
    const node = this.node("effect", 32, inputs, effect, ++block.rank, block.id);
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
  result(effect: Node, index: number, width: Width): Node<"result"> {
    return this.pure("result", width, [effect], index);
  }
  phi(block: Block, width: Width): Node<"phi"> {
    const node = this.node("phi", width, NONE, undefined, ++block.rank, block.id);
    node.block = block;
    block.phis.push(node);
    return node;
  }
}
const NONE: readonly Node[] = [];
function rankOf(kind: Kind, data: unknown, inputs: readonly Node[]): number {
  let rank = 0;
  for (const input of inputs) if (input.rank > rank) rank = input.rank;
  const isFree = kind === "const" || kind === "result" || kind === "not" || (kind === "ptx" && (data as string).startsWith("neg."));
  return isFree ? rank : rank + 1;
}

export const isConst = (node: Node): boolean => node.kind === "const";
/** The value of a constant, sign-extended; undefined for other nodes. */
export const valueOf = (node: Node | undefined): bigint | undefined => (node?.kind === "const" ? node.data : undefined);
/** Whether a node has no effect, so that it may be anywhere that its inputs dominate. */
export const isPure = (node: Node): boolean => node.kind !== "phi" && node.kind !== "effect";
/** The work of an effect or of assembly. */
export const effectOf = (node: Node): Effect | undefined => (node.kind === "effect" || node.kind === "asm" ? node.data : undefined);
/** The computation of a node: the mnemonic of an instruction, the kind of another node. */
export const operationOf = (node: Node): string => (node.kind === "ptx" ? node.data : node.kind);
