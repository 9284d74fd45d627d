import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startChain } from './chain.ts';
import { call } from './http.ts';

/** A script that records the modules that a process loads, in one file for all processes. */
const recorder = (file: string): string => `
import { registerHooks } from 'node:module';
import { appendFileSync } from 'node:fs';
registerHooks({
  load(url, context, nextLoad) {
    appendFileSync(${JSON.stringify(file)}, url + '\\n');
    return nextLoad(url, context);
  },
});
`;

describe('the libraries loaded at start-up', function () {
  this.timeout(120_000);
  let directory: string;
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'apichain-loaded-'))));
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  for (const [form, args] of Object.entries({ 'three services': [], 'one process': ['--in-process'] }))
    it(`exclude those that create certificates when certificates exist, in ${form}`, async () => {
      const loadedBy = async (name: string): Promise<string> => {
        const file = join(directory, `${name}.txt`);
        const hooks = join(directory, `${name}.mjs`);
        writeFileSync(file, '');
        writeFileSync(hooks, recorder(file));
        const env = { NODE_OPTIONS: `--import=${pathToFileURL(hooks).href}` };
        const chain = await startChain({ args, dataDirectory: join(directory, 'data'), env });
        assert.equal((await call(chain, 'GET', '/api/v1/namespaces')).status, 200);
        await chain.stop();
        return readFileSync(file, 'utf8');
      };
      // The packages, and the module of a bundle that contains them.
      const library = /\/(?:@peculiar|asn1js|reflect-metadata)\/|\/x509-library/;
      assert.match(await loadedBy('first'), library);
      const second = await loadedBy('second');
      assert.match(second, /\/express\/|\/apichain\.js/, 'loads are seen');
      assert.doesNotMatch(second, library);
    });
});
