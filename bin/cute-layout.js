#!/usr/bin/env node
require("./load.js").load("cute-layout").run();
