/**
 * Prints operations as MLIR does, byte for byte. Source: mlir/lib/IR/AsmPrinter.cpp.
 */
import type { OpPrinter } from "../ir/asm.js";
import type { Attribute, Type } from "../ir/attribute.js";
import type { Block } from "../ir/block.js";
import { type DictAttr, UnitAttr } from "../ir/builtin-attrs.js";
import { sizesWithout } from "../ir/define-op.js";
import type { Operation } from "../ir/operation.js";
import type { Region } from "../ir/region.js";
import type { Spelling } from "../ir/spelling.js";
import { textHook } from "../ir/text-hook.js";
import type { Value } from "../ir/value.js";
import { within } from "../support/limits.js";
import { AliasCollector, type AliasTable } from "./aliases.js";
import { AttributeText, functionTypeText, keywordOrString, quoted, symbolText } from "./attribute-text.js";
import { printWithFormat } from "./format-print.js";
import { ValueNames } from "./name-values.js";

/** Choices of how IR is printed. */
export interface PrintOptions {
  /** `loc(...)` after every op, with a table of aliases. */
  readonly debugInfo?: boolean;
  readonly generic?: boolean;
  /** No aliases. */
  readonly localScope?: boolean;
  /** Value names from name locations. */
  readonly nameLocAsPrefix?: boolean;
  /** The op within which values are numbered; the printed one itself unless given. */
  readonly scope?: Operation;
  /** `{...}` for every region. */
  readonly skipRegions?: boolean;
  /** Called for each op with the offset of its line in the output, in order. */
  readonly onOp?: (op: Operation, offset: number) => void;
}

/** The text of an operation (usually a module), with a newline at its end. */
export function printOperation(op: Operation, options: PrintOptions = {}): string {
  const table = options.localScope || !(op.ctx.hasAliases || options.debugInfo) ? undefined : collectAliases(op, options);
  const names = new ValueNames(options.scope ?? op, {
    nameLocAsPrefix: options.nameLocAsPrefix ?? false,
    generic: options.generic ?? false,
  });
  const text = table ? new AttributeText((e) => table.names.get(e)) : new AttributeText(() => undefined);
  const printer = new Printer(options, names, text, undefined, op.ctx.spelling);
  if (table) for (const entity of table.before) printer.write(`${definition(table, entity, text)}\n`);
  printer.opWithLocation(op);
  printer.write("\n");
  if (table) for (const entity of table.deferred) printer.write(`${definition(table, entity, text)}\n`);
  return printer.take();
}

function definition(table: AliasTable, entity: Attribute | Type, text: AttributeText): string {
  return `${table.names.get(entity)!} = ${text.define(entity)}`;
}

/** The aliases that printing an op defines; undefined for none. */
export function collectAliases(op: Operation, options: PrintOptions): AliasTable | undefined {
  const collector = new AliasCollector(op.ctx.spelling?.before2023 ?? false);
  const printer = new Printer(options, undefined, new AttributeText(() => undefined), collector, op.ctx.spelling);
  printer.opWithLocation(op);
  const table = collector.table();
  return table.names.size > 0 ? table : undefined;
}

/** Ropes longer than this are made flat: a rope kept alive costs many times its text in garbage collection. */
const CHUNK = 1 << 14;

export class Printer implements OpPrinter {
  #out = "";
  readonly #chunks: string[] = [];
  /** Characters in the chunks. */
  #length = 0;
  #indent = "";
  readonly genericForm: boolean;
  readonly #debugInfo: boolean;
  #renamed: Map<Value, Value> | undefined;
  #defaultDialect = "builtin";
  readonly #spelling: Spelling | undefined;

  constructor(
    readonly options: PrintOptions,
    readonly names: Pick<ValueNames, "name" | "resultNames" | "blockName"> | undefined,
    readonly text: AttributeText,
    /** Present in a dry run that looks for aliases: nothing is written then. */
    readonly collector: AliasCollector | undefined,
    spelling: Spelling | undefined,
  ) {
    this.genericForm = options.generic ?? false;
    this.#debugInfo = options.debugInfo ?? false;
    this.#spelling = spelling;
  }

  write(text: string): void {
    if (this.collector) return;
    this.#out += text;
    if (this.#out.length > CHUNK) this.flush();
  }
  private flush(): void {
    // Reading a character makes V8 write the rope out as one flat string.
    this.#out.charCodeAt(0);
    this.#chunks.push(this.#out);
    within("module-text", (this.#length += this.#out.length));
    this.#out = "";
  }
  take(): string {
    if (this.#chunks.length === 0) return this.#out;
    this.flush();
    return this.#chunks.join("");
  }
  newline(): void {
    this.write(`\n${this.#indent}`);
  }

  // --- attributes and types -----------------------------------------------------------------

  attr(attr: Attribute): string {
    if (this.collector) return (this.collector.visit(attr), "");
    return this.text.attr(attr);
  }
  attrWithoutType(attr: Attribute): string {
    if (this.collector) return (this.collector.visit(attr, false, false), "");
    return this.text.attrWithoutType(attr);
  }
  type(type: Type): string {
    if (this.collector) return (this.collector.visit(type), "");
    return this.text.type(type);
  }
  stripped(entity: Attribute | Type): string {
    if (this.collector) return (this.collector.visit(entity), "");
    return this.text.stripped(entity);
  }
  string(text: string): string {
    return quoted(text);
  }
  symbol(name: string): string {
    return symbolText(name);
  }
  loc(loc: Attribute): string {
    if (this.collector) return (this.collector.visit(loc), "");
    return this.text.loc(loc);
  }
  types(types: readonly Type[]): string {
    let text = "";
    for (let i = 0; i < types.length; i++) text += i === 0 ? this.type(types[i]!) : `, ${this.type(types[i]!)}`;
    return text;
  }
  functionType(inputs: readonly Type[], results: readonly Type[]): string {
    return functionTypeText(this, inputs, results);
  }
  optArrowTypes(types: readonly Type[]): void {
    if (types.length === 0) return;
    const bare = types.length === 1 && types[0]!.def.name !== "builtin.function";
    this.write(bare ? ` -> ${this.type(types[0]!)}` : ` -> (${this.types(types)})`);
  }

  // --- values and blocks --------------------------------------------------------------------

  value(value: Value): string {
    return this.names ? this.names.name(this.#renamed?.get(value) ?? value) : "";
  }
  values(values: readonly Value[]): string {
    let text = "";
    for (let i = 0; i < values.length; i++) text += i === 0 ? this.value(values[i]!) : `, ${this.value(values[i]!)}`;
    return text;
  }
  block(block: Block): string {
    return this.names ? this.names.blockName(block) : "";
  }
  successor(block: Block, operands: readonly Value[]): string {
    if (operands.length === 0) return this.block(block);
    return `${this.block(block)}(${this.values(operands)} : ${this.types(operands.map((o) => o.type))})`;
  }
  shadowRegionArgs(region: Region, names: readonly Value[]): void {
    const args = region.firstBlock?.args ?? [];
    args.forEach((arg, i) => names[i] && (this.#renamed ??= new Map()).set(arg, names[i]));
  }

  optAttrDict(op: Operation, elided: readonly string[] = []): void {
    const text = this.attrDictText(op.attrs, elided, op);
    if (text) this.write(` {${text}}`);
  }
  optAttrDictWithKeyword(op: Operation, elided: readonly string[] = []): void {
    const text = this.attrDictText(op.attrs, elided, op);
    if (text) this.write(` attributes {${text}}`);
  }
  /** The entries of a dictionary without the elided ones; in a dry run just visits them. */
  private attrDictText(dict: DictAttr, elided: readonly string[], _op: Operation): string {
    const { names, values } = dict.params;
    let text = "";
    for (let i = 0; i < names.length; i++) {
      const name = names[i]!;
      if (elided.includes(name)) continue;
      if (text) text += ", ";
      text += keywordOrString(name);
      const value = values[i]!;
      if (!UnitAttr.is(value)) text += ` = ${this.attr(value)}`;
    }
    return text;
  }

  // --- operations ---------------------------------------------------------------------------

  /** An op as written on its line: results, custom or generic form, location. */
  opWithLocation(op: Operation): void {
    // Upstream's dry run visits the location before the op, the printer writes it after.
    if (this.collector && this.#debugInfo) this.collector.visit(op.loc, true);
    if (!this.collector) this.options.onOp?.(op, this.#length + this.#out.length);
    if (!this.collector && op.results.length > 0) this.write(`${this.names!.resultNames(op)} = `);
    this.op(op);
    if (!this.collector && this.#debugInfo) this.write(` ${this.text.loc(op.loc)}`);
  }
  op(op: Operation): void {
    const { def } = op;
    if (!this.genericForm) {
      const form = this.#spelling?.forms.get(def.name);
      if (form?.kind === "generic") return this.genericOp(op);
      if (form?.kind === "syntax" || form?.kind === "print") {
        this.write(def.name);
        return form.print(op, this);
      }
      if (def.print) {
        this.write(this.opName(def.name));
        return def.print(def.viewOf(op) as never, this);
      }
      if (def.format !== undefined) {
        this.write(this.opName(def.name));
        return printWithFormat(this, op);
      }
    }
    this.genericOp(op);
  }

  /** Ops of the enclosing op's default dialect go without its name, unless the rest of theirs has a dot. */
  private opName(name: string): string {
    if (this.#spelling?.before2023 && name.startsWith("func.")) return name.slice(5);
    const prefix = this.#defaultDialect.length;
    if (prefix === 0 || name.charCodeAt(prefix) !== 46 || !name.startsWith(this.#defaultDialect)) return name;
    return name.indexOf(".", prefix + 1) < 0 ? name.slice(prefix + 1) : name;
  }

  private genericOp(op: Operation): void {
    const { def } = op;
    this.write(`${quoted(op.name)}(${this.values(op.operands)})`);
    if (op.successors.length > 0) this.write(`[${op.successors.map((s) => this.block(s.block)).join(", ")}]`);
    const isInherent = (name: string) => def.inherent.has(name) && !this.#spelling?.before2023;
    const unsaid = sizesWithout(op.ctx, def, op.numOperands, op.results.length)
      .filter(([name, sizes]) => op.attr(name) === sizes)
      .map(([name]) => name);
    const inherent = op.attrs.params.names.filter((n) => isInherent(n) && !unsaid.includes(n));
    const since = this.#spelling?.before2023 ? def.attrs.filter((a) => a.default && op.attr(a.name) === a.default(op.ctx)) : [];
    const discardable = op.attrs.params.names.filter((n) => !isInherent(n) && !since.some((a) => a.name === n));
    if (inherent.length > 0) this.write(` <{${this.attrDictText(op.attrs, [...discardable, ...unsaid], op)}}>`);
    if (op.regions.length > 0) {
      this.write(" (");
      op.regions.forEach((region, i) => {
        if (i > 0) this.write(", ");
        this.region(region, { entryArgs: true, terminators: true, emptyBlock: true });
      });
      this.write(")");
    }
    if (discardable.length > 0) this.write(` {${this.attrDictText(op.attrs, [...inherent, ...unsaid, ...since.map((a) => a.name)], op)}}`);
    // The types are visited in order; a function type of the op's own is no entity.
    this.write(
      ` : ${functionTypeText(
        this,
        op.operands.map((o) => o.type),
        op.resultTypes,
      )}`,
    );
  }

  region(region: Region, options: { entryArgs?: boolean; terminators?: boolean; emptyBlock?: boolean } = {}): void {
    const { entryArgs = true, terminators = true, emptyBlock = false } = options;
    if (this.options.skipRegions) return this.write("{...}");
    this.write("{\n");
    const outerDialect = this.#defaultDialect;
    this.#defaultDialect = region.parentOp?.def.defaultDialect ?? "";
    const entry = region.firstBlock;
    if (entry) {
      this.printBlock(entry, (emptyBlock && entry.empty) || (entryArgs && entry.args.length > 0), terminators);
      for (let block = entry.next; block; block = block.next) this.printBlock(block, true, true);
    }
    this.#defaultDialect = outerDialect;
    this.write(`${this.#indent}}`);
  }

  private printBlock(block: Block, header: boolean, terminators: boolean): void {
    if (header) {
      if (this.collector) {
        for (const arg of block.args) {
          this.type(arg.type);
          if (this.#debugInfo) this.collector.visit(arg.loc, false);
        }
      } else {
        let line = this.#indent + this.block(block);
        if (block.args.length > 0) line += `(${block.args.map((arg) => this.blockArgument(arg)).join(", ")})`;
        line += ":";
        this.write(line + this.predecessorComment(block) + "\n");
      }
    }
    const outer = this.#indent;
    this.#indent = `${outer}  `;
    const last = terminators ? null : block.terminator;
    for (let op = block.firstOp; op && op !== last; op = op.next) {
      if (this.collector && !this.#debugInfo && this.collector.knows(op)) continue;
      this.write(this.#indent);
      this.opWithLocation(op);
      this.write("\n");
    }
    this.#indent = outer;
  }
  private blockArgument(arg: Value): string {
    const text = `${this.value(arg)}: ${this.type(arg.type)}`;
    return this.#debugInfo ? `${text} ${this.inlineLoc(arg)}` : text;
  }
  /** An argument's location is written in full, only what is nested in it by alias. */
  private inlineLoc(arg: Value): string {
    return `loc(${this.text.locationBody(arg.loc)})`;
  }
  private predecessorComment(block: Block): string {
    const predecessors = block.predecessors();
    if (predecessors.length === 0) return block.isEntry ? "" : "  // no predecessors";
    const names = predecessors.sort((a, b) => a.scratch - b.scratch).map((b) => this.block(b));
    return names.length === 1 ? `  // pred: ${names[0]}` : `  // ${names.length} preds: ${names.join(", ")}`;
  }

  regionArgument(arg: Value, attrs?: DictAttr, omitType = false): string {
    let text = this.value(arg);
    if (!omitType) text += `: ${this.type(arg.type)}`;
    if (attrs && attrs.params.names.length > 0) {
      const entries = attrs.params.names.map((name, i) => {
        const value = attrs.params.values[i]!;
        return keywordOrString(name) + (UnitAttr.is(value) ? "" : ` = ${this.attr(value)}`);
      });
      text += ` {${entries.join(", ")}}`;
    }
    if (this.#debugInfo) {
      if (this.collector) this.collector.visit(arg.loc, false);
      else text += ` ${this.inlineLoc(arg)}`;
    }
    return text;
  }
}

textHook.op = (op) => printOperation(op, { localScope: true, generic: true, scope: isolatedScope(op) }).trimEnd();

/** The nearest op around `op`, itself included, whose values no other sees; the top if there is none. */
function isolatedScope(op: Operation): Operation {
  let scope = op;
  while (!scope.def.isIsolated && scope.parentOp) scope = scope.parentOp;
  return scope;
}
