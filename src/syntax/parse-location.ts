/**
 * Locations in MLIR text: `loc("a.py":1:2)`, names, callsites, fused ones, and aliases that an op may use before their definition.
 * Source: mlir/lib/AsmParser/LocationParser.cpp, Parser.cpp (parseTrailingLocationSpecifier).
 */

import type { Attribute } from "../ir/attribute.js";
import { CallSiteLoc, callSiteLoc, FileLineColLoc, fusedLoc, isLocation, NameLoc, nameLoc, unknownLoc } from "../ir/location.js";
import type { EntityParser } from "./entity-parser.js";

/** A trailing location whose alias is not defined yet. */
export interface PendingLocation {
  readonly alias: string;
  readonly pos: number;
  readonly apply: (loc: Attribute) => void;
}

/** Reads what follows `loc`. */
export function parseLocationInParens(p: EntityParser): Attribute {
  p.punct("(");
  const loc = nested(p);
  p.punct(")");
  return loc;
}

function nested(p: EntityParser): Attribute {
  p.enter();
  const loc = locationInstance(p);
  p.leave();
  return loc;
}

function locationInstance(p: EntityParser): Attribute {
  const c = p.cursor.skip();
  if (c === 34) return fileOrName(p);
  if (c === 35) {
    const attr = p.attribute();
    return isLocation(attr) ? attr : p.fail("expected location attribute, but got attribute", undefined, "parse.location");
  }
  if (p.optKeyword("unknown")) return unknownLoc(p.ctx);
  if (p.optKeyword("callsite")) {
    p.punct("(");
    const callee = nested(p);
    p.keyword("at");
    const caller = nested(p);
    p.punct(")");
    return callSiteLoc(callee, caller);
  }
  if (p.optKeyword("fused")) {
    let metadata: Attribute | undefined;
    if (p.optPunct("<")) {
      metadata = p.attribute();
      p.punct(">");
    }
    const locations = p.list("[", "]", () => nested(p));
    return fusedLoc(p.ctx, locations, metadata);
  }
  return p.fail("expected location instance", undefined, "parse.location");
}

function fileOrName(p: EntityParser): Attribute {
  const name = p.cursor.string();
  if (!p.optPunct(":")) {
    if (!p.optPunct("(")) return nameLoc(name, unknownLoc(p.ctx));
    const child = nested(p);
    p.punct(")");
    return nameLoc(name, child);
  }
  const line = lineOrColumn(p, "line");
  if (!p.optPunct(":")) return FileLineColLoc.get(p.ctx, { file: name, line, column: 0, endLine: line, endColumn: 0 });
  const column = lineOrColumn(p, "column");
  if (!p.optKeyword("to")) return FileLineColLoc.get(p.ctx, { file: name, line, column, endLine: line, endColumn: column });
  const endLine = p.atPunct(":") ? line : lineOrColumn(p, "line");
  p.punct(":");
  return FileLineColLoc.get(p.ctx, { file: name, line, column, endLine, endColumn: lineOrColumn(p, "column") });
}

function lineOrColumn(p: EntityParser, what: string): number {
  const at = p.pos;
  const text = p.cursor.optNumber();
  const number = Number(text);
  if (text !== undefined && Number.isInteger(number) && !text.includes(".") && number < 2 ** 32) return number;
  return p.fail(`expected integer ${what} number in FileLineColRange`, at, "parse.location");
}

/** Reads `loc(...)` if it comes next and hands it to `apply`; an alias defined further down is handed over by `resolvePending`. */
export function parseTrailingLocation(p: EntityParser, apply: (loc: Attribute) => void): void {
  const { cursor } = p;
  if (cursor.skip() !== 108 || !cursor.optKeyword("loc")) return;
  p.punct("(");
  if (cursor.skip() === 35) {
    const at = cursor.pos;
    const end = cursor.suffixEnd(at + 1);
    const alias = cursor.text.slice(at + 1, end);
    if (!alias.includes(".") && cursor.text.charCodeAt(end) === 41) {
      cursor.pos = end + 1;
      const known = p.attrAliases.get(alias);
      if (known) applyLocation(p, known, at, apply);
      else p.pendingLocations.push({ alias, pos: at, apply });
      return;
    }
  }
  apply(nested(p));
  p.punct(")");
}

/** At the end of the source, when all aliases are known. */
export function resolvePending(p: EntityParser): void {
  for (const { alias, pos, apply } of p.pendingLocations) {
    const loc = p.attrAliases.get(alias) ?? p.fail("operation location alias was never defined", pos, "parse.location");
    applyLocation(p, loc, pos, apply);
  }
}

function applyLocation(p: EntityParser, attr: Attribute, pos: number, apply: (loc: Attribute) => void): void {
  if (!isLocation(attr)) p.fail("expected location, but found other attribute", pos, "parse.location");
  apply(attr);
}

/** The place that a location names, without the name of what is there. */
export function withoutName(loc: Attribute): Attribute {
  if (NameLoc.is(loc)) return withoutName(loc.params.child);
  return CallSiteLoc.is(loc) ? callSiteLoc(withoutName(loc.params.callee), loc.params.caller) : loc;
}
