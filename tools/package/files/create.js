#!/usr/bin/env node
// Understood by every Node: bin/apichain.js says that an old one is too old.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const types = ['api', 'operator', 'control-plane'];
const args = process.argv.slice(2);
const isFolder = args.length > 0 && !args[0].startsWith('-') && !types.includes(args[0]);
process.argv.splice(2, args.length, 'init', ...(isFolder ? ['operator'] : []), ...args);

const manifest = createRequire(import.meta.url).resolve('apichain/package.json');
await import(pathToFileURL(join(dirname(manifest), 'bin/apichain.js')).href);
