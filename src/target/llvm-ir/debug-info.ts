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
  /** Nodes without an identity of their own, by what they say: equal ones are one. */
  readonly #unique = new Map<string, MetadataNode>();
  /** Subprograms by the identity that placeholders for them have too. */
  readonly #recursive = new Map<Attribute, MetadataNode>();
  #made = 0;
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
  /** The node that says this: one that is there already, unless it is distinct. */
  private unique(key: string, make: () => MetadataNode): MetadataNode {
    let node = this.#unique.get(key);
    if (!node) this.#unique.set(key, (node = make()));
    return node;
  }
  /** `!{!1, null}`: a list of nodes. */
  private list(attrs: readonly Attribute[]): MetadataNode {
    const nodes = attrs.map((attr) => (attr.def.name === "llvm.di_null_type" ? undefined : this.node(attr)));
    return this.unique(`{${nodes.map((node) => this.id(node))}}`, () => ({
      slot: -1,
      operands: nodes.filter((node) => node !== undefined),
      text: () => `!{${nodes.map((node) => (node ? `!${node.slot}` : "null")).join(", ")}}`,
    }));
  }
  readonly #ids = new Map<MetadataNode, number>();
  private id(node: MetadataNode | undefined): number {
    if (!node) return -1;
    let id = this.#ids.get(node);
    if (id === undefined) this.#ids.set(node, (id = this.#made++));
    return id;
  }
  private build(attr: Attribute): MetadataNode {
    const p = attr.params as Readonly<Record<string, unknown>>;
    const ref = (name: string): MetadataNode | undefined => (p[name] === undefined ? undefined : this.node(p[name] as Attribute));
    const listed = (name: string): MetadataNode | undefined =>
      p[name] === undefined ? undefined : this.list(p[name] as readonly Attribute[]);
    const made = (kind: string, list: readonly (readonly [string, Field])[], distinct: boolean): MetadataNode => {
      const set = list.filter(([, value]) => value !== undefined && value !== "");
      const text = () =>
        `${distinct ? "distinct " : ""}!${kind}(${set.map(([key, value]) => `${key}: ${typeof value === "object" ? `!${value.slot}` : value}`).join(", ")})`;
      return { slot: -1, operands: operandsOf(kind, set), text };
    };
    const fields = (kind: string, list: readonly (readonly [string, Field])[], distinct = false): MetadataNode => {
      if (distinct) return made(kind, list, true);
      const key = `${kind} ${list.map(([, value]) => (typeof value === "object" ? this.id(value) : JSON.stringify(value)))}`;
      return this.unique(key, () => made(kind, list, false));
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
        const recId = p["recId"] as Attribute | undefined;
        const known = recId && p["isRecSelf"] === true ? this.#recursive.get(recId) : undefined;
        if (known) return known;
        const flags = p["subprogramFlags"] as string | undefined;
        const list: (readonly [string, Field])[] = [];
        // Its retained nodes name it as their scope, so it is there before them.
        const node = { slot: -1, operands: [] as MetadataNode[], text: () => made("DISubprogram", list, p["id"] !== undefined).text() };
        if (recId) this.#recursive.set(recId, node);
        this.#nodes.set(attr, node);
        list.push(
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
          ["retainedNodes", listed("retainedNodes")],
        );
        node.operands.push(...operandsOf("DISubprogram", list));
        return node;
      }
      case "llvm.di_subroutine_type":
        return fields("DISubroutineType", [
          ["cc", p["callingConvention"] as string | undefined],
          ["types", listed("types") ?? this.list([])],
        ]);
      case "llvm.di_basic_type":
        return fields("DIBasicType", [
          ["tag", tagOf(p["tag"], "DW_TAG_base_type")],
          ["name", stringField(p["name"])],
          ["size", nonZero(p["sizeInBits"])],
          ["encoding", p["encoding"] as string | undefined],
        ]);
      case "llvm.di_derived_type":
        return fields("DIDerivedType", [
          ["tag", p["tag"] as string | undefined],
          ["name", stringField(p["name"])],
          ["scope", ref("scope")],
          ["file", ref("file")],
          ["line", nonZero(p["line"])],
          ["baseType", ref("baseType") ?? "null"],
          ["size", nonZero(p["sizeInBits"])],
          ["align", nonZero(p["alignInBits"])],
          ["offset", nonZero(p["offsetInBits"])],
          ["flags", flagsOf(p["flags"])],
          ["extraData", ref("extraData")],
          ["dwarfAddressSpace", p["dwarfAddressSpace"] === undefined ? undefined : String(p["dwarfAddressSpace"])],
        ]);
      case "llvm.di_composite_type":
        return fields(
          "DICompositeType",
          [
            ["tag", p["tag"] as string | undefined],
            ["name", stringField(p["name"])],
            ["scope", ref("scope")],
            ["file", ref("file")],
            ["line", nonZero(p["line"])],
            ["baseType", ref("baseType")],
            ["size", nonZero(p["sizeInBits"])],
            ["align", nonZero(p["alignInBits"])],
            ["flags", flagsOf(p["flags"])],
            ["elements", listed("elements")],
          ],
          DISTINCT_TAGS.has(p["tag"] as string),
        );
      case "llvm.di_local_variable":
        return fields("DILocalVariable", [
          ["name", stringField(p["name"])],
          ["arg", nonZero(p["arg"])],
          ["scope", ref("scope")],
          ["file", ref("file")],
          ["line", nonZero(p["line"])],
          ["type", ref("type")],
          ["flags", flagsOf(p["flags"])],
          ["align", nonZero(p["alignInBits"])],
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
const tagOf = (tag: unknown, usual: string): string | undefined => (tag === usual ? undefined : (tag as string | undefined));
const flagsOf = (flags: unknown): string | undefined =>
  flags === undefined || flags === "Zero"
    ? undefined
    : (flags as string)
        .split("|")
        .map((flag) => `DIFlag${flag.trim()}`)
        .join(" | ");
/** Types that are what they are by their definition, not by what it says. */
const DISTINCT_TAGS: ReadonlySet<string> = new Set([
  "DW_TAG_class_type",
  "DW_TAG_enumeration_type",
  "DW_TAG_structure_type",
  "DW_TAG_union_type",
]);
const nonZero = (value: unknown): string | undefined => (value === undefined || value === 0n ? undefined : String(value));
const isScope = (attr: Attribute): boolean => /^llvm\.di_(subprogram|lexical_block|lexical_block_file)$/.test(attr.def.name);

/** The operands of a node in LLVM's order: the file comes before the scope. */
function operandsOf(kind: string, fields: readonly (readonly [string, Field])[]): MetadataNode[] {
  const byName = new Map(fields);
  const order =
    kind === "DICompileUnit"
      ? ["file"]
      : kind === "DILocalVariable"
        ? ["scope", "file", "type"]
        : ["file", "scope", "type", "baseType", "elements", "unit", "types", "retainedNodes", "extraData"];
  return order.map((name) => byName.get(name)).filter((value): value is MetadataNode => typeof value === "object");
}
