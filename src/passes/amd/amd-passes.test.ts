import { testGoldenPasses } from "../../testing/golden-passes.js";

testGoldenPasses("fixtures/passes/amd");
