import { StringAttr, SymbolRefAttr, type symbolRef } from "./builtin-attrs.js";
import type { Operation } from "./operation.js";
import { SymbolTable } from "./traits.js";

/** The name of a symbol op. */
export function symbolName(op: Operation): string | undefined {
  const name = op.attr("sym_name");
  return StringAttr.is(name) ? name.params.value : undefined;
}
/** The visibility of a symbol; public where none is written. */
export function symbolVisibility(op: Operation): "public" | "private" | "nested" {
  const visibility = op.attr("sym_visibility");
  return StringAttr.is(visibility) ? (visibility.params.value as "private" | "nested") : "public";
}

/** The symbols directly inside an op, by name. */
export function symbolsOf(table: Operation): Map<string, Operation> {
  const symbols = new Map<string, Operation>();
  for (const region of table.regions)
    for (const block of region.blocks())
      for (const op of block.ops()) {
        const name = symbolName(op);
        if (name !== undefined) symbols.set(name, op);
      }
  return symbols;
}
/** The nearest enclosing op (or itself) that holds symbols. */
export function nearestSymbolTable(from: Operation): Operation | undefined {
  for (let op: Operation | null = from; op; op = op.parentOp) if (op.def.traits.has(SymbolTable)) return op;
  return undefined;
}
/** Finds the symbol of that name in the nearest table; tables further out do not count. */
export function lookupSymbol(from: Operation, name: string): Operation | undefined {
  for (const region of nearestSymbolTable(from)?.regions ?? [])
    for (const block of region.blocks()) for (const op of block.ops()) if (symbolName(op) === name) return op;
  return undefined;
}
/** Every symbol name that the ops inside `root` refer to, with the op that does; what an op repeats comes once. */
export function forEachSymbolUse(root: Operation, visit: (name: string, user: Operation, ref: readonly string[]) => void): void {
  // Attributes share their parts: a walk along each way to a part would not end.
  const seen = new Set<unknown>();
  const inAttr = (value: unknown, user: Operation): void => {
    if (seen.has(value)) return;
    if (SymbolRefAttr.is(value as never)) {
      const { root: name, nested } = (value as ReturnType<typeof symbolRef>).params;
      seen.add(value);
      visit(name, user, [name, ...nested]);
    } else if (Array.isArray(value)) for (const item of value) inAttr(item, user);
    else if (
      typeof value === "object" &&
      value !== null &&
      "params" in value &&
      "isAttribute" in Object.getPrototypeOf(value) === false &&
      !("shape" in value)
    ) {
      seen.add(value);
      for (const param of Object.values((value as { readonly params: object }).params)) if (typeof param === "object") inAttr(param, user);
    }
  };
  root.walk((op) => {
    if (seen.size > 0) seen.clear();
    for (const attr of op.attrs.params.values) inAttr(attr, op);
  });
}
