/** Numbers that are made up follow from the use that a kernel makes of them: here, from `tl.multiple_of` of sums with them. */
import { expect, test } from "vitest";
import { ALL_DIALECTS } from "../../dialects/index.js";
import { Context } from "../../ir/context.js";
import { parseModule } from "../../syntax/parse.js";
import { type ValueRole, valueRoles } from "./value-roles.js";

/** The roles of what `%x` holds, in a kernel that loads `%n` from it. */
function rolesOf(body: string): ReadonlySet<ValueRole> {
  const text = `tt.func @k(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
  %n = tt.load %x : !tt.ptr<i32>
  %c = arith.constant 3 : i32
${body}
  tt.return
}`;
  const { module } = parseModule(new Context(ALL_DIALECTS), "k.ttir", text)!;
  const [kernel] = [...module.regions[0]!.firstBlock!.ops()];
  return valueRoles(module, kernel!.regions[0]!.firstBlock!.args[0]!);
}
const HINT = "{tt.divisibility = 16 : i32}";

test.each([
  ["an offset", `  %p = tt.addptr %y, %n ${HINT} : !tt.ptr<i32>, i32`, true],
  [
    "a part of an offset",
    `  %m = arith.muli %n, %c : i32\n  %s = arith.addi %m, %c : i32\n  %p = tt.addptr %y, %s ${HINT} : !tt.ptr<i32>, i32`,
    true,
  ],
  ["a quotient", `  %q = arith.divsi %n, %c : i32\n  %p = tt.addptr %y, %q ${HINT} : !tt.ptr<i32>, i32`, false],
  ["no hint", "  %p = tt.addptr %y, %n : !tt.ptr<i32>, i32", false],
  [
    "the index of a number that is the offset",
    `  %i = tt.addptr %y, %n : !tt.ptr<i32>, i32\n  %v = tt.load %i : !tt.ptr<i32>\n  %p = tt.addptr %y, %v ${HINT} : !tt.ptr<i32>, i32`,
    false,
  ],
  ["a mask of a load that is a multiple", `  %m = arith.cmpi slt, %n, %c : i32\n  %v = tt.load %y, %m ${HINT} : !tt.ptr<i32>`, false],
])("%s", (_, body, isPitch) => {
  expect(rolesOf(body).has("pitch")).toBe(isPitch);
});
test("a number that is loaded as a multiple", () => {
  expect(rolesOf(`  %v = tt.load %x ${HINT} : !tt.ptr<i32>`).has("pitch")).toBe(true);
});
