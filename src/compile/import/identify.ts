/**
 * Which op of a step is which op of the step before, when only texts are known. First ops that are the same in every
 * respect, operands by identity; then ops in the same place of the data flow (same users, same operands) or from the
 * same source line. What is left is new.
 */
import type { TextIR, TextOp } from "./text-ops.js";

/** For each op of `after` the index of its counterpart in `before`; -1 for a new op. */
export function identify(before: TextIR, after: TextIR): Int32Array {
  return new Matcher(before, after).run();
}

class Matcher {
  readonly #match: Int32Array;
  readonly #taken: Uint8Array;
  readonly #before: Side;
  readonly #after: Side;
  constructor(
    readonly before: TextIR,
    readonly after: TextIR,
  ) {
    this.#match = new Int32Array(after.ops.length).fill(-1);
    this.#taken = new Uint8Array(before.ops.length);
    this.#before = new Side(before);
    this.#after = new Side(after);
  }

  run(): Int32Array {
    // The same op: kind, attributes, types, operands, place.
    this.round((side, op, i) => `${op.shape}|${this.operandKey(side, i)}|${op.loc}`);
    this.round((side, op, i) => `${op.shape}|${this.operandKey(side, i)}`);
    // Same source line and kind, though types or operands changed.
    this.round((_side, op) => (op.loc ? `${op.name}|${op.loc}|${op.shape}` : undefined));
    this.round((side, op, i) => `${op.name}|${this.operandKey(side, i)}`);
    this.round((_side, op) => (op.loc ? `${op.name}|${op.loc}|${op.bare}` : undefined));
    this.round((_side, op) => (op.loc ? `${op.name}|${op.loc}` : undefined));
    this.fromUsers();
    this.round((_side, op) => `${op.name}|${op.shape}`);
    this.round((_side, op) => `${op.name}|${op.bare}`);
    this.round((side, op, i) => `${op.name}|${this.operandKey(side, i)}`);
    this.fromUsers();
    // Lowered to another kind of op: the same source line and as many results.
    this.round((_side, op) => (op.loc ? `${op.loc}|${op.results.length}|${op.operands.length}` : undefined));
    return this.#match;
  }

  /** Pairs ops with equal keys, in order of their occurrence. Keys are computed in order, so operands are already paired. */
  private round(key: (side: Side, op: TextOp, index: number) => string | undefined): void {
    const waiting = new Map<string, number[]>();
    this.before.ops.forEach((op, i) => {
      if (this.#taken[i]) return;
      const k = key(this.#before, op, i);
      if (k === undefined) return;
      const list = waiting.get(k);
      if (list) list.push(i);
      else waiting.set(k, [i]);
    });
    if (waiting.size === 0) return;
    for (const list of waiting.values()) list.reverse();
    this.after.ops.forEach((op, i) => {
      if (this.#match[i]! >= 0) return;
      const k = key(this.#after, op, i);
      const partner = k === undefined ? undefined : waiting.get(k)?.pop();
      if (partner !== undefined) this.pair(i, partner);
    });
  }
  private pair(after: number, before: number): void {
    this.#match[after] = before;
    this.#taken[before] = 1;
  }

  /** The operands as ops of the step before; arguments by their op and position; unpaired ones by nothing. */
  private operandKey(side: Side, index: number): string {
    let key = "";
    for (const definition of side.definitions[index]!) {
      if (definition.op < 0) key += `${definition.text},`;
      else {
        const id = side === this.#before ? definition.op : this.#match[definition.op]!;
        key += `${id >= 0 ? id : "?"}${definition.text},`;
      }
    }
    return key;
  }

  /** An op whose users are paired, at the same operand, with users of an unpaired op of the same kind. */
  private fromUsers(): void {
    for (let i = this.after.ops.length - 1; i >= 0; i--) {
      const partner = this.#match[i]!;
      if (partner < 0) continue;
      const ours = this.#after.definitions[i]!;
      const theirs = this.#before.definitions[partner]!;
      for (let k = 0; k < Math.min(ours.length, theirs.length); k++) {
        const a = ours[k]!.op;
        const b = theirs[k]!.op;
        if (a < 0 || b < 0 || this.#match[a]! >= 0 || this.#taken[b]) continue;
        if (this.after.ops[a]!.name === this.before.ops[b]!.name && ours[k]!.text === theirs[k]!.text) this.pair(a, b);
      }
    }
  }
}

interface Definition {
  /** The op that defines the value or owns the argument; -1 when unknown. */
  readonly op: number;
  /** Which of its values: `r0`, `a1`. */
  readonly text: string;
}

/** A step with, for each op, where its operands are defined. */
class Side {
  readonly definitions: readonly (readonly Definition[])[];
  constructor(ir: TextIR) {
    // Names are unique within a function; a later definition of the same name shadows in another function.
    const byName = new Map<string, Definition>();
    this.definitions = ir.ops.map((op, i) => {
      const operands = op.operands.map((name) => byName.get(name) ?? { op: -1, text: "?" });
      op.args.forEach((name, k) => byName.set(name, { op: i, text: `a${k}` }));
      op.results.forEach((name, k) => byName.set(name, { op: i, text: `r${k}` }));
      return operands;
    });
  }
}
