/**
 * Remarks: why a pass did what it did, or did not, in a user's words. A remark is plain data, so that it outlives the IR that it
 * speaks of. Its message names ops and values as `{0}`, `{1}`, ..., `refs` has their ids; whoever shows the remark puts in the names
 * that these have in the step shown (`explain/queries.ts`), or the texts that the refs carry (`plainText`).
 *
 *     coalesce.access (applied): "{0} accesses 32 bits at once, 1 of f32: argument {1} is not known to be divisible by 16 bytes"
 */
import { NameLoc, positionOfLocation } from "../ir/location.js";
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";

/** The codes of remarks. A code never changes its meaning, because checks and users' scripts name it. */
export const REMARK_CODES = {
  "convert.elements": "Where the elements per thread of a layout made by the conversion to TritonGPU come from (cat, join, split, dot).",
  "coalesce.access":
    "The layout that coalesce chose for an access of global memory, how wide it lets a thread access, and what holds it back.",
  "async-copy.width": "How many bytes a cp.async copies at once, or why a load cannot become one.",
  "layout.rematerialized": "A conversion of layouts that went because its source was computed again in the layout wanted.",
  "layout.divided": "A conversion of layouts that became two, which take less shared memory at once.",
  "layout.hoisted": "A conversion of layouts that moved to where less data goes through it.",
  "layout.conversion":
    "A conversion of layouts that stays: what wants the one layout and the other, what it costs, and why it could not go.",
  "matmul.mma": "The tensor core instruction that a dot was given.",
  "matmul.declined": "Why a dot was not given to tensor cores.",
  "pipeline.loop": "Stages, buffers and bytes of a loop that was pipelined.",
  "pipeline.declined": "Why a loop was not pipelined.",
  "pipeline.load": "A load in a pipelined loop: its latency, and whether it is copied asynchronously.",
  "pipeline.dot": "Whether a warp group dot of a loop runs while the loop goes on, or why it is waited for at once.",
  "specialize.groups": "The part of each warp group in a kernel that was divided among them.",
  "specialize.declined": "Why a kernel with a loop marked warp_specialize was not divided among warp groups.",
  "memory.buffer": "Where in shared memory an op's buffer or scratch memory lies, how large it is, and how long it is in use.",
  "prefetch.operand": "An operand of a dot that is read from shared memory one step ahead.",
  "triton.crash":
    "Real Triton 3.6 ends at this op in this pass, by a signal and without a message, or because what it made does not verify: no kernel comes of it. tt-step goes on as the pass would without that.",
  "buffer.access": "An access of global memory that became a buffer operation: one pointer for all threads, and 32-bit offsets.",
  "buffer.declined": "Why an access of global memory did not become a buffer operation.",
  "transpose.operand": "An operand of a dot that threads transpose in registers before they write it to shared memory.",
  "transpose.declined": "Why an operand of a dot is not transposed by threads.",
  "pingpong.loop": "How a loop was cut into clusters of memory accesses and of matrix instructions, for two warps in turn.",
  "pingpong.declined": "Why the warps of a loop with a dot do not take turns.",
  "licm.hoisted": "An operation that moved out of a loop, as it computes the same in every iteration.",
  "cse.merged": "An operation that went because another one computes the same.",
} as const;
export type RemarkCode = keyof typeof REMARK_CODES;
/** The meaning of a remark's code; undefined for any other text. */
export function explainRemark(code: string): string | undefined {
  return Object.hasOwn(REMARK_CODES, code) ? REMARK_CODES[code as RemarkCode] : undefined;
}
/** Something was done; something was not done that one might have expected; something is so. */
export type RemarkKind = "applied" | "missed" | "analysis";

interface RefText {
  /** Its name where it no longer has one in the IR: `tt.load`, or an argument's own name or number: `x_ptr`, `#0`. */
  readonly text: string;
  /** Where it is in the source: `kernel.py:12`; undefined where nothing is known. */
  readonly at: string | undefined;
}
/** An op, one of its results, or an argument of one of its blocks. `op` is an op's id. */
export type RemarkRef = RefText &
  (
    | { readonly kind: "op"; readonly op: number }
    | { readonly kind: "result"; readonly op: number; readonly index: number }
    | { readonly kind: "argument"; readonly op: number; readonly region: number; readonly block: number; readonly index: number }
  );
export type RemarkField = number | string | boolean | readonly (number | string)[];

/** Why a pass did something, or did not. */
export interface Remark {
  readonly code: RemarkCode;
  readonly kind: RemarkKind;
  /** The id of the op that it is about: that of `refs[0]`. */
  readonly op: number;
  /** In a user's words; `{1}` stands for `refs[1]`. */
  readonly message: string;
  /** The op that it is about, and whatever else the message speaks of. */
  readonly refs: readonly RemarkRef[];
  /** The facts of the message, for programs. */
  readonly fields: Readonly<Record<string, RemarkField>>;
}

/** A remark that names ops by other ids. */
export function remarkWithIds(remark: Remark, idOf: (op: number) => number): Remark {
  return { ...remark, op: idOf(remark.op), refs: remark.refs.map((ref) => ({ ...ref, op: idOf(ref.op) })) };
}

/** A remark as a pass makes it; `{0}` is the op that it is about, `{1}` the first of `refs`. */
export interface RemarkText {
  readonly kind: RemarkKind;
  readonly message: string;
  readonly refs?: readonly (Operation | Value)[];
  readonly fields?: Readonly<Record<string, RemarkField>>;
}
/** Records a remark about `op`. */
export type Explain = (op: Operation, code: RemarkCode, remark: RemarkText) => void;

/** Collects what a message speaks of while it is written: `of(value)` gives the `{1}` to write. `{0}` is the op that the remark is about. */
export class RemarkRefs {
  readonly list: (Operation | Value)[] = [];
  constructor(readonly about: Operation) {}
  of(entity: Operation | Value): string {
    if (entity === this.about) return "{0}";
    const known = this.list.indexOf(entity);
    return `{${(known < 0 ? this.list.push(entity) - 1 : known) + 1}}`;
  }
}

/** The remark as data. */
export function makeRemark(op: Operation, code: RemarkCode, { kind, message, refs = [], fields = {} }: RemarkText): Remark {
  return { code, kind, op: op.id, message, refs: [op, ...refs].map(refTo), fields };
}

/** The message with every `{i}` replaced by what `name` calls that ref. */
export function remarkMessage({ message, refs }: Pick<Remark, "message" | "refs">, name: (ref: RemarkRef) => string): string {
  return message.replace(/\{(\d+)\}/g, (whole, i: string) => {
    const ref = refs[Number(i)];
    return ref ? name(ref) : whole;
  });
}
/** The name of a ref where there is no IR to look it up in: `tt.load (kernel.py:12)`. */
export function refText({ text, at }: RemarkRef): string {
  return at === undefined ? text : `${text} (${at})`;
}

/** The reference to an op or value in a remark. */
export function refTo(entity: Operation | Value): RemarkRef {
  if ("isOperation" in entity) return { kind: "op", op: entity.id, text: entity.name, at: placeOf(entity) };
  const { definingOp, index } = entity;
  if (definingOp) return { kind: "result", op: definingOp.id, index, text: definingOp.name, at: placeOf(definingOp) };
  const block = entity.argOwner!;
  const region = block.region!;
  const owner = region.parentOp!;
  const loc = entity.loc;
  const text = NameLoc.is(loc) ? loc.params.name : `#${index}`;
  let number = 0;
  for (let at = region.firstBlock; at !== block; at = at!.next) number++;
  return { kind: "argument", op: owner.id, region: region.index, block: number, index, text, at: placeOf(owner) };
}

function placeOf(op: Operation): string | undefined {
  const position = positionOfLocation(op.ctx, op.locRef);
  return position && `${position.file.slice(position.file.lastIndexOf("/") + 1)}:${position.line}`;
}
