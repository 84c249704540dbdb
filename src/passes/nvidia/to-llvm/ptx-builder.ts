/**
 * Puts PTX inline asm together: instructions, and operands numbered in the order in which they are made.
 *
 *     const ptx = new PtxBuilder();
 *     const dst = ptx.output("=r", { init: true });          // mov.u32 $0, 0x0;
 *     const address = ptx.address(pointer, "l");             // [ $1 + 0 ]
 *     ptx.instruction(["ld", "global", "b32"], [dst, address], ptx.input(mask, "b"));
 *     ptx.launch(b, i32(ctx));                               // "... @$2 ld.global.b32 $0, [ $1 + 0 ];", "=r,l,b"
 *
 * Source: include/triton/Conversion/TritonGPUToLLVM/PTXAsmFormat.h and its .cpp.
 */
import type { Type } from "../../../ir/attribute.js";
import type { Value } from "../../../ir/value.js";
import type { LLBuilder } from "../../ttg-to-llvm/ll-builder.js";

/** Something that an instruction's text names. */
export interface PtxOperand {
  /** How it is spelt: `$0`, `[ $1 + 0 ]`, `{ $0, $1 }`, `0x0`. */
  readonly text: string;
  /** The number of its `$`; undefined for constants and lists. */
  readonly index: number | undefined;
}

/** The register class of inline asm for a width in bits: `r`, `f` for a float of 32, and so on. */
export function registerSizeCode(bits: number, isFloat: boolean): string {
  if (bits === 1) return "b";
  if (bits === 16) return "h";
  if (bits === 32) return isFloat ? "f" : "r";
  if (bits === 64) return isFloat ? "d" : "l";
  return "q";
}

export class PtxBuilder {
  readonly #lines: string[] = [];
  readonly #constraints: string[] = [];
  readonly #values: Value[] = [];
  #next = 0;

  #add(constraint: string, value: Value | undefined, text: (index: number) => string = (i) => `$${i}`): PtxOperand {
    const index = this.#next++;
    this.#constraints.push(constraint);
    if (value) this.#values.push(value);
    return { index, text: text(index) };
  }
  input(value: Value, constraint: string): PtxOperand {
    return this.#add(constraint, value);
  }
  /** A register that is written (`=r`); with `init` it is set to 0 first, for when the instruction is predicated off. */
  output(constraint: string, { init = false }: { readonly init?: boolean } = {}): PtxOperand {
    const operand = this.#add(constraint, undefined);
    if (init) this.instruction(["mov", `u${INIT_WIDTH[constraint[1]!]!}`], [operand, this.hex(0)]);
    return operand;
  }
  /** An input that shares the register of operand `index`. */
  tied(value: Value, index: number): PtxOperand {
    return this.#add(String(index), value);
  }
  address(value: Value, constraint: string, offset = 0): PtxOperand {
    return this.#add(constraint, value, (i) => `[ $${i} + ${offset} ]`);
  }
  constant(text: string): PtxOperand {
    return { index: undefined, text };
  }
  hex(value: bigint | number): PtxOperand {
    return this.constant(`0x${BigInt.asUintN(64, BigInt(value)).toString(16)}`);
  }
  list(operands: readonly PtxOperand[]): PtxOperand {
    return { index: undefined, text: `{ ${operands.map((o) => o.text).join(", ")} }` };
  }
  /** `parts` are joined by dots, empty ones left out. */
  instruction(parts: readonly string[], operands: readonly PtxOperand[], predicate?: PtxOperand, negated = false): void {
    const guard = predicate ? `@${negated ? "!" : ""}${predicate.text} ` : "";
    this.#lines.push(`${guard}${parts.filter((p) => p !== "").join(".")} ${operands.map((o) => o.text).join(", ")};`);
  }
  /** A line of PTX, unchanged. */
  line(text: string): void {
    this.#lines.push(text);
  }
  get text(): string {
    return this.#lines.join("\n\t");
  }
  get constraints(): string {
    return this.#constraints.join(",");
  }
  launch(b: LLBuilder, type: Type, sideEffects = true): Value {
    return b.inlineAsm(this.text, this.constraints, this.#values, type, { sideEffects });
  }
}

const INIT_WIDTH: Readonly<Record<string, number>> = { c: 16, h: 16, r: 32, l: 64 };
