// Says after which pass two targets differ first: node compare-targets.js kernel.ttir cuda:80 cuda:90
import { readFileSync } from "node:fs";
import { compareTraces, compile, readSource, type Source, type Trace } from "tt-step";

const [file = "kernel.ttir", ...targets] = process.argv.slice(2);
const source = readSource({ name: file, text: readFileSync(file, "latin1") });
if (source.kind === "error") throw new Error(source.rendered ?? source.message);

function traceFor(source: Source, target: string): Trace {
  const compiled = compile(source, { target });
  if (compiled.kind === "error") throw new Error(compiled.rendered ?? compiled.message);
  return compiled.trace;
}
const [one, other] = (targets.length === 2 ? targets : ["cuda:80", "cuda:90"]).map((target) => traceFor(source, target));
const { compared, first, onlyHere, onlyThere } = compareTraces(one!, other!);
console.log(first ? `first difference after ${first.ours.label} ${first.ours.flag}` : `no difference at ${compared} points`);
console.log(`passes of the first only: ${onlyHere.join(", ") || "none"}`);
console.log(`passes of the second only: ${onlyThere.join(", ") || "none"}`);
