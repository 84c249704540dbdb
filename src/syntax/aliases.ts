/**
 * Which attributes and types get an alias in a print, and which name. They are found by a dry run of the printing
 * itself, because only what would be printed counts. Source: mlir/lib/IR/AsmPrinter.cpp, AliasInitializer.
 */

import type { AttrPrinter } from "../ir/asm.js";
import { Attribute, Type } from "../ir/attribute.js";
import {
  AffineMapAttr,
  DenseArrayAttr,
  DenseElementsAttr,
  DictionaryAttr,
  DistinctAttr,
  FloatAttr,
  IntegerAttr,
  IntegerSetAttr,
  UnitAttr,
} from "../ir/builtin-attrs.js";
import { NoneType } from "../ir/builtin-types.js";
import type { Context } from "../ir/context.js";
import { CallSiteLoc, FusedLoc, NameLoc, UnknownLoc } from "../ir/location.js";
import type { Operation } from "../ir/operation.js";
import { keywordOrString, mayAlias } from "./attribute-text.js";

type Entity = Attribute | Type;
interface Info {
  readonly entity: Entity;
  readonly alias: string | undefined;
  depth: number;
  canBeDeferred: boolean;
  children: Entity[];
}

export interface AliasTable {
  /** `#name` or `!name` of an entity. */
  readonly names: ReadonlyMap<Entity, string>;
  /** Those to define before the operation, and those (locations) that can come after it. */
  readonly before: readonly Entity[];
  readonly deferred: readonly Entity[];
}

/** Collects what a dry run visits. */
export class AliasCollector {
  readonly #infos = new Map<Entity, Info>();

  /**
   * `before2023`: MLIR then sorted aliases by name alone, numbered all of a name (`#blocked0` before `#blocked1`), and did not
   * look at the types of dense elements.
   */
  constructor(readonly before2023: boolean) {}

  /** Whether the text of an op has only attributes and types without aliases or that were visited before. */
  knows({ attrs, operandUses, results, regions }: Operation): boolean {
    if (regions.length > 0) return false;
    for (const { value } of operandUses) if (!this.has(value.type)) return false;
    for (const { type } of results) if (!this.has(type)) return false;
    return attrs.params.values.every((value) => this.has(value));
  }
  private has(entity: Entity): boolean {
    return !mayAlias(entity) || this.#infos.has(entity);
  }

  /** Visits what an op would print. `deferred`: a location after an op, whose alias may be defined at the end. */
  visit(entity: Entity, deferred = false, withType = true): number {
    if (!mayAlias(entity)) return 0;
    const known = this.#infos.get(entity);
    if (known) {
      if (!deferred) this.markNotDeferrable(known);
      return known.depth;
    }
    const alias = (entity.def.alias as ((params: object) => string | undefined) | undefined)?.(entity.params);
    const info: Info = { entity, alias, depth: alias === undefined ? 0 : 1, canBeDeferred: deferred, children: [] };
    this.#infos.set(entity, info);
    let deepest = 0;
    const child = (inner: Entity) => {
      const depth = this.visit(inner, deferred);
      if (mayAlias(inner)) info.children.push(inner);
      if (depth > deepest) deepest = depth;
    };
    visitNested(entity, child, withType && !(this.before2023 && entity.def.name === DenseElementsAttr.name));
    if (deepest > 0) info.depth = deepest + 1;
    return info.depth;
  }
  private markNotDeferrable(info: Info): void {
    if (!info.canBeDeferred) return;
    info.canBeDeferred = false;
    for (const child of info.children) {
      const inner = this.#infos.get(child);
      if (inner) this.markNotDeferrable(inner);
    }
  }

  table(): AliasTable {
    const infos = [...this.#infos.values()];
    const repeated = this.before2023 ? repeatedNames(infos) : undefined;
    const key = (info: Info) => info.alias ?? "";
    infos.sort((a, b) => {
      if (a.depth !== b.depth && !this.before2023) return a.depth - b.depth;
      const aType = a.entity instanceof Type;
      if (aType !== b.entity instanceof Type) return aType ? -1 : 1;
      return key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0;
    });
    const counts = new Map<string, number>();
    const names = new Map<Entity, string>();
    const before: Entity[] = [];
    const deferred: Entity[] = [];
    for (const { entity, alias, canBeDeferred } of infos) {
      if (alias === undefined) continue;
      const index = counts.get(alias) ?? 0;
      counts.set(alias, index + 1);
      const separator = /\d$/.test(alias) ? "_" : "";
      names.set(entity, `${entity instanceof Type ? "!" : "#"}${alias}${index === 0 && !repeated?.has(alias) ? "" : separator + index}`);
      (canBeDeferred ? deferred : before).push(entity);
    }
    return { names, before, deferred };
  }
}

function repeatedNames(infos: readonly Info[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { alias } of infos) if (alias !== undefined) (seen.has(alias) ? repeated : seen).add(alias);
  return repeated;
}

/** Calls `child` for what the text of an entity contains, in printing order. */
function visitNested(entity: Entity, child: (inner: Entity) => void, withType: boolean): void {
  if (!entity.def.name.startsWith("builtin.")) {
    const probe: AttrPrinter = {
      attr: (a) => (child(a), ""),
      attrWithoutType: (a) => (child(a), ""),
      type: (t) => (child(t), ""),
      string: () => "",
      symbol: keywordOrString,
      stripped: (e) => (child(e), ""),
      loc: (l) => (child(l), ""),
    };
    (entity.def.print as ((params: object, p: AttrPrinter, ctx: Context) => string) | undefined)?.(entity.params, probe, entity.ctx);
    return;
  }
  if (entity instanceof Type) return nestedParams(entity.params, child);
  const bare =
    AffineMapAttr.is(entity) ||
    DenseArrayAttr.is(entity) ||
    FloatAttr.is(entity) ||
    IntegerAttr.is(entity) ||
    IntegerSetAttr.is(entity) ||
    UnitAttr.is(entity);
  if (bare) return;
  if (DistinctAttr.is(entity)) return child(entity.params.referenced);
  if (DictionaryAttr.is(entity)) for (const value of entity.params.values) child(value);
  else if (NameLoc.is(entity)) {
    if (!UnknownLoc.is(entity.params.child)) child(entity.params.child);
  } else if (CallSiteLoc.is(entity)) {
    child(entity.params.callee);
    child(entity.params.caller);
  } else if (FusedLoc.is(entity)) {
    if (entity.params.metadata) child(entity.params.metadata);
    for (const loc of entity.params.locations) child(loc);
  } else {
    const { type, ...rest } = entity.params as { readonly type?: Type };
    nestedParams(rest, child);
    if (withType && type && !NoneType.is(type)) child(type);
  }
}
function nestedParams(value: unknown, child: (inner: Entity) => void): void {
  if (value instanceof Attribute || value instanceof Type) child(value);
  else if (Array.isArray(value)) for (const item of value) nestedParams(item, child);
  else if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value))
    for (const item of Object.values(value)) nestedParams(item, child);
}
