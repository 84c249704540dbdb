import { type Attribute, Type } from "../ir/attribute.js";
import type { Operation } from "../ir/operation.js";
import { attrText, typeText } from "../ir/text-hook.js";
import { type PrintOptions, printOperation } from "../syntax/print.js";
import type { LineTable, StepText } from "../trace/line-table.js";

/** The printed form of `root` as a step's text. `idOf`: the id in the Trace of an op, by its own. */
export function recordText(
  root: Operation,
  lines: LineTable,
  idOf: (op: number) => number,
  options: Pick<PrintOptions, "debugInfo" | "generic"> = {},
): StepText {
  const offsets: number[] = [];
  const ops: Operation[] = [];
  const text = printOperation(root, {
    ...options,
    onOp: (op, offset) => {
      offsets.push(offset);
      ops.push(op);
    },
  });
  let numLines = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) numLines++;
  const starts = new Int32Array(numLines + 1);
  const ids = new Int32Array(numLines);
  const hashes = new Int32Array(numLines);
  let next = 0;
  for (let line = 0, at = 0; line < numLines; line++) {
    const end = text.indexOf("\n", at);
    starts[line] = at;
    const op = next < ops.length && offsets[next]! < end ? ops[next++] : undefined;
    if (op) {
      ids[line] = idOf(op.id);
      hashes[line] = identityHash(op, idOf);
    }
    at = end + 1;
  }
  starts[numLines] = text.length;
  return { lines: lines.numbers(text, starts), ops: ids, hashes };
}

/** A hash of what an op is, with operands by identity: name, operands, types, attributes, successors. Never 0. */
function identityHash(op: Operation, idOf: (op: number) => number): number {
  let h = stringHash(op.name);
  for (const { value } of op.operandUses) {
    const maker = value.definingOp;
    // Which of several results is which may have changed with the op; the texts say.
    h = mix(mix(h, maker && maker.results.length === 1 ? idOf(maker.id) : value.id), value.type.id);
  }
  for (const result of op.results) h = mix(h, stringHash(typeText(result.type)));
  const { names, values } = op.attrs.params;
  for (let i = 0; i < names.length; i++) h = mix(mix(h, stringHash(names[i]!)), entityHash(values[i]!));
  for (const successor of op.successors) h = mix(h, successor.block.id);
  for (const region of op.regions)
    for (const block of region.blocks()) for (const arg of block.args) h = mix(h, stringHash(typeText(arg.type)));
  return h || 1;
}

/**
 * A hash of what `root` prints as, without printing it: equal texts hash alike, for ops of one Context. Two 32-bit halves. Values
 * and blocks are numbered by where they are defined, in the printer's fields; types and attributes are interned.
 */
export function textHash(root: Operation): number {
  const hash = new TextHash();
  hash.number(root);
  hash.operation(root);
  return (hash.a >>> 0) * 2 ** 21 + (hash.b >>> 11);
}

class TextHash {
  a = 1;
  b = 2;
  #next = 1;

  number(op: Operation): void {
    const { results, regions } = op;
    for (let i = 0; i < results.length; i++) results[i]!.scratch = this.#next++;
    for (let i = 0; i < regions.length; i++)
      for (let block = regions[i]!.firstBlock; block; block = block.next) {
        block.scratch = this.#next++;
        for (let k = 0; k < block.args.length; k++) block.args[k]!.scratch = this.#next++;
        for (let inner = block.firstOp; inner; inner = inner.next) this.number(inner);
      }
  }

  operation(op: Operation): void {
    const { operandUses, results, attrs, successors, regions } = op;
    this.add(stringHash(op.name));
    this.add(attrs.id);
    for (let i = 0; i < operandUses.length; i++) this.add(operandUses[i]!.value.scratch);
    for (let i = 0; i < results.length; i++) this.add(results[i]!.type.id);
    for (let i = 0; i < successors.length; i++) this.add(successors[i]!.block.scratch);
    for (let i = 0; i < regions.length; i++) {
      this.add(-1);
      for (let block = regions[i]!.firstBlock; block; block = block.next) {
        this.add(-2);
        for (let k = 0; k < block.args.length; k++) this.add(block.args[k]!.type.id);
        for (let inner = block.firstOp; inner; inner = inner.next) this.operation(inner);
      }
    }
  }

  private add(x: number): void {
    this.a = mix(this.a, x);
    this.b = (Math.imul(this.b, 0x01000193) ^ x) | 0;
  }
}

function entityHash(entity: Attribute | Type): number {
  return stringHash(entity instanceof Type ? typeText(entity) : attrText(entity));
}
const hashes = new Map<string, number>();
/** FNV-1a; texts of types and attributes repeat, so the results are kept. */
function stringHash(text: string): number {
  let h = hashes.get(text);
  if (h === undefined) {
    h = 0x811c9dc5;
    for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
    if (hashes.size > 1 << 16) hashes.clear();
    hashes.set(text, h);
  }
  return h;
}
function mix(h: number, x: number): number {
  return (Math.imul(h ^ x, 0x9e3779b1) ^ (h >>> 15)) | 0;
}
