import { expect, test } from "vitest";
import { xxh3 } from "./xxh3.js";

// Values of the reference implementation (python-xxhash 4.1.0).
test.each([
  [0, "2d06800538d394c2"],
  [3, "78af5f94892f3950"],
  [8, "6f45a76842a96483"],
  [16, "857bdc5800031f01"],
  [100, "60323334d4ff1be9"],
  [128, "f49b8c658d996da2"],
  [240, "e12147fc00ff9053"],
  [241, "703bd1488442d436"],
  [1025, "8f4555650cd4953d"],
  [3000, "da2f986970e9aa06"],
])("the hash of %i bytes", (length, hash) => {
  expect(xxh3("abcdefghij".repeat(400).slice(0, length)).toString(16)).toBe(hash);
});
