#!/usr/bin/env node
require("./load.js").load("tt-opt").run();
