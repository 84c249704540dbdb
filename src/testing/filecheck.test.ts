import { expect, test } from "vitest";
import { fileCheck } from "./filecheck.js";

const output = "func @a {\n  %0 = add %x, %y\n  %1 = mul %0, %0\n}\nfunc @b {\n  ret\n}\n";

test.each([
  ["in order", "// CHECK: add\n// CHECK: mul"],
  ["next line", "// CHECK: add\n// CHECK-NEXT: mul"],
  ["same line", "// CHECK: add\n// CHECK-SAME: %y"],
  ["absent between", "// CHECK: add\n// CHECK-NOT: sub\n// CHECK: mul"],
  ["variables", "// CHECK: [[V:%[0-9]+]] = add\n// CHECK: mul [[V]], [[V]]"],
  ["variable used where it is defined", "// CHECK: mul [[V:%.]], [[V]]"],
  ["regex", "// CHECK: {{%[0-9]}} = mul"],
  ["any order", "// CHECK-DAG: mul\n// CHECK-DAG: add"],
  ["labels", "// CHECK-LABEL: @a\n// CHECK: mul\n// CHECK-LABEL: @b\n// CHECK: ret"],
  ["counted", "// CHECK-COUNT-2: %0"],
])("%s matches", (_name, checks) => {
  expect(fileCheck(checks, output)).toBeUndefined();
});

test.each([
  ["wrong order", "// CHECK: mul\n// CHECK: add"],
  ["not the next line", "// CHECK: @a\n// CHECK-NEXT: mul"],
  ["not the same line", "// CHECK: @a\n// CHECK-SAME: add"],
  ["present though excluded", "// CHECK: @a\n// CHECK-NOT: add\n// CHECK: mul"],
  ["another value", "// CHECK: [[V:%1]] = mul\n// CHECK: [[V]]"],
  ["after the label", "// CHECK-LABEL: @a\n// CHECK: ret\n// CHECK-LABEL: @b"],
  ["no checks", "nothing here"],
])("%s does not match", (_name, checks) => {
  expect(fileCheck(checks, output)).toBeTypeOf("string");
});
