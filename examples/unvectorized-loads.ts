// Lists loads of global memory of fewer than 16 bytes a thread: node unvectorized-loads.js kernel.ttir [cuda:90]
import { readFileSync } from "node:fs";
import { codegenFacts, compile, readSource } from "tt-step";

const [file = "kernel.ttir", target = "cuda:90"] = process.argv.slice(2);
const source = readSource({ name: file, text: readFileSync(file, "latin1") });
if (source.kind === "error") throw new Error(source.rendered ?? source.message);

const compiled = compile(source, { target, artifacts: ["ptx", "instructions"] });
if (compiled.kind === "error") throw new Error(compiled.rendered ?? compiled.message);

const facts = codegenFacts(compiled.trace);
const narrow = facts.filter((fact) => fact.kind === "load" && fact.space === "global" && fact.bytesPerThread < 16);
for (const { count, instruction, bytesPerThread, source: place } of narrow) {
  const where = place ? `${place.file}:${place.line}` : "unknown place";
  console.log(`${where}: ${count} x ${instruction}, ${bytesPerThread} bytes a thread`);
}
if (narrow.length === 0) console.log("every load of global memory has 16 bytes a thread");
