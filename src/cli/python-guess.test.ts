/** The command that tt-step proposes if no signature is given: it works when it is pasted. */
import { expect, test } from "vitest";
import { memoryIo } from "../testing/memory-io.js";
import { main } from "./tt-step.js";

const FILE = "fixtures/frontend/guess/kernels.py";

async function proposed(...argv: string[]): Promise<string> {
  const io = memoryIo();
  expect(await main(argv, io)).toBe(2);
  return /^ {2}(tt-step .*(?:\n\(.*)?)$/m.exec(io.err())?.[1] ?? io.err();
}
/** Words of a command as a shell takes them apart. */
const words = (command: string): string[] => [...command.matchAll(/'([^']*)'|(\S+)/g)].map((m) => m[1] ?? m[2]!);

test.each([
  [
    "normalize",
    `tt-step ${FILE} --kernel normalize --signature '*fp32:16, *bf16:16, i32, i32, fp32, False, 256, tl.float32'`,
    "guessed from its use: x",
  ],
  [
    "product",
    `tt-step ${FILE} --kernel product --config 0 --signature '*fp16:16, *i32:16, *fp16:16, i64, fp32, "relu", constexpr, constexpr'`,
    undefined,
  ],
])("the command proposed for %s says what the file says, marks guesses, and works", async (kernel, command, guessed) => {
  const [line, note] = (await proposed(FILE, "--kernel", kernel)).split("\n");
  expect(line).toBe(command);
  if (guessed !== undefined) expect(note).toBe(`(${guessed})`);
  const io = memoryIo();
  expect([await main([...words(line!).slice(1), "--print-after", "0"], io), io.err()]).toEqual([0, ""]);
});
