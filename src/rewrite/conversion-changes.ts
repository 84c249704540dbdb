/** The log of a dialect conversion. Source: mlir/lib/Transforms/Utils/DialectConversion.cpp, IRRewrite and its kinds. */
import type { Block } from "../ir/block.js";
import type { DictAttr } from "../ir/builtin-attrs.js";
import type { LocationRef } from "../ir/location.js";
import type { Operation } from "../ir/operation.js";
import type { Region } from "../ir/region.js";
import type { Value } from "../ir/value.js";
import type { ConversionMapping } from "./conversion-mapping.js";
import type { RewriteListener } from "./rewriter.js";
import type { TypeConverter } from "./type-converter.js";

/** Something a conversion did, with what it takes to undo it. */
export type Change =
  | { readonly kind: "create-op"; readonly op: Operation }
  | { readonly kind: "move-op"; readonly op: Operation; readonly block: Block; readonly before: Operation | null }
  | {
      readonly kind: "modify-op";
      readonly op: Operation;
      readonly loc: LocationRef;
      readonly attrs: DictAttr;
      readonly operands: readonly Value[];
      readonly successors: readonly Block[];
    }
  | { readonly kind: "replace-op"; readonly op: Operation; readonly converter: TypeConverter | undefined }
  | { readonly kind: "cast"; readonly op: Operation; readonly from: readonly Value[] }
  | { readonly kind: "create-block"; readonly block: Block }
  | { readonly kind: "erase-block"; readonly block: Block; readonly region: Region; readonly before: Block | null }
  | { readonly kind: "inline-block"; readonly source: Block; readonly ops: readonly Operation[] }
  | { readonly kind: "move-block"; readonly block: Block; readonly region: Region; readonly before: Block | null }
  | { readonly kind: "convert-block"; readonly from: Block; readonly to: Block }
  | { readonly kind: "replace-argument"; readonly arg: Value; readonly converter: TypeConverter | undefined };

/** Takes back a change; later ones were taken back before. */
export function undoChange(change: Change, mapping: ConversionMapping, casts: Map<Operation, unknown>): void {
  switch (change.kind) {
    case "create-op":
      return discard(change.op);
    case "move-op":
      change.op.block?.unlink(change.op);
      return change.block.insert(change.op, change.before);
    case "modify-op": {
      const { op } = change;
      op.setLoc(change.loc);
      op.setAttrs(change.attrs);
      op.setOperands(change.operands);
      change.successors.forEach((block, i) => void op.successors[i]!.set(block));
      return;
    }
    case "replace-op":
      for (const result of change.op.results) mapping.delete([result]);
      return;
    case "cast":
      if (change.from.length > 0) mapping.delete(change.from);
      casts.delete(change.op);
      return discard(change.op);
    case "create-block":
      while (change.block.firstOp) change.block.unlink(change.block.firstOp);
      while (change.block.firstUse) change.block.firstUse.unlink();
      return change.block.region?.unlinkBlock(change.block);
    case "erase-block":
      return change.region.insertBlock(change.block, change.before);
    case "inline-block":
      for (const op of change.ops) {
        op.block?.unlink(op);
        change.source.append(op);
      }
      return;
    case "move-block":
      return change.block.moveTo(change.region, change.before);
    case "convert-block":
      return replaceBlockUses(change.to, change.from);
    case "replace-argument":
      return mapping.delete([change.arg]);
  }
}

/** Every branch to `from` goes to `to`. */
export function replaceBlockUses(from: Block, to: Block): void {
  while (from.firstUse) from.firstUse.set(to);
}
/** Unlinks and forgets an op that was made and is not wanted; blocks in it are somebody else's by now. */
function discard(op: Operation): void {
  for (const region of op.regions) while (region.firstBlock) region.unlinkBlock(region.firstBlock);
  for (const result of op.results) while (result.firstUse) result.firstUse.unlink();
  op.erase();
}
/** Notifies the listener that an op and those nested in it are erased. */
export function announceErased(op: Operation, listener: RewriteListener): void {
  for (const region of op.regions)
    for (const block of region.blocks()) {
      for (const nested of block.ops()) announceErased(nested, listener);
      listener.blockErased?.(block);
    }
  listener.erased?.(op);
}
/** Erases an op that was replaced: what still uses it goes too. */
export function destroy(op: Operation): void {
  op.dropAllReferences();
  for (const result of op.results) while (result.firstUse) result.firstUse.unlink();
  op.block?.unlink(op);
}
/** Erases what is left in a block that was erased. */
export function destroyBlock(block: Block): void {
  for (let op = block.lastOp; op; op = block.lastOp) destroy(op);
  for (const arg of block.args) while (arg.firstUse) arg.firstUse.unlink();
}
