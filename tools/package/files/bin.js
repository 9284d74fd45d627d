#!/usr/bin/env -S MALLOC_ARENA_MAX=1 node --max-semi-space-size=16
// Understood by every Node, so that an old one says what it is instead of failing on what it does not know.
import { problem } from '../lib/node-version.js';

if (problem !== undefined) {
  console.error(problem);
  process.exitCode = 1;
} else {
  await import('../lib/apichain.js');
}
