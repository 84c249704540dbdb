import { Block } from "../ir/block.js";
import type { Context } from "../ir/context.js";
import { fileLoc } from "../ir/location.js";
import { Operation } from "../ir/operation.js";
import { Region } from "../ir/region.js";
import { takeSpellingOfText } from "./older-forms.js";
import { Parser } from "./parser.js";

export interface ParsedModule {
  readonly module: Operation;
  /** The text of the `{-# ... #-}` section, if there is one. */
  readonly metadata: string | undefined;
}

/** Reads a source as one module: its only top-level module, or an implicit one around its ops. `onDefine` hears the names of values. */
export function parseModule(
  ctx: Context,
  file: string,
  text: string,
  firstLine = 1,
  onDefine?: Parser["values"]["onDefine"],
): ParsedModule | undefined {
  const source = ctx.addSource(file, text, firstLine);
  const parser = new Parser(ctx, source);
  parser.values.onDefine = onDefine;
  const parsed = parser.parseSource();
  if (!parsed) return undefined;
  const [only] = parsed.ops;
  takeSpellingOfText(ctx, text, only);
  const moduleDef = ctx.ops.get("builtin.module")!;
  if (only && parsed.ops.length === 1 && only.def === moduleDef) return { module: only, metadata: parsed.metadata };
  const region = new Region(ctx, null, 0);
  const block = new Block(ctx);
  region.insertBlock(block);
  for (const op of parsed.ops) block.append(op);
  return { module: new Operation(ctx, moduleDef, { loc: fileLoc(ctx, file, 0, 0), regions: [region] }), metadata: parsed.metadata };
}
