import { type Attribute, Type } from "../ir/attribute.js";
import type { Operation } from "../ir/operation.js";
import { attrText, typeText } from "../ir/text-hook.js";
import { printOperation } from "../syntax/print.js";
import type { LineTable, StepText } from "./trace.js";

/** The printed form of `root` as a step's text. `idOf` gives the identity of ops where it is not their own id. */
export function recordText(root: Operation, lines: LineTable, options: { readonly debugInfo?: boolean } = {}): StepText {
  const offsets: number[] = [];
  const ops: Operation[] = [];
  const text = printOperation(root, {
    debugInfo: options.debugInfo ?? false,
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
      ids[line] = op.id;
      hashes[line] = identityHash(op);
    }
    at = end + 1;
  }
  starts[numLines] = text.length;
  return { lines: lines.numbers(text, starts), ops: ids, hashes };
}

/** A hash of what an op is, with operands by identity: name, operands, types, attributes, successors. Never 0. */
export function identityHash(op: Operation): number {
  let h = stringHash(op.name);
  for (const use of op.operandUses) h = mix(h, use.value.id);
  for (const result of op.results) h = mix(h, stringHash(typeText(result.type)));
  const { names, values } = op.attrs.params;
  for (let i = 0; i < names.length; i++) h = mix(mix(h, stringHash(names[i]!)), entityHash(values[i]!));
  for (const successor of op.successors) h = mix(h, successor.block.id);
  for (const region of op.regions)
    for (const block of region.blocks()) for (const arg of block.args) h = mix(mix(h, arg.id), stringHash(typeText(arg.type)));
  return h || 1;
}

/** A hash of what `root` prints as, without printing it: equal texts hash alike. Two 32-bit halves. */
export function textHash(root: Operation): number {
  const numbers = new Map<object, number>();
  const number = (entity: object): number => {
    let n = numbers.get(entity);
    if (n === undefined) numbers.set(entity, (n = numbers.size));
    return n;
  };
  let a = 1;
  let b = 2;
  const add = (x: number) => {
    a = mix(a, x);
    b = (Math.imul(b, 0x01000193) ^ x) | 0;
  };
  root.walk((op) => {
    add(stringHash(op.name));
    for (const use of op.operandUses) add(number(use.value));
    for (const result of op.results) {
      add(number(result));
      add(stringHash(typeText(result.type)));
    }
    const { names, values } = op.attrs.params;
    for (let i = 0; i < names.length; i++) {
      add(stringHash(names[i]!));
      add(entityHash(values[i]!));
    }
    for (const successor of op.successors) add(number(successor.block));
    for (const region of op.regions) {
      add(-1);
      for (const block of region.blocks()) {
        add(number(block));
        for (const arg of block.args) {
          add(number(arg));
          add(stringHash(typeText(arg.type)));
        }
      }
    }
    if (op.block) add(number(op.block));
  });
  return (a >>> 0) * 2 ** 21 + (b >>> 11);
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
