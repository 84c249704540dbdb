import { readFileSync } from "node:fs";
import { test } from "vitest";
import { readAttribute } from "./attribute-reader.fixture.js";
import { actionRemoveBroadcastedRegs } from "./column-action.js";
import { cvtNeedsSharedMemory } from "./conversion.js";
import { getSrcDstTiles, optimalSwizzling, optimalSwizzlingLdSt } from "./swizzle.js";
import { toLinearLayout } from "./to-linear-layout.js";
test("cvt", () => {
  const cases = JSON.parse(readFileSync("/tmp/lay/cvt-cases.json", "utf8"));
  const want = JSON.parse(readFileSync("/tmp/lay/cvt-expected.json", "utf8"));
  for (const cap of [0, 80, 90]) {
    const bad: string[] = []; let n = 0;
    cases.forEach((c: any, i: number) => {
      const w = want[cap][i]; if (!w) return; n++;
      try {
      const src = toLinearLayout(c.shape, readAttribute(c.src)); const dst = toLinearLayout(c.shape, readAttribute(c.dst));
      const bits = Number(c.elem.slice(1)); 
      let got = [0, false] as any;
      if (cvtNeedsSharedMemory(src, dst)) {
        const s = actionRemoveBroadcastedRegs(src).apply(src); const d = actionRemoveBroadcastedRegs(dst).apply(dst);
        let smem;
        if (cap === 0) smem = optimalSwizzlingLdSt(s, d, bits); else { const t = getSrcDstTiles({ ldMatrix: true, stMatrix: cap >= 90 }, bits); smem = optimalSwizzling(s, d, t.src, t.dst, bits).smem; }
        got = [smem.getTotalOutDimSize() / smem.getInDimSize("reps") * bits / 8, true];
      }
      if (got[0] !== w[0] || got[1] !== w[1]) bad.push(i + " " + JSON.stringify(c) + got + " want " + w);
      } catch (e: any) { bad.push(i + " " + JSON.stringify(c) + e.stack); }
    });
    console.log(cap, n, bad.length, bad.slice(0, 5).join("\n"));
  }
});
