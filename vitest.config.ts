import { defineConfig } from "vitest/config";

/** Tests of whole programs, terminals and long executions. */
const WHOLE = ["src/{testing,fuzz,cli,tui,simulate}/**/*.test.{ts,tsx}", "src/**/golden.test.ts"];
/** Tests that replace a module by another one: each file has modules of its own. */
const MOCKED = ["src/cli/file-faults.test.ts", "src/simulate/interpreted-validation.test.ts"];
/** Tests of the built package. */
const PACKAGE = ["src/testing/terminal/*.test.ts", "src/cli/code-cache.test.ts"];

export default defineConfig({
  test: {
    // For programs that hang: a loaded machine may be ten times slower than an idle one.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 2,
    setupFiles: "src/testing/property-seed.ts",
    projects: [
      // Loading the compiler takes longer than most files, so they share it.
      { extends: true, test: { name: "unit", include: ["src/**/*.test.{ts,tsx}"], exclude: [...WHOLE, ...PACKAGE], isolate: false } },
      { extends: true, test: { name: "whole", include: WHOLE, exclude: [...MOCKED, ...PACKAGE], isolate: false } },
      { extends: true, test: { name: "mocked", include: MOCKED } },
      { extends: true, test: { name: "package", include: PACKAGE, globalSetup: "src/testing/built.ts" } },
    ],
  },
});
