/** The PTX text of one function while it is written: registers of values, lines, labels. */
import type { AmdGpu } from "../../gpu/amd.js";
import type { Type } from "../../ir/attribute.js";
import type { Block } from "../../ir/block.js";
import { positionOfLocation } from "../../ir/location.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { type Leaf, leavesOf } from "./leaves.js";

/** Leaves the op's rule: it cannot be executed. */
export class NotExecutable extends Error {}

const PREFIX: Readonly<Record<Leaf["bits"], string>> = { 1: "%p", 8: "%rs", 16: "%rs", 32: "%r", 64: "%rd" };

export class FunctionText {
  readonly lines: string[] = [];
  readonly #values = new Map<Value, readonly string[]>();
  readonly #counts = new Map<string, number>();
  readonly #labels = new Map<Block, string>();
  /** Whether conversions to 8 bits of AMD's GPUs make the largest number of what is too large. */
  saturates = false;
  #nextLabel = 0;
  #lastLine = "";

  constructor(
    readonly file: string,
    /** The GPU, if it is one of AMD's. */
    readonly amd: AmdGpu | undefined = undefined,
  ) {}

  /** One instruction, without its semicolon. */
  put(line: string): void {
    this.lines.push(`\t${line};`);
  }

  /** Says which op the next instructions are of. */
  at(op: Operation): void {
    const position = positionOfLocation(op.ctx, op.locRef);
    const text = position === undefined ? "" : `\t.loc 1 ${position.line} ${position.column}`;
    if (text !== "" && text !== this.#lastLine) this.lines.push(text);
    this.#lastLine = text;
  }

  fresh(bits: Leaf["bits"]): string {
    const prefix = PREFIX[bits];
    const number = (this.#counts.get(prefix) ?? 0) + 1;
    this.#counts.set(prefix, number);
    return prefix + number;
  }

  declarations(): string {
    const types: Readonly<Record<string, string>> = { "%p": "pred", "%rs": "b16", "%r": "b32", "%rd": "b64" };
    return [...this.#counts].map(([prefix, count]) => `\t.reg .${types[prefix]} \t${prefix}<${count + 1}>;\n`).join("");
  }

  leaves(type: Type): readonly Leaf[] {
    const leaves = leavesOf(type);
    if (leaves === undefined) throw new NotExecutable("a type that no register holds");
    return leaves;
  }

  /** The registers of a value. */
  use(value: Value): readonly string[] {
    const registers = this.#values.get(value);
    if (registers === undefined) throw new NotExecutable("a value whose definition could not be executed");
    return registers;
  }

  /** The one register of a scalar. */
  scalar(value: Value): string {
    const [register, second] = this.use(value);
    if (register === undefined || second !== undefined) throw new NotExecutable("an aggregate where a scalar is wanted");
    return register;
  }

  /** New registers for a value. */
  define(value: Value): readonly string[] {
    const registers = this.leaves(value.type).map((leaf) => this.fresh(leaf.bits));
    this.#values.set(value, registers);
    return registers;
  }

  /** The value is in these registers. */
  bind(value: Value, registers: readonly string[]): void {
    this.#values.set(value, registers);
  }

  label(block: Block): string {
    let label = this.#labels.get(block);
    if (label === undefined) this.#labels.set(block, (label = this.newLabel()));
    return label;
  }

  newLabel(): string {
    return `$L_${++this.#nextLabel}`;
  }

  move(to: string, from: string, bits: Leaf["bits"]): void {
    this.put(bits === 1 ? `mov.pred ${to}, ${from}` : `mov.b${Math.max(bits, 16)} ${to}, ${from}`);
  }

  /** The same bits as registers of another width. */
  reshape(from: readonly string[], fromBits: Leaf["bits"], toBits: Leaf["bits"]): readonly string[] {
    if (fromBits === toBits) return from;
    if (fromBits === 1 || toBits === 1) throw new NotExecutable("bits of predicates");
    if (fromBits === 64 && toBits === 8) return this.reshape(this.reshape(from, 64, 32), 32, 8);
    if (fromBits === 8 && toBits === 64) return this.reshape(this.reshape(from, 8, 32), 32, 64);
    const out: string[] = [];
    if (fromBits > toBits)
      for (const register of from) {
        const parts = Array.from({ length: fromBits / toBits }, () => this.fresh(toBits));
        this.put(`mov.b${fromBits} {${parts.join(", ")}}, ${register}`);
        out.push(...parts);
      }
    else
      for (let i = 0; i < from.length; i += toBits / fromBits) {
        const register = this.fresh(toBits);
        this.put(`mov.b${toBits} ${register}, {${from.slice(i, i + toBits / fromBits).join(", ")}}`);
        out.push(register);
      }
    return out;
  }
}
