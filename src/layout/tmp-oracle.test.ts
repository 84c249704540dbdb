import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readAttribute } from "./attribute-reader.fixture.js";
import { printHwView, printTensorView } from "./print-layout.js";
import { toLinearLayout } from "./to-linear-layout.js";

const dir = "/work/shared/oracle/layouts/";
test("linear-layouts", () => {
  const cases = JSON.parse(readFileSync(dir + "linear-layouts.json", "utf8"));
  const bad: string[] = [];
  for (const c of cases) {
    try {
      const l = toLinearLayout(c.shape, readAttribute(c.attr));
      if (l.toString() !== c.toString) bad.push(c.id);
      else if (l.isSurjective() !== c.isSurjective || l.isInjective() !== c.isInjective) bad.push(c.id + "p");
    } catch (e) {
      bad.push(c.id + String(e).slice(0, 80));
    }
  }
  console.log("linear-layouts", cases.length - bad.length, "/", cases.length, bad.slice(0, 40));
});
test("prints", () => {
  const cases = JSON.parse(readFileSync(dir + "prints.json", "utf8"));
  const bad: string[] = [];
  const t0 = performance.now();
  for (const c of cases) {
    try {
      const l = toLinearLayout(c.shape, readAttribute((c.attr36 ?? c.attr).replace("triton_gpu", "ttg")));
      const lines: string[] = [];
      (c.view === "hw" ? printHwView : printTensorView)(l, (s) => lines.push(s));
      const body = lines.join("\n") + "\n";
      const want = c.expected.slice(c.expected.indexOf("\n") + 1);
      if (c.partial ? !body.startsWith(want) : body !== want) bad.push(c.id);
    } catch (e) {
      bad.push(c.id + String(e).slice(0, 80));
    }
  }
  console.log("prints", cases.length - bad.length, "/", cases.length, bad.slice(0, 40), performance.now() - t0);
});

import { encodingText } from "./encoding-text.js";
import { getDefaultBlockedEncoding } from "./encodings/blocked.js";
import { inferDefaultJoinOpEncoding, splitEncodingOfBuilder } from "./infer/join-split.js";
import { inferMemDescReshapeOpEncoding, inferReshapeOpEncoding } from "./infer/reshape.js";
import { inferExpandDimsOpEncoding, inferReduceOpEncoding } from "./infer/slice-dims.js";
import { inferTransOpEncoding } from "./infer/trans.js";
import { layoutProblem, verifyEncoding } from "./verify-encoding.js";

test("text+verify", () => {
  const cases = [
    ...JSON.parse(readFileSync(dir + "linear-layouts.json", "utf8")),
    ...JSON.parse(readFileSync(dir + "prints.json", "utf8")),
  ];
  const bad: string[] = [];
  for (const c of cases) {
    if (c.era && c.era !== "ttg") continue;
    const p = readAttribute(c.attr);
    if (encodingText(p) !== c.attr) bad.push(c.attr + "\n" + encodingText(p));
    if (verifyEncoding(p).length) bad.push(c.attr + verifyEncoding(p));
    if (layoutProblem(c.shape, p)) bad.push(c.attr + layoutProblem(c.shape, p));
  }
  console.log("text", bad.length, bad.slice(0, 6));
});
test("defaults", () => {
  const cases = JSON.parse(readFileSync(dir + "default-encodings.json", "utf8"));
  const bad: string[] = [];
  for (const c of cases) {
    const t = encodingText(getDefaultBlockedEncoding(c.shape, c.numWarps ?? 4, c.threadsPerWarp ?? 32, c.numCTAs ?? 1));
    if (t !== (c.encoding36 ?? c.encoding)) bad.push(JSON.stringify(c) + t);
  }
  console.log("defaults", cases.length, bad.length, bad.slice(0, 6));
});
test("inference", () => {
  const cases = JSON.parse(readFileSync(dir + "encoding-inference.json", "utf8"));
  const bad: string[] = [];
  for (const c of cases) {
    const srcText: string = c.srcEncoding ?? c.src.slice(c.src.indexOf("#"), c.src.lastIndexOf(", #ttg.shared_memory"));
    const want: string = c.resultEncoding ?? c.result.slice(c.result.indexOf("#"), c.result.lastIndexOf(", #ttg.shared_memory"));
    try {
      const p: any = readAttribute(srcText);
      let r: any;
      switch (c.op) {
        case "reshape":
          r = inferReshapeOpEncoding(c.srcShape, p, c.arg);
          break;
        case "join":
          r = { encoding: inferDefaultJoinOpEncoding(p, c.srcShape) };
          break;
        case "expand_dims":
          r = inferExpandDimsOpEncoding(p, c.arg);
          break;
        case "trans":
        case "memdesc_trans":
          r = inferTransOpEncoding(p, c.srcShape, c.arg);
          break;
        case "reduce":
          r = { encoding: inferReduceOpEncoding(p, c.arg) };
          break;
        case "split":
          r = { encoding: splitEncodingOfBuilder(p) };
          break;
        case "memdesc_reshape":
          r = inferMemDescReshapeOpEncoding(c.srcShape, p, c.arg);
          break;
      }
      const got = r.error ?? encodingText(r.encoding);
      if (got !== want) bad.push(c.op + " " + srcText + JSON.stringify(c.srcShape) + JSON.stringify(c.arg) + "\n  " + got + "\n  " + want);
    } catch (e: any) {
      bad.push(c.op + " " + srcText + e.stack);
    }
  }
  console.log("inference", cases.length, bad.length, bad.slice(0, 6).join("\n"));
});
