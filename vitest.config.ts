import { defineConfig } from "vitest/config";

/** Tests of whole programs, terminals and long executions: each file has modules of its own. */
const WHOLE = ["src/{testing,fuzz,cli,tui,simulate}/**/*.test.{ts,tsx}", "src/**/golden.test.ts"];

export default defineConfig({
  test: {
    testTimeout: 180_000,
    hookTimeout: 180_000,
    maxWorkers: 2,
    projects: [
      // Loading the compiler takes longer than most of these files, so they share it.
      { extends: true, test: { name: "unit", include: ["src/**/*.test.{ts,tsx}"], exclude: WHOLE, isolate: false } },
      { extends: true, test: { name: "whole", include: WHOLE } },
    ],
  },
});
