/**
 * How other Tritons than 3.6 wrote what is the same. An op whose text changed has *forms* by era; they are tried only when
 * today's syntax does not fit, and from then on the Context prints in that era's spelling, so that a text of 2.0 comes
 * out as it went in. Ops that are no longer there are ops of their own (`triton_gpu.alloc_tensor`), in dialects of their own.
 *
 *     %3 = tt.splat %1 : (i32) -> tensor<256xi32>      2.0 and 2.1
 *     %3 = tt.splat %1 : i32 -> tensor<256xi32>        since 3.0
 */

import type { TritonVersion } from "../support/triton-version.js";
import type { OpParser, OpPrinter } from "./asm.js";
import type { Attribute } from "./attribute.js";
import type { Context } from "./context.js";
import type { OpDef } from "./define-op.js";
import type { Operation } from "./operation.js";

/** Eras whose spelling differs from 3.6's, newest first. `1.9` is what the 2.0 to be wrote while MLIR was being adopted. */
export const ERAS = ["3.9", "3.1", "2.1", "2.0", "1.9"] as const;
export type Era = (typeof ERAS)[number];

/**
 * The syntax of an op in an era, or the definition of what it was when the op of that name was another one.
 * `print`: today's syntax reads it, but it was printed otherwise; `generic`: it had no syntax of its own yet.
 */
export type OlderForm =
  | {
      readonly kind: "syntax";
      /** Whether the form alone shows the era: else it is tried only where something else has shown it. */
      readonly tells: boolean;
      /** Reads what follows the op's name. */
      parse(p: OpParser): void;
      /** Turns the era's attributes, as the generic form has them, into today's; false where there are none. */
      modernize?(ctx: Context, attrs: [name: string, value: Attribute][]): boolean;
      print(op: Operation, p: OpPrinter): void;
    }
  | { readonly kind: "print"; print(op: Operation, p: OpPrinter): void }
  | { readonly kind: "op"; readonly def: OpDef }
  | { readonly kind: "generic" };

/** The forms of a dialect's ops, by era and name. An era also has those of the newer eras that it includes. */
export type OlderForms = { readonly [E in Era]?: Readonly<Record<string, OlderForm>> };

/** The spelling of a text that is not today's. */
export interface Spelling {
  readonly era: Era;
  /** Only ops that the text, or its era, writes otherwise. */
  readonly forms: Map<string, OlderForm>;
  /** MLIR of the time: `func` and `return` without dialect, generic forms without `<{}>`, `#blocked0` before `#blocked1`. */
  readonly before2023: boolean;
}

/** The eras whose forms an era includes. */
const INCLUDES: Readonly<Record<Era, readonly Era[]>> = {
  "3.9": ["3.9"],
  "3.1": ["3.1"],
  "2.1": ["2.1"],
  "2.0": ["2.1", "2.0"],
  "1.9": ["2.1", "2.0", "1.9"],
};

/** The forms that may read an op where today's syntax does not, of eras older than the Context's, newest first. */
export function olderForms(ctx: Context, name: string): { readonly era: Era; readonly form: OlderForm }[] {
  const dialect = ctx.dialects.get(name.slice(0, name.indexOf(".")));
  const from = ctx.spelling ? ERAS.indexOf(ctx.spelling.era) + 1 : 0;
  return ERAS.slice(from).flatMap((era) => {
    const form = dialect?.olderForms?.[era]?.[name];
    const known = ctx.spelling !== undefined;
    return (form?.kind === "syntax" && (form.tells || known)) || (form?.kind === "op" && known) ? [{ era, form }] : [];
  });
}

/** From here on the Context reads, prints and compiles as that version does. */
export function followTriton(ctx: Context, version: TritonVersion): void {
  ctx.triton = version;
  if (version.spelling) takeSpelling(ctx, version.spelling);
}

/** From here on the Context reads and prints as that era, unless it already does as an older one. */
export function takeSpelling(ctx: Context, era: Era): Spelling {
  if (ctx.spelling && ERAS.indexOf(ctx.spelling.era) >= ERAS.indexOf(era)) return ctx.spelling;
  const forms = new Map<string, OlderForm>();
  for (const dialect of ctx.dialects.values())
    for (const included of INCLUDES[era])
      for (const [name, form] of Object.entries(dialect.olderForms?.[included] ?? {}))
        if (form.kind === "print" || !ctx.readToday.has(name)) forms.set(name, form);
  const before2023 = era === "2.0" || era === "1.9";
  ctx.spelling = { era, forms, before2023 };
  return ctx.spelling;
}
