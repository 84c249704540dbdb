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
/** A kernel with a loop that adds up so many numbers: what comes before it, what it does besides, and where the numbers are loaded and stored. */
export function addingLoop(count: number, args: string, before: string, inside: string, from: string, to: string): string {
  const sums = Array.from({ length: count }, (_, i) => i);
  const list = (name: string) => `${sums.map((i) => `%${name}${i}`).join(", ")} : ${sums.map(() => "f32").join(", ")}`;
  return `(${args}, %n: i32) attributes {nvvm.kernel = 1 : ui1} {
    %one = llvm.mlir.constant(1 : i32) : i32
    ${before}
    ${sums.map((i) => `%a${i} = llvm.load volatile ${from} : !llvm.ptr<1> -> f32`).join("\n")}
    llvm.br ^bb1(%n, ${list("a").replace(" : ", " : i32, ")})
  ^bb1(%i: i32, ${sums.map((i) => `%b${i}: f32`).join(", ")}):
    %goes = llvm.icmp "sgt" %i, %one : i32
    llvm.cond_br %goes, ^bb2, ^bb3
  ^bb2:
    ${inside}
    %next = llvm.sub %i, %one : i32
    ${sums.map((i) => `%c${i} = llvm.fadd %b${i}, %b${(i + 1) % count} : f32`).join("\n")}
    llvm.br ^bb1(%next, ${list("c").replace(" : ", " : i32, ")})
  ^bb3:
    ${sums.map((i) => `llvm.store volatile %b${i}, ${to} : f32, !llvm.ptr<1>`).join("\n")}
    llvm.return
  }`;
}
