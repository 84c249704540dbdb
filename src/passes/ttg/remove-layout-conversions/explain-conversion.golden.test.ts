import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { accessWidth } from "../../../analysis/access-width.js";
import { ModuleAxisInfo } from "../../../analysis/module-axis-info.js";
import { ALL_DIALECTS } from "../../../dialects/index.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import { Context } from "../../../ir/context.js";
import { positionOfLocation } from "../../../ir/location.js";
import { parseModule } from "../../../syntax/parse.js";
import { conversionCost } from "./explain-conversion.js";

const FOLDER = "fixtures/why/golden";
const KINDS = [
  [/async_copy/, "cp"],
  [/load/, "ld"],
  [/store/, "st"],
  [/atomic/, "atom"],
] as const;

/** Real Triton's last TTGIR, held against the PTX and the allocation of shared memory that it became. */
describe.each(readdirSync(FOLDER))("%s", (file) => {
  const text = readFileSync(`${FOLDER}/${file}`, "latin1");
  const ctx = new Context(ALL_DIALECTS);
  const { module } = parseModule(ctx, file, text)!;

  test("the widths explained are those in the PTX", () => {
    const axes = new ModuleAxisInfo(module);
    const found = new Set<string>();
    module.walk((op) => {
      const width = accessWidth(op, axes);
      const at = width && positionOfLocation(ctx, op.locRef)!;
      if (at) found.add(`${at.file}:${at.line}:${at.column} ${KINDS.find(([name]) => name.test(op.name))![1]} ${width.bits}`);
    });
    expect([...found].sort()).toEqual([...text.matchAll(/^\/\/ PTX (.*)$/gm)].map((m) => m[1]));
  });

  test("conversions cost shared memory where the allocation has some for them, and no more", () => {
    const [, offsets, total] = /for none, and the bytes in all: (.*) of (\d+)$/m.exec(text)!;
    const expected = offsets === "" ? [] : offsets!.split(" ");
    const costs: number[] = [];
    module.walk((op) => {
      const convert = ConvertLayoutOp.match(op);
      if (convert) costs.push(conversionCost(convert).bytes);
    });
    expect(costs.map((bytes) => bytes > 0)).toEqual(expected.map((offset) => offset !== "-"));
    expected.forEach((offset, i) => {
      if (offset !== "-") expect(Number(offset) + costs[i]!).toBeLessThanOrEqual(Number(total));
    });
  });
});
