import type { OpParser, OpPrinter, ParsedOperand } from "../ir/asm.js";
import type { Type } from "../ir/attribute.js";
import type { OpDef } from "../ir/define-op.js";
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";

/** The parts, by name, that a `custom<Name>` directive may read and set while its op is parsed. */
export interface FormatState {
  operands(name: string): readonly ParsedOperand[];
  setOperands(name: string, operands: readonly ParsedOperand[]): void;
  types(name: string): readonly Type[];
  setTypes(name: string, types: readonly Type[]): void;
  /** The type of a part that is one value, or the first of several. */
  type(name: string): Type | undefined;
  setType(name: string, type: Type): void;
  /** Adds a region for the part of that name (regions go in order). */
  readonly parser: OpParser;
}

/** A `custom<Name>(...)` directive of an assembly format; `args` are the names of its arguments, in order. */
export interface CustomDirective {
  readonly parse: (p: OpParser, state: FormatState, args: readonly string[]) => void;
  readonly print: (p: OpPrinter, op: Operation, args: readonly string[]) => void;
  /** Whether an optional group anchored here is printed. */
  readonly present?: (op: Operation, args: readonly string[]) => boolean;
}

/** By name, then dialect. */
const directives = new Map<string, Map<string, CustomDirective>>();

/** Registers a directive of that dialect; formats of the dialect's ops find it. */
export function defineCustomDirective(dialect: string, name: string, directive: CustomDirective): void {
  const known = directives.get(name);
  if (known) known.set(dialect, directive);
  else directives.set(name, new Map([[dialect, directive]]));
}
/** The directive that a format of `def` names. */
export function customDirective(def: OpDef, name: string): CustomDirective | undefined {
  const known = directives.get(name);
  return known?.get(def.dialect) ?? known?.get("builtin");
}

/** The values of a part of an op by name: operands or results, none for an absent optional one. */
export function partValues(op: Operation, name: string): readonly Value[] {
  const part = (op.def.viewOf(op) as Readonly<Record<string, Value | readonly Value[] | undefined>>)[name];
  if (part === undefined) return [];
  return Array.isArray(part) ? (part as readonly Value[]) : [part as Value];
}
