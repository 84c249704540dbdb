/** Reports of a verifier, as diagnostics of the Context. */
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { OpReport } from "./define-op.js";
import { type LocationRef, positionOfLocation } from "./location.js";
import type { Operation } from "./operation.js";

/** Reports to the Context of `op`: `'name' op message`, at the op's location. */
export class Report implements OpReport {
  errors = 0;
  #last: { notes: Diagnostic[] } | undefined;
  constructor(public op: Operation) {}
  error(message: string, code = "verify.op"): OpReport {
    return this.plain(`'${this.op.name}' op ${message}`, code);
  }
  plain(message: string, code = "verify.op", loc: LocationRef = this.op.locRef): OpReport {
    this.errors++;
    const notes: Diagnostic[] = [];
    this.#last = { notes };
    const { ctx } = this.op;
    ctx.emit(withPosition({ severity: "error", code, message, notes }, ctx, loc));
    return this;
  }
  note(message: string, loc: LocationRef = this.op.locRef): OpReport {
    this.#last?.notes.push(withPosition({ severity: "note", code: "", message, notes: [] }, this.op.ctx, loc));
    return this;
  }
}

function withPosition(diagnostic: Diagnostic, ctx: Operation["ctx"], loc: LocationRef): Diagnostic {
  const position = positionOfLocation(ctx, loc);
  return position ? { ...diagnostic, position } : diagnostic;
}
