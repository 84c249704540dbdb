#!/usr/bin/env node
import { run } from "../dist/tt-opt.js";
run();
