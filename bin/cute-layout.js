#!/usr/bin/env node
import { run } from "../dist/cute-layout.js";
run();
