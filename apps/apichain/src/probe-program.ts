import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { probe } from './probe.ts';

/** `apichain probe` as a separate program, for images that contain a single service. */
const { url, 'ca-file': file } = parseArgs({
  options: { url: { type: 'string' }, 'ca-file': { type: 'string' } },
}).values;
if (url === undefined || file === undefined) throw new Error('probe needs --url and --ca-file');
const problem = await probe({ url, ca: readFileSync(file, 'utf8') });
if (problem !== undefined) {
  console.error(`${url}: ${problem}`);
  process.exitCode = 1;
}
