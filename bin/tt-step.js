#!/usr/bin/env node
require("./load.js").load("tt-step").run();
