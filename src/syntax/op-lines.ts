/**
 * Single ops of a module as lines, while the module is being rewritten. Values, blocks and aliases are called what the module's
 * text called them when this was made; a value that comes later is `%+1`, `%+2`, ... in the order in which it is first seen.
 */
import type { Block } from "../ir/block.js";
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";
import { AttributeText } from "./attribute-text.js";
import { ValueNames } from "./name-values.js";
import { collectAliases, Printer } from "./print.js";

export class OpLines {
  readonly #values = new Map<Value, string>();
  readonly #results = new Map<Operation, string>();
  readonly #groups = new Map<Operation, string>();
  readonly #blocks = new Map<Block, string>();
  readonly #text: AttributeText;
  #fresh = 0;

  constructor(root: Operation) {
    const names = new ValueNames(root, { nameLocAsPrefix: false, generic: false });
    root.walk((op) => {
      if (op.results.length > 0) this.#results.set(op, names.resultNames(op));
      for (const result of op.results) this.#values.set(result, names.name(result));
      for (const region of op.regions)
        for (const block of region.blocks()) {
          this.#blocks.set(block, names.blockName(block));
          for (const arg of block.args) this.#values.set(arg, names.name(arg));
        }
    });
    const aliases = root.ctx.hasAliases ? collectAliases(root, {})?.names : undefined;
    this.#text = new AttributeText((entity) => aliases?.get(entity));
  }

  /** The op's line; regions are `{...}`. An op whose region was emptied on its way out has only its name. */
  line(op: Operation): string {
    if (op.regions.some((region) => region.empty)) return `${op.results.length > 0 ? `${this.resultNames(op)} = ` : ""}${op.name}`;
    const printer = new Printer({ skipRegions: true }, this, this.#text, undefined, op.ctx.spelling);
    printer.opWithLocation(op);
    return printer.take().split("\n", 1)[0]!;
  }

  name(value: Value): string {
    let name = this.#values.get(value);
    if (name === undefined) {
      const op = value.definingOp;
      name = op && op.results.length > 1 ? `${this.group(op)}#${value.index}` : `%+${++this.#fresh}`;
      this.#values.set(value, name);
    }
    return name;
  }
  resultNames(op: Operation): string {
    const { results } = op;
    if (results.length === 1) return this.name(results[0]!);
    return this.#results.get(op) ?? `${this.group(op)}:${results.length}`;
  }
  blockName(block: Block): string {
    let name = this.#blocks.get(block);
    if (name === undefined) this.#blocks.set(block, (name = `^+${++this.#fresh}`));
    return name;
  }
  /** The name that the results of a later op share. */
  private group(op: Operation): string {
    let name = this.#groups.get(op);
    if (name === undefined) this.#groups.set(op, (name = `%+${++this.#fresh}`));
    return name;
  }
}
