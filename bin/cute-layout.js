#!/usr/bin/env node
require("../dist/launch.cjs").launch("cute-layout");
