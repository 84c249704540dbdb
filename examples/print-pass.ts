// Compiles a kernel and prints the IR after one pass: node print-pass.js kernel.ttir tritongpu-coalesce [cuda:90]
import { readFileSync } from "node:fs";
import { compile, findStep, readSource } from "tt-step";

const [file = "kernel.ttir", pass = "tritongpu-coalesce", target = "cuda:90"] = process.argv.slice(2);
const source = readSource({ name: file, text: readFileSync(file, "latin1") });
if (source.kind === "error") throw new Error(source.rendered ?? source.message);

const compiled = compile(source, { target, until: pass });
if (compiled.kind === "error") throw new Error(compiled.rendered ?? compiled.message);

const { trace } = compiled;
const step = findStep(trace, pass);
if (step) console.log(trace.lines.textOf(step.text));
for (const { code, message } of step?.remarks ?? []) console.log(`${code}: ${message}`);
