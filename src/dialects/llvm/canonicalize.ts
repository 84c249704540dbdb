/** Canonicalization patterns of the LLVM dialect. Source: mlir/lib/Dialect/LLVMIR/IR/LLVMDialect.cpp. */
import type { View } from "../../ir/define-op.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { type Pattern, pattern } from "../../rewrite/pattern.js";
import type { Rewriter } from "../../rewrite/rewriter.js";
import { ExtractValueOp, InsertValueOp } from "./ops/aggregates.js";

/**
 *     %1 = insertvalue %a, %0[0]; %2 = insertvalue %b, %1[1]; %x = extractvalue %2[0]
 *  -> %x = extractvalue %1[0]
 *
 * Makes every extractvalue that reads another member than the last one inserted read from the insertion that wrote its
 * member, or from the start of the chain; one walk serves all of them. The fold of extractvalue does the rest.
 */
export const resolveExtractValueSource: Pattern = pattern("ResolveExtractValueSource", InsertValueOp, (insert, rw) => {
  const readers = readersByMember(insert);
  if (readers.size === 0) return rw.noMatch("no extractvalue reads another member");
  let container = insert.container;
  let changed = false;
  while (readers.size > 0) {
    const inner = InsertValueOp.match(container.definingOp);
    if (!inner) break;
    container = inner.container;
    const member = inner.position[0]!;
    const found = readers.get(member);
    if (!found) continue;
    changed = true;
    readFrom(found, inner.op.result(), rw);
    readers.delete(member);
  }
  for (const member of hashOrder([...readers.keys()])) {
    changed = true;
    readFrom(readers.get(member)!, container, rw);
  }
  return changed;
});

/** The extractvalue ops on the result, by the member they read; those of the member just written are left out. */
function readersByMember(insert: View<typeof InsertValueOp>): Map<number, Operation[]> {
  const readers = new Map<number, Operation[]>();
  const written = insert.position[0]!;
  for (let use = insert.op.result().firstUse; use; use = use.nextUse) {
    const member = ExtractValueOp.match(use.owner)?.position[0];
    if (member === undefined || member === written) continue;
    const list = readers.get(member);
    if (list) list.push(use.owner);
    else readers.set(member, [use.owner]);
  }
  return readers;
}
function readFrom(extracts: readonly Operation[], container: Value, rw: Rewriter): void {
  for (const op of extracts) rw.setOperand(op, 0, container);
}

/** Smallest table that upstream's hash map makes. */
const MIN_BUCKETS = 64;
/**
 * The order in which upstream's hash map (llvm::DenseMap) visits integer keys: it is the order of the notices to the
 * driver, and so of its worklist. Keys go to bucket `37 key mod size`, or further by growing steps.
 */
function hashOrder(keys: readonly number[]): number[] {
  let size = MIN_BUCKETS;
  while ((keys.length + 1) * 4 >= size * 3) size *= 2;
  const buckets = new Array<number | undefined>(size).fill(undefined);
  for (const key of keys) {
    let at = Math.imul(key, 37) & (size - 1);
    for (let step = 1; buckets[at] !== undefined; step++) at = (at + step) & (size - 1);
    buckets[at] = key;
  }
  return buckets.filter((key) => key !== undefined);
}

export const LLVM_CANONICALIZATION: readonly Pattern[] = [resolveExtractValueSource];
