import { expect, test } from "vitest";
import { instructions, kernel } from "./translate.fixture.js";

/** The sums of a loop over so many pointers, each of which reads an element; registers by the order of their first use. */
const loop = (count: number, offsetType: "i32" | "i64", column = ""): string[] => {
  const all = Array.from({ length: count }, (_, i) => i);
  const list = (text: (i: number) => string): string => all.map(text).join(", ");
  const branch = (name: string): string => `llvm.br ^bb1(${list((i) => `%${name}${i}`)} : ${list(() => "!llvm.ptr<1>")})`;
  const starts = all.map(
    (i) => `%r${i} = llvm.getelementptr %arg0[%o${i}] : (!llvm.ptr<1>, ${offsetType}) -> !llvm.ptr<1>, f16
      %s${i} = llvm.getelementptr %r${i}[${column || "0"}] : (!llvm.ptr<1>${column && ", i32"}) -> !llvm.ptr<1>, f16`,
  );
  const loads = all.map(
    (i) => `
       %v${i} = llvm.load volatile %p${i} : !llvm.ptr<1> -> i32
       %q${i} = llvm.getelementptr %p${i}[%n] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f16`,
  );
  const body = `${starts.join("\n")}\n${branch("s")}\n^bb1(${list((i) => `%p${i}: !llvm.ptr<1>`)}):${loads.join("")}\n${branch("q")}`;
  const lines = instructions(
    kernel(`%arg0: !llvm.ptr<1>, %n: i32, ${list((i) => `%o${i}: ${offsetType}`)}`, body).replace("\nllvm.return", ""),
  );
  const names = new Map<string, string>();
  const named = (register: string): string => {
    names.set(register, names.get(register) ?? String.fromCharCode(97 + names.size));
    return names.get(register)!;
  };
  return lines
    .slice(lines.findIndex((l) => l.startsWith("$L")))
    .filter((l) => /^(add\.s64|mov)/.test(l))
    .map((l) => l.replace(/%rd\d+/g, named));
};

test("many pointers of one base to which a loop adds the same are the base, counted up, and a number each", () => {
  const sums = loop(16, "i32");
  expect(sums).toHaveLength(17);
  expect(sums.slice(0, 16).filter((sum) => /^add\.s64 (.), ., c;$/.test(sum))).toHaveLength(16);
  expect(sums[16]).toMatch(/^add\.s64 c, ., c;$/);
  // The same column is added to each row.
  expect(loop(16, "i32", "%n")).toEqual(sums);
});
test("few pointers, and those whose numbers take two words, are counted up each", () => {
  for (const sums of [loop(15, "i32"), loop(16, "i64")]) expect(sums.filter((sum) => /^add\.s64 (.), \1, b;$/.test(sum))).toEqual(sums);
});
