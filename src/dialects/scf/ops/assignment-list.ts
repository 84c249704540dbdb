import type { OpParser, OpPrinter, ParsedArgument, ParsedOperand } from "../../../ir/asm.js";
import type { Type } from "../../../ir/attribute.js";
import type { Value } from "../../../ir/value.js";

/** Region arguments and the values they start with, as read. */
export interface AssignmentList {
  readonly args: readonly ParsedArgument[];
  readonly inits: readonly ParsedOperand[];
}

/** Reads `(%inner = %outer, ...)`. */
export function parseAssignmentList(p: OpParser): AssignmentList {
  const args: ParsedArgument[] = [];
  const inits: ParsedOperand[] = [];
  p.list("(", ")", () => {
    args.push(p.argument());
    p.punct("=");
    inits.push(p.operand());
  });
  return { args, inits };
}

/** Writes `prefix(%inner = %outer, ...)`; nothing when there are none. */
export function printAssignmentList(p: OpPrinter, prefix: string, args: readonly Value[], inits: readonly Value[]): void {
  if (inits.length === 0) return;
  p.write(`${prefix}(${inits.map((init, i) => `${p.value(args[i]!)} = ${p.value(init)}`).join(", ")})`);
}

/** The arguments with their types, which are elsewhere in the text. */
export function withTypes(args: readonly ParsedArgument[], types: readonly Type[]): ParsedArgument[] {
  return args.map((arg, i) => ({ ...arg, type: types[i] }));
}
