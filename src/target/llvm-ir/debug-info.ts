/**
 * Debug metadata: locations with the scopes that `enable-line-info` put into them, as metadata nodes.
 *
 *     loc(callsite("f"(fused<#di_lexical_block_file>["b.py":3:5]) at "a.py":7:9))
 *       !DILocation(line: 3, column: 5, scope: !4, inlinedAt: !5)
 *
 * Source: mlir/lib/Target/LLVMIR/DebugTranslation.cpp.
 */
import type { Attribute } from "../../ir/attribute.js";
import { StringAttr } from "../../ir/builtin-attrs.js";
import { CallSiteLoc, FileLineColLoc, FusedLoc, NameLoc } from "../../ir/location.js";
import { Bug } from "../../support/assert.js";
import { escapedText } from "./types.js";

/** A metadata node. Nodes get their numbers in the order in which the module refers to them, operands after their node. */
export interface MetadataNode {
  slot: number;
  readonly operands: readonly MetadataNode[];
  readonly text: () => string;
}
interface Location extends MetadataNode {
  readonly line: number;
  readonly column: number;
  readonly scope: MetadataNode;
  readonly inlinedAt: Location | undefined;
}

export class DebugInfo {
  readonly #nodes = new Map<Attribute, MetadataNode>();
  /** By scope and place; then by inlinedAt. */
  readonly #locations = new Map<MetadataNode | undefined, Map<MetadataNode, Map<number, Location>>>();
  readonly #ofAttr = new Map<Attribute, Map<MetadataNode | undefined, Location | undefined>>();
  readonly #empty: MetadataNode = { slot: -1, operands: [], text: () => "!{}" };
  readonly compileUnits: MetadataNode[] = [];

  /** The subprogram that a function's location names. */
  subprogramOf(loc: Attribute): MetadataNode | undefined {
    const metadata = FusedLoc.is(loc) ? loc.params.metadata : undefined;
    return metadata?.def.name === "llvm.di_subprogram" ? this.node(metadata) : undefined;
  }

  /** The location of an op in a function; undefined where it has none that LLVM could say. */
  location(loc: Attribute, subprogram: MetadataNode): MetadataNode | undefined {
    let known = this.#ofAttr.get(loc);
    if (!known) this.#ofAttr.set(loc, (known = new Map()));
    if (known.has(subprogram)) return known.get(subprogram);
    const made = this.translate(loc, subprogram, undefined);
    known.set(subprogram, made);
    return made;
  }

  private translate(loc: Attribute, scope: MetadataNode | undefined, inlinedAt: Location | undefined): Location | undefined {
    if (NameLoc.is(loc)) return this.translate(loc.params.child, scope, inlinedAt);
    if (FileLineColLoc.is(loc)) return scope && this.make(loc.params.line, loc.params.column, scope, inlinedAt);
    if (CallSiteLoc.is(loc)) {
      const caller = this.translate(loc.params.caller, scope, inlinedAt) ?? inlinedAt;
      return caller && (this.translate(loc.params.callee, undefined, caller) ?? caller);
    }
    if (!FusedLoc.is(loc)) return undefined;
    const { locations, metadata } = loc.params;
    const inner = metadata && isScope(metadata) ? this.node(metadata) : scope;
    let merged = this.translate(locations[0]!, inner, inlinedAt);
    for (const part of locations.slice(1)) merged = this.merge(merged, this.translate(part, inner, inlinedAt));
    return merged;
  }
  private make(line: number, column: number, scope: MetadataNode, inlinedAt: Location | undefined): Location {
    let byScope = this.#locations.get(inlinedAt);
    if (!byScope) this.#locations.set(inlinedAt, (byScope = new Map()));
    let byPlace = byScope.get(scope);
    if (!byPlace) byScope.set(scope, (byPlace = new Map()));
    // Columns of more than 16 bits are not kept.
    const place = line * 0x10000 + (column < 0x10000 ? column : 0);
    let location = byPlace.get(place);
    if (!location) {
      const at = column < 0x10000 ? column : 0;
      const text = () =>
        `!DILocation(line: ${line}${at === 0 ? "" : `, column: ${at}`}, scope: !${scope.slot}${inlinedAt ? `, inlinedAt: !${inlinedAt.slot}` : ""})`;
      location = { slot: -1, operands: inlinedAt ? [scope, inlinedAt] : [scope], text, line, column: at, scope, inlinedAt };
      byPlace.set(place, location);
    }
    return location;
  }
  /** The common part of two locations of one instruction: the same scope and call, and the line and column that agree. */
  private merge(a: Location | undefined, b: Location | undefined): Location | undefined {
    if (!a || !b) return undefined;
    if (a === b) return a;
    for (let x: Location | undefined = a; x; x = x.inlinedAt)
      for (let y: Location | undefined = b; y; y = y.inlinedAt)
        if (x.scope === y.scope && x.inlinedAt === y.inlinedAt) {
          const sameLine = x.line === y.line;
          return this.make(sameLine ? x.line : 0, sameLine && x.column === y.column ? x.column : 0, x.scope, x.inlinedAt);
        }
    return undefined;
  }

  /** The node of a scope, type or file. */
  node(attr: Attribute): MetadataNode {
    let node = this.#nodes.get(attr);
    if (!node) {
      node = this.build(attr);
      this.#nodes.set(attr, node);
      if (attr.def.name === "llvm.di_compile_unit") this.compileUnits.push(node);
    }
    return node;
  }
  private build(attr: Attribute): MetadataNode {
    const p = attr.params as Readonly<Record<string, unknown>>;
    const ref = (name: string): MetadataNode | undefined => (p[name] === undefined ? undefined : this.node(p[name] as Attribute));
    const fields = (kind: string, list: readonly (readonly [string, Field])[], distinct = false): MetadataNode => {
      const set = list.filter(([, value]) => value !== undefined && value !== "");
      const text = () =>
        `${distinct ? "distinct " : ""}!${kind}(${set.map(([key, value]) => `${key}: ${typeof value === "object" ? `!${value.slot}` : value}`).join(", ")})`;
      return { slot: -1, operands: operandsOf(kind, set), text };
    };
    switch (attr.def.name) {
      case "llvm.di_file":
        return fields("DIFile", [
          ["filename", quoted(p["name"] as string)],
          ["directory", quoted(p["directory"] as string)],
        ]);
      case "llvm.di_compile_unit":
        return fields(
          "DICompileUnit",
          [
            ["language", p["sourceLanguage"] as string],
            ["file", ref("file")],
            ["producer", stringField(p["producer"])],
            ["isOptimized", String(p["isOptimized"])],
            ["runtimeVersion", "0"],
            ["emissionKind", EMISSION[p["emissionKind"] as string]],
            ["nameTableKind", p["nameTableKind"] === "Default" ? undefined : (p["nameTableKind"] as string)],
          ],
          true,
        );
      case "llvm.di_subprogram": {
        const flags = p["subprogramFlags"] as string | undefined;
        return fields(
          "DISubprogram",
          [
            ["name", stringField(p["name"])],
            ["linkageName", stringField(p["linkageName"])],
            ["scope", ref("scope")],
            ["file", ref("file")],
            ["line", nonZero(p["line"])],
            ["type", ref("type")],
            ["scopeLine", nonZero(p["scopeLine"])],
            [
              "spFlags",
              flags
                ?.split("|")
                .map((f) => `DISPFlag${f.trim()}`)
                .join(" | "),
            ],
            ["unit", ref("compileUnit")],
          ],
          p["id"] !== undefined,
        );
      }
      case "llvm.di_subroutine_type":
        return fields("DISubroutineType", [
          ["cc", p["callingConvention"] as string | undefined],
          ["types", this.#empty],
        ]);
      case "llvm.di_lexical_block_file":
        return fields(
          "DILexicalBlockFile",
          [
            ["scope", ref("scope")],
            ["file", ref("file")],
            ["discriminator", String(p["discriminator"] as bigint)],
          ],
          true,
        );
      case "llvm.di_lexical_block":
        return fields(
          "DILexicalBlock",
          [
            ["scope", ref("scope")],
            ["file", ref("file")],
            ["line", nonZero(p["line"])],
            ["column", nonZero(p["column"])],
          ],
          true,
        );
      default:
        throw new Bug(`no debug metadata for ${attr.def.name}`);
    }
  }
}

type Field = string | MetadataNode | undefined;
const EMISSION: Readonly<Record<string, string>> = {
  None: "NoDebug",
  Full: "FullDebug",
  LineTablesOnly: "LineTablesOnly",
  DebugDirectivesOnly: "DebugDirectivesOnly",
};
const quoted = (text: string): string => `"${escapedText(text)}"`;
const stringField = (attr: unknown): string | undefined =>
  StringAttr.is(attr as Attribute) ? quoted((attr as { readonly params: { readonly value: string } }).params.value) : undefined;
const nonZero = (value: unknown): string | undefined => (value === undefined || value === 0n ? undefined : String(value));
const isScope = (attr: Attribute): boolean => /^llvm\.di_(subprogram|lexical_block|lexical_block_file)$/.test(attr.def.name);

/** The operands of a node in LLVM's order: the file comes before the scope. */
function operandsOf(kind: string, fields: readonly (readonly [string, Field])[]): MetadataNode[] {
  const byName = new Map(fields);
  const order = kind === "DICompileUnit" ? ["file"] : ["file", "scope", "type", "unit", "types"];
  return order.map((name) => byName.get(name)).filter((value): value is MetadataNode => typeof value === "object");
}
