/** The parts that a format has read of the op under construction: operands and types by part. */
import type { OpParser, ParsedOperand } from "../ir/asm.js";
import type { Type } from "../ir/attribute.js";
import type { NamedValueSpec, OpDef } from "../ir/define-op.js";
import type { Value } from "../ir/value.js";
import { Bug } from "../support/assert.js";
import type { FormatState } from "./custom-directive.js";

/**
 * A part is an operand group or, numbered after those, a result group. Most groups are one value of one type: that is
 * kept by itself, in the arrays that hold nothing else; any other number of them in a list. Used again for the next op.
 */
export class FormatParts implements FormatState {
  /** The operand of a group of one, and its position in the text. */
  readonly values: (Value | undefined)[] = [];
  readonly positions: number[] = [];
  /** The type of a part that has one. */
  readonly typeOfPart: (Type | undefined)[] = [];
  operandLists: (readonly ParsedOperand[] | undefined)[] | undefined = undefined;
  typeLists: (readonly Type[] | undefined)[] | undefined = undefined;
  // `operands`, `type(operands)`, `type(results)`.
  allOperands: readonly ParsedOperand[] | undefined = undefined;
  allOperandTypes: readonly Type[] | undefined = undefined;
  allResultTypes: readonly Type[] | undefined = undefined;
  constructor(
    readonly parser: OpParser,
    public def: OpDef,
  ) {
    this.reset(def);
  }

  reset(def: OpDef): void {
    this.def = def;
    const numOperands = def.operands.length;
    for (let i = 0; i < numOperands; i++) this.values[i] = undefined;
    for (let i = numOperands + def.results.length - 1; i >= 0; i--) this.typeOfPart[i] = undefined;
    this.operandLists = this.typeLists = this.allOperands = this.allOperandTypes = this.allResultTypes = undefined;
  }

  setOperandsOf(group: number, operands: readonly ParsedOperand[]): void {
    const only = operands.length === 1 ? operands[0]! : undefined;
    this.values[group] = only?.value;
    if (only) this.positions[group] = only.pos;
    else (this.operandLists ??= [])[group] = operands;
  }
  /** Undefined where none were read. */
  operandsOf(group: number): readonly ParsedOperand[] | undefined {
    const value = this.values[group];
    return value ? [{ value, pos: this.positions[group]! }] : this.operandLists?.[group];
  }
  numOperandsOf(group: number): number {
    return this.values[group] ? 1 : (this.operandLists?.[group]?.length ?? 0);
  }
  setTypesOf(part: number, types: readonly Type[]): void {
    this.typeOfPart[part] = types.length === 1 ? types[0] : undefined;
    if (types.length !== 1) (this.typeLists ??= [])[part] = types;
  }
  typesOf(part: number): readonly Type[] | undefined {
    const type = this.typeOfPart[part];
    return type ? [type] : this.typeLists?.[part];
  }
  /** The type of a part, or the first of several. */
  typeOf(part: number): Type | undefined {
    return this.typeOfPart[part] ?? this.typeLists?.[part]?.[0];
  }

  // By name, for custom directives.
  operands(name: string): readonly ParsedOperand[] {
    return this.operandsOf(indexOf(this.def.operands, name)) ?? [];
  }
  setOperands(name: string, operands: readonly ParsedOperand[]): void {
    this.setOperandsOf(indexOf(this.def.operands, name), operands);
  }
  type(name: string): Type | undefined {
    return this.typeOf(partOf(this.def, name));
  }
  setType(name: string, type: Type): void {
    this.typeOfPart[partOf(this.def, name)] = type;
  }
  types(name: string): readonly Type[] {
    return this.typesOf(partOf(this.def, name)) ?? [];
  }
  setTypes(name: string, types: readonly Type[]): void {
    this.setTypesOf(partOf(this.def, name), types);
  }
}

/** The number of a named part. */
export function partOf(def: OpDef, name: string): number {
  const operand = find(def.operands, name);
  return operand >= 0 ? operand : def.operands.length + indexOf(def.results, name);
}
function find(specs: readonly NamedValueSpec[], name: string): number {
  for (let i = 0; i < specs.length; i++) if (specs[i]!.name === name) return i;
  return -1;
}
function indexOf(specs: readonly NamedValueSpec[], name: string): number {
  const index = find(specs, name);
  if (index < 0) throw new Bug(`no operand or result '${name}'`);
  return index;
}
