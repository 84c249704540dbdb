import { expect, test } from "vitest";
import { unified } from "./hunks.js";
import { ptxDiff } from "./ptx-diff.js";

const BEFORE = `.visible .entry k() {
	.reg .b32 	%r<4>;
$L__BB0_1:
	.loc	1 7 3
	add.s32 	%r2, %r1, 1;
	ld.global.b32 	%r3, [%rd1];  // a load
	bra 	$L__BB0_1;
}
	.section .debug_info { .b8 1 }
`;

test("numbers of registers and labels, places in the source and sections are no difference", () => {
  const after = BEFORE.replace("<4>", "<9>")
    .replaceAll("%r2", "%r7")
    .replaceAll("BB0_1", "BB0_12")
    .replace("1 7 3", "1 9 1")
    .replace(".b8 1", ".b8 2");
  const diff = ptxDiff(BEFORE, after)!;
  expect(unified(diff, diff.rows)).toBe("");
});

test("another instruction is a difference", () => {
  const diff = ptxDiff(BEFORE, BEFORE.replace("ld.global.b32", "ld.global.v4.b32"))!;
  expect(unified(diff, diff.rows).match(/^[-+].*/gm)).toEqual(["-\tld.global.b32 \t%r3, [%rd1];", "+\tld.global.v4.b32 \t%r3, [%rd1];"]);
});
