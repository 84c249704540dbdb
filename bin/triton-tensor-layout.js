#!/usr/bin/env node
require("./load.js").load("triton-tensor-layout").run();
