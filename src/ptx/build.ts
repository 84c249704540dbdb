/** Short forms for programs that write PTX: `instruction("add.s32", [name("%r1"), name("%r2"), integer(4)])`. */
import type { Guard, Instruction, Operand } from "./instruction.js";

export const name = (text: string): Operand => ({ kind: "name", name: text });

/** In decimal; `hex` writes `0x0f`. */
export function integer(value: number | bigint): Operand {
  return { kind: "integer", value: BigInt(value), text: String(value) };
}

const view = new DataView(new ArrayBuffer(8));

/** `0f3F800000`: the bits of an f32. */
export function float32(value: number): Operand {
  view.setFloat32(0, value);
  return { kind: "float", value: view.getFloat32(0), text: `0f${view.getUint32(0).toString(16).toUpperCase().padStart(8, "0")}` };
}

/** `0d3FF0000000000000`: the bits of an f64. */
export function float64(value: number): Operand {
  view.setFloat64(0, value);
  return { kind: "float", value, text: `0d${view.getBigUint64(0).toString(16).toUpperCase().padStart(16, "0")}` };
}

export const vector = (elements: readonly Operand[]): Operand => ({ kind: "vector", elements });
export const not = (operand: Operand): Operand => ({ kind: "not", operand });
export const pair = (first: Operand, second: Operand): Operand => ({ kind: "pair", first, second });

/** `[base]`, or `[base+offset]` when offset is not 0. */
export function address(base: Operand, offset = 0): Operand {
  return { kind: "address", base: offset === 0 ? base : { kind: "sum", base, minus: false, offset: integer(offset) }, rest: [] };
}

/** `mnemonic` with its modifiers: `ld.global.b32`. */
export function instruction(mnemonic: string, operands: readonly Operand[] = [], guard?: Guard): Instruction {
  const [opcode = "", ...modifiers] = mnemonic.split(".");
  return { kind: "instruction", guard, opcode, modifiers, operands };
}
