// Runs the benchmarks as commands are run: from V8's compiled code.
require("../bin/load.js").load("bench").run();
