#!/usr/bin/env node
require("../dist/launch.cjs").launch("triton-tensor-layout");
