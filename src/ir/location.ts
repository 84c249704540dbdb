/** Locations are attributes. Source: mlir/include/mlir/IR/BuiltinLocationAttributes.td. */
import type { Position } from "../diagnostics/diagnostic.js";
import { type Attribute, defineAttr } from "./attribute.js";
import type { Context } from "./context.js";

const LOCATION = { alias: () => "loc", location: true } as const;
export const UnknownLoc = defineAttr<Record<string, never>>("builtin.unknown_loc", LOCATION);
/** A place or a range in a file; a plain place has equal start and end. */
export const FileLineColLoc = defineAttr<{
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}>("builtin.file_line_col_loc", {
  ...LOCATION,
  key: ({ file, line, column, endLine, endColumn }) => `${line},${column},${endLine},${endColumn},${file}`,
});
export const NameLoc = defineAttr<{ readonly name: string; readonly child: Attribute }>("builtin.name_loc", {
  ...LOCATION,
  key: ({ name, child }) => `${child.id},${name}`,
});
export const CallSiteLoc = defineAttr<{ readonly callee: Attribute; readonly caller: Attribute }>("builtin.callsite_loc", LOCATION);
export const FusedLoc = defineAttr<{ readonly locations: readonly Attribute[]; readonly metadata: Attribute | undefined }>(
  "builtin.fused_loc",
  LOCATION,
);
export const LOCATION_ATTRS = [UnknownLoc, FileLineColLoc, NameLoc, CallSiteLoc, FusedLoc] as const;

/**
 * Where an op came from: a location attribute, or the number of the place at which it was parsed
 * (see `SourceBuffer`), which becomes a FileLineColLoc when somebody asks.
 */
export type LocationRef = Attribute | number;

export function isLocation(attr: Attribute | undefined): attr is Attribute {
  return attr?.def.location === true;
}

export function unknownLoc(ctx: Context): Attribute {
  return ctx.memo("loc(unknown)", () => UnknownLoc.get(ctx, {}));
}
export function fileLoc(ctx: Context, file: string, line: number, column: number): Attribute {
  return FileLineColLoc.get(ctx, { file, line, column, endLine: line, endColumn: column });
}
export function nameLoc(name: string, child: Attribute): Attribute {
  return NameLoc.get(child.ctx, { name, child });
}
export function callSiteLoc(callee: Attribute, caller: Attribute): Attribute {
  return CallSiteLoc.get(callee.ctx, { callee, caller });
}

/** Fuses as MLIR does: duplicates and unknowns go, nested plain fusions are flattened, one left over is returned unfused. */
export function fusedLoc(ctx: Context, locations: readonly Attribute[], metadata?: Attribute): Attribute {
  const parts = new Set<Attribute>();
  for (const loc of locations) {
    if (FusedLoc.is(loc) && loc.params.metadata === metadata) for (const inner of loc.params.locations) parts.add(inner);
    else if (!UnknownLoc.is(loc)) parts.add(loc);
  }
  const unique = [...parts];
  if (!metadata && unique.length === 0) return unknownLoc(ctx);
  if (!metadata && unique.length === 1) return unique[0]!;
  return FusedLoc.get(ctx, { locations: unique.length ? unique : [unknownLoc(ctx)], metadata });
}

/** The location attribute of a reference. */
export function resolveLocation(ctx: Context, ref: LocationRef): Attribute {
  if (typeof ref !== "number") return ref;
  const position = ctx.positionOf(ref);
  return position ? fileLoc(ctx, position.file, position.line, position.column) : unknownLoc(ctx);
}

/** The file position that a location names, looking through names, calls (the callee) and fusions (the first). */
export function positionOfLocation(ctx: Context, ref: LocationRef): Position | undefined {
  if (typeof ref === "number") return ctx.positionOf(ref);
  if (FileLineColLoc.is(ref)) return { file: ref.params.file, line: ref.params.line, column: ref.params.column };
  if (NameLoc.is(ref)) return positionOfLocation(ctx, ref.params.child);
  if (CallSiteLoc.is(ref)) return positionOfLocation(ctx, ref.params.callee);
  if (FusedLoc.is(ref)) {
    for (const inner of ref.params.locations) {
      const position = positionOfLocation(ctx, inner);
      if (position) return position;
    }
  }
  return undefined;
}

/** The positions that a location names from the inside out: its own, and those of at most `most` calls that inlined it. */
export function callStack(ctx: Context, ref: LocationRef, most: number): readonly Position[] {
  const found: Position[] = [];
  // Without recursion: locations may be nested thousands deep.
  const work: LocationRef[] = [ref];
  for (let at = work.pop(); at !== undefined && found.length <= most; at = work.pop()) {
    if (typeof at === "number" || FileLineColLoc.is(at)) {
      const position = positionOfLocation(ctx, at);
      if (position) found.push(position);
    } else if (NameLoc.is(at)) work.push(at.params.child);
    else if (CallSiteLoc.is(at)) work.push(at.params.caller, at.params.callee);
    else if (FusedLoc.is(at)) {
      const named = at.params.locations.find((inner) => positionOfLocation(ctx, inner) !== undefined);
      if (named) work.push(named);
    }
  }
  return found;
}
