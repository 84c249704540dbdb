/** Kernels beside what each real Triton makes of them (fixtures/frontend/versions): the module with its locations, or the error. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { defaultOptions } from "../backend/nvidia/options.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { gpuCalled } from "../gpu/gpu.js";
import { Context } from "../ir/context.js";
import { TRITON_VERSIONS } from "../support/triton-version.js";
import { printOperation } from "../syntax/print.js";
import { compileKernel, readPython } from "./compile-python.js";
import { commentSettings } from "./kernel-comment.js";
import { chooseKernel, specialize } from "./specialize.js";

type Made = { readonly error: string } | { readonly module: readonly string[] };
/** Locations in the library name its file alone. */
const FOLDER_OF_FILE = /"\/[^"\n]*\/(?=[^"\n/]*")/g;
const FOLDER = "fixtures/frontend/versions";
const REAL: Readonly<Record<string, Readonly<Record<string, Made>>>> = JSON.parse(readFileSync(`${FOLDER}/real.json`, "utf8"));

describe.each(TRITON_VERSIONS)("Triton $name", (triton) => {
  test.each(Object.entries(REAL[triton.name]!))("%s", (name, expected) => {
    const [file = "", kernel = ""] = name.split(".");
    const ctx = new Context(ALL_DIALECTS);
    const text = readFileSync(`${FOLDER}/${file}.py`, "latin1");
    const target = /^# arch (\d+)$/m.exec(text)?.[1] ?? "80";
    const gpu = gpuCalled(`cuda:${target}`)!;
    const read = readPython(ctx, `${file}.py`, text, { readFile: () => undefined, gpu, triton });
    const chosen = chooseKernel(read!.kernels, kernel, file);
    if ("error" in chosen) throw new Error(chosen.error);
    const asked = { kernel, signature: undefined, types: [], constants: [], config: undefined };
    const specialized = specialize(chosen, asked, commentSettings(text, chosen.line));
    if ("error" in specialized) throw new Error(specialized.error);
    const module = compileKernel(read!, specialized.specialization, { gpu, ...defaultOptions(Number(target)) });
    const made: Made = module
      ? { module: printOperation(module, { debugInfo: true, nameLocAsPrefix: true }).replaceAll(FOLDER_OF_FILE, '"').split("\n") }
      : { error: ctx.diagnostics[0]!.message };
    expect(made).toEqual(expected);
  });
});
