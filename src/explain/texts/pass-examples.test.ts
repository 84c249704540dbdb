/** The before and after of each pass's explanation are what the pass really makes. */
import { expect, test } from "vitest";
import { renderDiagnostic } from "../../diagnostics/render.js";
import { ALL_DIALECTS } from "../../dialects/index.js";
import { Context } from "../../ir/context.js";
import { verifyOperation } from "../../ir/verify.js";
import { runPipeline } from "../../pass/pass-manager.js";
import { parsePipeline } from "../../pass/pipeline-text.js";
import { PASSES } from "../../passes/index.js";
import { parseModule } from "../../syntax/parse.js";
import { printOperation } from "../../syntax/print.js";
import { goldenParts } from "../../testing/golden-parts.js";
import { PASS_EXAMPLES, type PassExample } from "./pass-examples.fixture.js";

/** The IR of an example: its own, or that of a part of a golden file, of which `@name` picks one function. */
function inputOf({ ir }: PassExample): { readonly text: string; readonly only: string | undefined } {
  const [, path, part, only] = /^([\w/-]+\.mlir)#(\d+)(@\w+)?$/.exec(ir) ?? [];
  return path === undefined ? { text: ir, only } : { text: goldenParts(`fixtures/passes/${path}`)[Number(part)]!.input, only };
}

/** So many lines are shown. */
const FEWEST = 3;
const MOST = 8;

/** The lines of the printed module that an example shows, with `...` for those left out between them. */
function shown(text: string, show: readonly string[] | undefined, only: string | undefined): string[] {
  const lines: string[] = [];
  let count = 0;
  let inside = only === undefined;
  for (const line of text.split("\n")) {
    if (line.includes("tt.func") && only !== undefined) inside = line.includes(`${only}(`);
    const wanted = inside && (show ? show.some((part) => line.includes(part)) : !/^(?:#|module|}|$)/.test(line));
    if (wanted && count === MOST) {
      lines.push("    ...");
      break;
    }
    if (wanted) {
      lines.push(line.length > 150 ? `${line.slice(0, 147)}...` : line);
      count++;
    } else if (count > 0 && count < MOST && lines.at(-1) !== "    ..." && !/^[ }]*$/.test(line)) lines.push("    ...");
  }
  if (count < MOST && lines.at(-1) === "    ...") lines.pop();
  return lines;
}

function exampleOf(flag: string, example: PassExample): { readonly before: readonly string[]; readonly after: readonly string[] } {
  const { text, only } = inputOf(example);
  const ctx = new Context(ALL_DIALECTS);
  ctx.allowUnregisteredDialects = true;
  const module = parseModule(ctx, flag, text)?.module;
  const print = (): string[] => {
    const printed = printOperation(module!, { debugInfo: flag === "enable-line-info" || flag === "extract-variable-info" });
    const lines = shown(printed, example.show, only);
    return lines.length >= FEWEST ? lines : shown(printed, example.show?.concat("func ", "return"), only);
  };
  const run = (pipeline: string) => {
    const parsed = parsePipeline(pipeline, (name) => PASSES.get(name));
    if ("error" in parsed) throw new Error(`${flag}: ${parsed.error}`);
    return runPipeline(module!, parsed.elements).ok;
  };
  const problem = () => new Error(`${flag}: ${ctx.diagnostics.map((d) => renderDiagnostic(d, ctx.sources)).join("")}`);
  if (!module || !verifyOperation(module) || (example.first !== undefined && !run(example.first))) throw problem();
  const before = print();
  if (!run(`${flag}${example.options === undefined ? "" : `{${example.options}}`}`)) throw problem();
  return { before, after: print() };
}

test("the before and after of every pass are what the pass makes", async () => {
  const made = Object.fromEntries(Object.entries(PASS_EXAMPLES).map(([flag, example]) => [flag, exampleOf(flag, example)]));
  await expect(`${JSON.stringify(made, null, 2)}\n`).toMatchFileSnapshot("pass-examples.json");
});
