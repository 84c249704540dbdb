// The other thread of the terminal UI (`src/tui/second-thread.ts`).
require("./load.js").load("tt-step").work();
