/**
 * Loops and the like print no locations of their arguments, only names that came from such; MLIR forgets them. A text with
 * locations gives them back as Triton's front end makes them, under the name that the argument has.
 * Source: mlir/lib/Dialect/SCF/IR/SCF.cpp, ForOp::build; python/src/ir.cc, create_block_with_parent.
 */

import type { Attribute } from "../ir/attribute.js";
import { LoopLike } from "../ir/interfaces.js";
import { nameLoc, unknownLoc } from "../ir/location.js";
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";
import { withoutName } from "./parse-location.js";
import type { Parser } from "./parser.js";

/** Locates the arguments of `ops`, which are in the order in which their texts end and have their own locations. */
export function locateArguments(p: Parser, ops: readonly Operation[]): void {
  const { text } = p.cursor;
  let names: Set<string> | undefined;
  /** `acc_12` is `acc` made unique by the printer, if the text has an `acc`. */
  const beforeConflict = (written: string): string => {
    const base = /^(.+)_\d+$/.exec(written)?.[1];
    if (base === undefined) return written;
    names ??= new Set(text.match(/%[A-Za-z_$.-][\w$.-]*/g));
    return names.has(`%${base}`) ? base : written;
  };
  // Outer ops end after inner ones, whose arguments may start with theirs.
  for (let i = ops.length - 1; i >= 0; i--) {
    const op = ops[i]!;
    for (const region of op.regions)
      for (const arg of region.firstBlock?.args ?? []) {
        if (typeof arg.argLoc !== "number") continue;
        const at = arg.argLoc - p.source.base;
        const written = text.slice(at + 1, p.cursor.suffixEnd(at + 1));
        const place = placeOf(op, arg);
        arg.argLoc = /^(?:\d+|arg\d+)$/.test(written) ? withoutName(place) : nameLoc(beforeConflict(written), place);
      }
  }
}

/** A counted loop's carried value is where its initial value is, a while loop's has no location; other arguments are where the op is. */
function placeOf(op: Operation, arg: Value): Attribute {
  const loop = op.def.interface(LoopLike);
  if (loop && !loop.inductionVars) return unknownLoc(op.ctx);
  const init = loop?.inits?.(op)[loop.regionIterArgs?.(op).indexOf(arg) ?? -1];
  const start = init && (init.definingOp?.locRef ?? init.argLoc);
  return start === undefined || typeof start === "number" ? withoutName(op.loc) : start;
}
