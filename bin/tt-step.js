#!/usr/bin/env node
import { run } from "../dist/tt-step.js";
run();
