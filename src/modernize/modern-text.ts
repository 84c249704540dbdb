import { Context } from "../ir/context.js";
import type { DialectDef } from "../ir/define-dialect.js";
import { parseModule } from "../syntax/parse.js";
import { printOperation } from "../syntax/print.js";
import { modernize } from "./modernize.js";

/** An IR text in the spelling of 3.6; as it is when it cannot be read, or is 3.6's already. */
export function modernText(text: string, dialects: readonly DialectDef[]): string {
  if (!/\btriton_gpu\.|\bnvgpu\.|\bfunc\b|!llvm\.ptr<[^>\d]|\(\w[^()]*\) -> tensor</.test(text)) return text;
  const ctx = new Context(dialects);
  const parsed = parseModule(ctx, "<imported>", text);
  if (!parsed) return text;
  modernize(parsed.module);
  const debugInfo = /\bloc\(/.test(text);
  if (/^module\b/m.test(text)) return printOperation(parsed.module, { debugInfo });
  // A dump of functions alone.
  const ops = [...(parsed.module.regions[0]?.firstBlock?.ops() ?? [])];
  return ops.map((op) => printOperation(op, { debugInfo })).join("");
}
