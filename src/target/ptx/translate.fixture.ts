/** Translates LLVM dialect in tests of the PTX back end. */
import { ALL_DIALECTS } from "../../dialects/index.js";
import { Context } from "../../ir/context.js";
import { parseModule } from "../../syntax/parse.js";
import { type PtxOptions, ptxText } from "./translate.js";

export const OPTIONS: PtxOptions = { capability: 80, version: 87, fusion: true, reflectFtz: true };
/** The PTX of a module. */
export function translate(text: string, options: Partial<PtxOptions> = {}): string {
  const made = ptxText(parseModule(new Context(ALL_DIALECTS), "x.mlir", text)!.module, { ...OPTIONS, ...options });
  if (!("text" in made)) throw new Error(made.problems.map((p) => p.message).join("\n"));
  return made.text;
}
/** The instructions of the only function, without declarations. */
export function instructions(body: string, options: Partial<PtxOptions> = {}): string[] {
  const text = translate(`llvm.func @f${body}`, options);
  const lines = text.slice(text.indexOf("{") + 1, text.lastIndexOf("}")).split("\n");
  return lines.map((l) => l.trim().replace(" \t", " ")).filter((l) => l !== "" && !l.startsWith(".reg"));
}
/** The arguments and body of a kernel, for `instructions`. */
export const kernel = (args: string, body: string): string =>
  `(${args}) attributes {nvvm.kernel = 1 : ui1, nvvm.reqntid = array<i32: 128>} {${body}\nllvm.return\n}`;
