#!/usr/bin/env node
import { run } from "../dist/triton-tensor-layout.js";
run();
