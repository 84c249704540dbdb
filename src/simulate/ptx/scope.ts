/** Names in PTX: registers by the prefix that declares them, variables with addresses, labels; each `{}` opens a scope. */
import { type Declarator, declaredAs, type Operand, type Specifier } from "../../ptx/instruction.js";

export type Register =
  | { readonly kind: "row"; readonly row: number; readonly bits: number }
  | { readonly kind: "predicate"; readonly index: number };

/** A `.param` variable of a call or function: words, a row each; or a kernel's parameter, at an offset. */
export type Parameter =
  | { readonly kind: "rows"; readonly rows: readonly number[]; readonly bytes: number }
  | { readonly kind: "kernel"; readonly offset: number; readonly bytes: number };

const BITS: Readonly<Record<string, number>> = { "8": 8, "16": 16, "32": 32, "64": 64, "128": 128 };

/** Bits of a PTX type. */
export function bitsOfType(type: string): number {
  if (type === "f16x2" || type === "bf16x2") return 32;
  if (type === "bf16") return 16;
  return BITS[/\d+$/.exec(type)?.[0] ?? ""] ?? 32;
}

export class Scope {
  readonly #registers = new Map<string, Register>();
  /** `%r<5>`: the type of %r0 to %r4. */
  readonly #ranges = new Map<string, { readonly type: string; readonly count: number }>();
  readonly #addresses = new Map<string, bigint>();
  readonly #params = new Map<string, Parameter>();
  readonly #labels = new Map<string, number>();

  constructor(
    readonly parent: Scope | undefined,
    readonly allocate: { row(bits: number): number; predicate(): number },
  ) {}

  declareRegisters(specifiers: readonly Specifier[], declarators: readonly Declarator[]): void {
    const { type } = declaredAs(specifiers);
    for (const { name, count } of declarators)
      if (count?.kind === "integer") this.#ranges.set(name, { type, count: Number(count.value) });
      else this.#registers.set(name, this.#make(type));
  }

  #make(type: string): Register {
    if (type === "pred") return { kind: "predicate", index: this.allocate.predicate() };
    const bits = bitsOfType(type);
    return { kind: "row", row: this.allocate.row(bits), bits };
  }

  register(name: string): Register | undefined {
    const known = this.#registers.get(name);
    if (known !== undefined) return known;
    // `%rd12` may be %rd<..> number 12, or, where %rd1<..> is declared, its number 2.
    for (let split = /\d*$/.exec(name)!.index; split < name.length; split++) {
      const range = this.#ranges.get(name.slice(0, split));
      if (range === undefined || Number(name.slice(split)) >= range.count) continue;
      const made = this.#make(range.type);
      this.#registers.set(name, made);
      return made;
    }
    return this.parent?.register(name);
  }

  declareAddress(name: string, address: bigint): void {
    this.#addresses.set(name, address);
  }
  addressOf(name: string): bigint | undefined {
    return this.#addresses.get(name) ?? this.parent?.addressOf(name);
  }

  declareParam(name: string, param: Parameter): void {
    this.#params.set(name, param);
  }
  param(name: string): Parameter | undefined {
    return this.#params.get(name) ?? this.parent?.param(name);
  }

  declareLabel(name: string, block: number): void {
    this.#labels.set(name, block);
  }
  label(name: string): number | undefined {
    return this.#labels.get(name) ?? this.parent?.label(name);
  }
}

/** Bytes of a declared variable: its type's times its extents. */
export function bytesOfVariable(specifiers: readonly Specifier[], dims: readonly (Operand | undefined)[]): number {
  const vector = Number(specifiers.map((s) => /^v(\d)$/.exec(s.name)?.[1]).find((n) => n !== undefined) ?? 1);
  const extent = dims.reduce((product, dim) => product * (dim?.kind === "integer" ? Number(dim.value) : 0), 1);
  return (bitsOfType(declaredAs(specifiers).type) / 8) * vector * extent;
}
