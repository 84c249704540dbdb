/** Functions as lists of instructions: every value has a slot, every op a closure made by its rule. */
import { allocationOffset } from "../../analysis/allocation.js";
import { scratchSizeOnTarget } from "../../analysis/scratch-size.js";
import type { Block } from "../../ir/block.js";
import { elementTypeOrSelf } from "../../ir/builtin-types.js";
import type { OpDef } from "../../ir/define-op.js";
import { FunctionOp } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";
import { symbolName } from "../../ir/symbol-table.js";
import { typeText } from "../../ir/text-hook.js";
import type { Value } from "../../ir/value.js";
import { isModelled } from "./elements.js";
import { type Frame, type Machine, Stop } from "./machine.js";
import type { Val } from "./value.js";

export type Run = (frame: Frame, machine: Machine) => void;

export interface Instruction {
  readonly op: Operation;
  /** Slots of operands and results. */
  readonly ins: readonly number[];
  readonly outs: readonly number[];
  run: Run;
  /** How often it ran, and for how many lanes in all where it has a mask (-1: it has none). */
  count: number;
  lanes: number;
  /** How often a branch went to its first side (-1: it is none). */
  taken: number;
}
export interface BlockCode {
  readonly block: Block;
  readonly args: readonly number[];
  readonly instructions: Instruction[];
}
/** Makes the closure of an op. Work that needs the machine or the frame is done when it runs. */
export type Rule = (instruction: Instruction, program: Program) => Run;

/** The functions of a module, compiled block by block as they are reached. */
export class Program {
  readonly #slots = new Map<Value, number>();
  readonly #blocks = new Map<Block, BlockCode>();
  readonly #functions = new Map<string, Operation>();
  /** Every instruction made so far: for coverage. */
  readonly instructions: Instruction[] = [];

  constructor(
    readonly module: Operation,
    readonly rules: ReadonlyMap<OpDef, Rule>,
  ) {
    module.walk((op) => {
      if (op !== module && op.def.interface(FunctionOp)) {
        this.#functions.set(symbolName(op) ?? "", op);
        return "skip";
      }
      return undefined;
    });
  }

  function(name: string): Operation | undefined {
    return this.#functions.get(name);
  }
  get functions(): readonly Operation[] {
    return [...this.#functions.values()];
  }

  slot(value: Value): number {
    let slot = this.#slots.get(value);
    if (slot === undefined) this.#slots.set(value, (slot = this.#slots.size));
    return slot;
  }

  block(block: Block): BlockCode {
    let code = this.#blocks.get(block);
    if (!code) {
      code = { block, args: block.args.map((arg) => this.slot(arg)), instructions: [] };
      this.#blocks.set(block, code);
      for (const op of block.ops()) code.instructions.push(this.#instruction(op));
    }
    return code;
  }

  #instruction(op: Operation): Instruction {
    const instruction: Instruction = {
      op,
      ins: op.operands.map((v) => this.slot(v)),
      outs: op.results.map((v) => this.slot(v)),
      count: 0,
      lanes: -1,
      taken: -1,
      run: (frame, machine) => {
        // Rules see the op when it is first reached: code that never runs need not be understood.
        const rule = this.rules.get(op.def);
        if (!rule) throw new Stop("not-modelled", `${op.name} is not modelled at tensor level`, op);
        const odd = [...op.operands, ...op.results].map(({ type }) => elementTypeOrSelf(type)).find((type) => !isModelled(type));
        if (odd) throw new Stop("not-modelled", `${typeText(odd)} is not modelled at tensor level`, op);
        instruction.run = withScratch(op, rule(instruction, this));
        instruction.run(frame, machine);
      },
    };
    this.instructions.push(instruction);
    return instruction;
  }
}

/** Scratch memory that the op was given is written over. */
function withScratch(op: Operation, run: Run): Run {
  const offset = allocationOffset(op);
  if (offset === undefined || op.name === "ttg.local_alloc") return run;
  let bytes: number | undefined;
  return (frame, machine) => {
    bytes ??= scratchSizeOnTarget(op, machine.gpu.cuda);
    machine.shared.placement.scratch(op, offset, bytes);
    run(frame, machine);
  };
}

/** A frame that executes a block with these arguments. */
export function enter(machine: Machine, code: BlockCode, env: Val[], args: readonly Val[], onExit: Frame["onExit"], isCall = false): void {
  for (let i = 0; i < code.args.length; i++) env[code.args[i]!] = args[i]!;
  machine.push({ code, pc: 0, env, onExit, isCall });
}
/** Goes on at the begin of a block, in the same frame. */
export function jump(frame: Frame, code: BlockCode, args: readonly Val[]): void {
  for (let i = 0; i < code.args.length; i++) frame.env[code.args[i]!] = args[i]!;
  frame.code = code;
  frame.pc = 0;
}
/** The operands' values. */
export function operandsOf(frame: Frame, { ins }: Instruction): Val[] {
  return ins.map((slot) => frame.env[slot]!);
}
export function setResults(frame: { readonly env: Val[] }, { outs }: Instruction, values: readonly Val[]): void {
  for (let i = 0; i < outs.length; i++) frame.env[outs[i]!] = values[i]!;
}
