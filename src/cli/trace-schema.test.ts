/** What `--json` prints against the schema that is shipped. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { memoryIo } from "../testing/memory-io.js";
import { main } from "./tt-step.js";

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly $defs?: Readonly<Record<string, Schema>>;
}
const schema = JSON.parse(readFileSync("schemas/trace.json", "utf8")) as Schema;

/** Where a value breaks the schema, for the words that this schema uses. */
function problems(value: unknown, wanted: Schema, path: string): readonly string[] {
  const { $ref, type, properties, required = [], items } = wanted;
  if ($ref) return problems(value, schema.$defs![$ref.slice("#/$defs/".length)]!, path);
  if ("const" in wanted) return value === wanted.const ? [] : [`${path} is ${String(value)}`];
  if (wanted.enum) return wanted.enum.includes(value) ? [] : [`${path} is ${String(value)}`];
  const is = Array.isArray(value)
    ? "array"
    : value === null
      ? "null"
      : Number.isInteger(value) && type === "integer"
        ? "integer"
        : typeof value;
  if (is !== type) return [`${path} is ${is}, not ${type}`];
  if (items) return (value as readonly unknown[]).flatMap((item, i) => problems(item, items, `${path}.${i}`));
  if (!properties) return [];
  const record = value as Readonly<Record<string, unknown>>;
  return [
    ...required.filter((key) => !(key in record)).map((key) => `${path}.${key} is missing`),
    ...Object.entries(record).flatMap(([key, v]) =>
      properties[key] ? problems(v, properties[key], `${path}.${key}`) : [`${path}.${key} is extra`],
    ),
  ];
}

test.each(["fixtures/kernels/softmax.ttir", "fixtures/tui/softmax.log", "fixtures/ptx/inline_asm-sm80.ptx"])("%s", async (input) => {
  const io = memoryIo();
  expect(await main([input, "--json"], io)).toBe(0);
  expect(problems(JSON.parse(io.out()), schema, "trace").slice(0, 5)).toEqual([]);
});
