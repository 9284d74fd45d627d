import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isWhole, probe } from './probe.ts';

/** `apichain probe` as a separate program, for images that contain a single service. */
const { url, 'ca-file': file } = parseArgs({
  options: { url: { type: 'string' }, 'ca-file': { type: 'string' } },
}).values;
if (!isWhole(url, file)) throw new Error('probe needs --url, and --ca-file unless the URL begins with http://');
const problem = await probe({ url, ...(file === undefined ? {} : { ca: readFileSync(file, 'utf8') }) });
if (problem !== undefined) {
  console.error(`${url}: ${problem}`);
  process.exitCode = 1;
}
