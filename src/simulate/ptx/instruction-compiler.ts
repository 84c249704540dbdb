/**
 * The view that a rule has of the instruction it compiles: operands as rows of the register file, and `emit` for steps. All
 * steps of an instruction become one, under the instruction's guard.
 */
import { type Instruction, mnemonicOf, type Operand, typesOf } from "../../ptx/instruction.js";
import { printOperand } from "../../ptx/print.js";
import type { Site } from "./findings.js";
import { lanes, type Step, whole } from "./lanes.js";
import type { Register, Scope } from "./scope.js";

/** Leaves the rule: the instruction is not modelled, and says why when it is executed. */
export class NotModelled extends Error {}
/** Text that has the form of an instruction that PTX does not have. */
export class NoInstruction extends Error {}

/** Rows, constants and predicates of a whole program. */
export interface RegisterFile {
  row(bits: number): number;
  constant(bits: bigint, wide: boolean): number;
  special(name: string): number;
  predicate(): number;
  constantPredicate(mask: number): number;
}

export type Rule = (c: InstructionCompiler) => void;

export class InstructionCompiler {
  readonly #steps: Step[] = [];
  readonly #after: Step[] = [];
  /** Rows of registers that it reads and writes; predicates are none. */
  readonly reads: number[] = [];
  readonly writes: number[] = [];
  /** Predicates that it reads and writes, and the rows among `reads` on which the place and the size of a memory access depend. */
  readonly predicateReads: number[] = [];
  readonly predicateWrites: number[] = [];
  readonly addresses: number[] = [];
  /** Whether it reads which program of the grid this is. */
  readsProgram = false;
  /** Counts what a memory access costs, and leaves data as it is: see `address-slice.ts`. */
  cost: Step | undefined;
  readonly types: readonly string[];

  constructor(
    readonly op: Instruction,
    readonly scope: Scope,
    readonly file: RegisterFile,
    readonly site: Site,
  ) {
    this.types = typesOf(op);
  }

  has(modifier: string): boolean {
    return this.op.modifiers.includes(modifier);
  }

  /** The one of these modifiers that is present. */
  oneOf<T extends string>(...modifiers: readonly T[]): T | undefined {
    return modifiers.find((m) => this.op.modifiers.includes(m));
  }

  get type(): string {
    const last = this.types.at(-1);
    if (last === undefined) throw new NotModelled("the instruction names no type");
    return last;
  }

  operand(index: number): Operand {
    const operand = this.op.operands[index];
    if (operand === undefined) throw new NotModelled(`operand ${index + 1} is missing`);
    return operand;
  }

  emit(step: Step): void {
    this.#steps.push(step);
  }

  /** Done after the instruction's own steps. */
  after(step: Step): void {
    this.#after.push(step);
  }

  /** Everything emitted, as one step; undefined when nothing was. */
  finish(): Step | undefined {
    const steps = [...this.#steps, ...this.#after];
    if (steps.length <= 1) return steps[0];
    const [first, second] = steps;
    if (steps.length === 2)
      return (warp, mask) => {
        first!(warp, mask);
        second!(warp, mask);
      };
    return (warp, mask) => {
      for (const step of steps) step(warp, mask);
    };
  }

  temp(bits: number): number {
    return this.file.row(bits);
  }

  /** `source` for an operand that decides where a memory access goes, or how much it moves. */
  addressSource(operand: Operand, bits: number): number {
    const { length } = this.reads;
    const row = this.source(operand, bits);
    this.addresses.push(...this.reads.slice(length));
    return row;
  }

  /** The row to read `bits` bits of an operand from. */
  source(operand: Operand, bits: number): number {
    const wide = bits === 64;
    switch (operand.kind) {
      case "integer":
        return this.file.constant(bits < 32 ? BigInt.asUintN(bits, operand.value) : operand.value, wide);
      case "float":
        return this.file.constant(floatBits(operand, bits), wide);
      case "sum": {
        const at = this.address(operand.base);
        if (at === undefined || operand.offset.kind !== "integer") throw new NotModelled(`operand '${printOperand(operand)}'`);
        return this.file.constant(at + (operand.minus ? -operand.offset.value : operand.offset.value), wide);
      }
      case "name":
        return this.#named(operand.name, bits);
      default:
        throw new NotModelled(`operand '${printOperand(operand)}'`);
    }
  }

  #named(name: string, bits: number): number {
    const wide = bits === 64;
    if (name === "_") return this.file.constant(0n, wide);
    const register = this.register(name);
    if (register !== undefined) {
      note(this.reads, register);
      if ((register.bits === 64) === wide) return register.row;
      const row = this.temp(bits);
      this.emit(
        wide
          ? lanes("I[d + 2 * l] = I[a + l]; I[d + 2 * l + 1] = 0", row, register.row)
          : lanes("I[d + l] = I[a + 2 * l]", row, register.row),
      );
      return row;
    }
    if (name.startsWith("%")) return this.#special(name, wide);
    const at = this.address({ kind: "name", name });
    if (at === undefined) throw new NotModelled(`'${name}' is declared nowhere`);
    return this.file.constant(at, wide);
  }

  #special(name: string, wide: boolean): number {
    this.readsProgram ||= /^%(?:ctaid|clusterid)/.test(name);
    if (/^%(?:clock|clock_hi|clock64|globaltimer(?:_lo|_hi)?)$/.test(name)) {
      const row = this.temp(wide ? 64 : 32);
      if (/_hi$/.test(name)) this.emit(lanes("I[d + l] = 0", row));
      else this.emit(wide ? lanes("I[d + 2 * l] = w.steps; I[d + 2 * l + 1] = 0", row) : lanes("I[d + l] = w.steps", row));
      return row;
    }
    const row = this.file.special(name);
    if (!wide) return row;
    const widened = this.temp(64);
    this.emit(lanes("I[d + 2 * l] = I[a + l]; I[d + 2 * l + 1] = 0", widened, row));
    return widened;
  }

  /** A declared register that is no predicate; undefined for other names. */
  register(name: string): Extract<Register, { kind: "row" }> | undefined {
    const found = this.scope.register(name);
    if (found === undefined) return undefined;
    if (found.kind === "predicate") throw new NotModelled(`predicate '${name}' where a number is wanted`);
    return found;
  }

  /** The address of a variable; undefined for what is none. */
  address(operand: Operand): bigint | undefined {
    if (operand.kind === "integer") return operand.value;
    if (operand.kind !== "name") return undefined;
    const param = this.scope.param(operand.name);
    return param?.kind === "kernel" ? BigInt(param.offset) : this.scope.addressOf(operand.name);
  }

  /**
   * The row to write `bits` bits of a result to; where the register is wider, what is written is extended to it
   * afterwards. Rows of fewer than 32 bits are kept with zeros above.
   */
  dest(operand: Operand, bits: number, signed = false): number {
    if (operand.kind !== "name") throw new NotModelled(`result '${printOperand(operand)}'`);
    if (operand.name === "_") return this.temp(bits);
    const register = this.register(operand.name);
    if (register === undefined) throw new NotModelled(`result '${operand.name}' is no register`);
    const { row } = register;
    note(this.writes, register);
    if (register.bits === 64 && bits < 64) {
      const narrow = this.temp(32);
      const low = extended("I[a + l]", bits, signed);
      this.after(lanes(`const v = ${low}; I[d + 2 * l] = v; I[d + 2 * l + 1] = ${signed ? "v >> 31" : "0"}`, row, narrow));
      return narrow;
    }
    if (register.bits < 64 && bits === 64) throw new NotModelled(`64 bits into '${operand.name}', which has ${register.bits}`);
    if (signed && bits < register.bits && bits < 32)
      this.after(lanes(`I[d + l] = ${extended("I[d + l]", bits, true)}${register.bits === 16 ? " & 65535" : ""}`, row));
    return row;
  }

  /** A predicate to read: twice its number, plus 1 where it is negated. */
  predicateSource(operand: Operand): number {
    if (operand.kind === "not") return this.predicateSource(operand.operand) ^ 1;
    if (operand.kind === "integer") return 2 * this.file.constantPredicate(operand.value === 0n ? 0 : -1);
    if (operand.kind !== "name") throw new NotModelled(`operand '${printOperand(operand)}' where a predicate is wanted`);
    const index = this.#predicate(operand.name);
    this.predicateReads.push(index);
    return 2 * index;
  }

  /** The number of a predicate to write; one nobody reads for `_`. */
  predicateDest(operand: Operand): number {
    if (operand.kind !== "name") throw new NotModelled(`result '${printOperand(operand)}' where a predicate is wanted`);
    if (operand.name === "_") return this.file.predicate();
    const index = this.#predicate(operand.name);
    this.predicateWrites.push(index);
    return index;
  }

  #predicate(name: string): number {
    const found = this.scope.register(name);
    if (found?.kind !== "predicate") throw new NotModelled(`'${name}' is no predicate`);
    return found.index;
  }

  /** A predicate number that holds the (maybe negated) source, so that `P[x]` reads it. */
  plainPredicate(operand: Operand): number {
    const source = this.predicateSource(operand);
    if ((source & 1) === 0) return source >> 1;
    const index = this.file.predicate();
    this.emit(whole("P[d] = ~P[a]", index, source >> 1));
    return index;
  }

  /** The value of an operand known now. */
  immediate(operand: Operand): number {
    if (operand.kind !== "integer") throw new NotModelled(`operand '${printOperand(operand)}' where a number is wanted`);
    return Number(BigInt.asIntN(32, operand.value));
  }

  get mnemonic(): string {
    return mnemonicOf(this.op);
  }
}

function note(rows: number[], { row, bits }: { readonly row: number; readonly bits: number }): void {
  rows.push(row);
  if (bits === 64) rows.push(row + 32);
}

function extended(value: string, bits: number, signed: boolean): string {
  if (bits === 32) return value;
  if (!signed) return `${value} & ${bits === 16 ? 65535 : 255}`;
  return `${value} << ${32 - bits} >> ${32 - bits}`;
}

const view = new DataView(new ArrayBuffer(8));

/** The bits of a float literal as an operand of that width. */
function floatBits(operand: Extract<Operand, { kind: "float" }>, bits: number): bigint {
  if (/^-?0[fF]/.test(operand.text) && bits <= 32 && !operand.text.startsWith("-")) return BigInt(`0x${operand.text.slice(2)}`); // NaNs keep their payload
  if (bits === 64) view.setFloat64(0, operand.value);
  else view.setFloat32(0, operand.value);
  return bits === 64 ? view.getBigUint64(0) : BigInt(view.getUint32(0));
}
