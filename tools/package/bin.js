#!/usr/bin/env -S MALLOC_ARENA_MAX=1 node --max-semi-space-size=16
// Understood by every Node, so that an old one says what it is instead of failing on what it does not know.
const [major] = process.versions.node.split('.');
if (Number(major) < 24) {
  console.error(`apichain: Node 24 or newer is needed; this is ${process.version}`);
  process.exitCode = 1;
} else {
  await import('../lib/apichain.js');
}
