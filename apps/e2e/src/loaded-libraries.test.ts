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
  this.timeout(480_000);
  let directory: string;
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'apichain-loaded-'))));
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  /** Starts a chain with the flags, gets its namespaces, and stops it. Returns the URLs of the modules that it loaded. */
  async function loadedBy(name: string, args: readonly string[]): Promise<string> {
    const file = join(directory, `${name}.txt`);
    const hooks = join(directory, `${name}.mjs`);
    writeFileSync(file, '');
    writeFileSync(hooks, recorder(file));
    const env = { NODE_OPTIONS: `--import=${pathToFileURL(hooks).href}` };
    const chain = await startChain({ args, dataDirectory: join(directory, 'data'), env });
    assert.equal((await call(chain, 'GET', '/api/v1/namespaces')).status, 200);
    await chain.stop();
    const loaded = readFileSync(file, 'utf8');
    assert.match(loaded, /\/express\/|\/apichain\.js/, 'loads are seen');
    return loaded;
  }
  // The packages, and the module of a bundle that contains them.
  const certificateLibrary = /\/(?:@peculiar|asn1js|reflect-metadata)\/|\/x509-library/;

  for (const [form, args] of Object.entries({ 'three services': [], 'one process': ['--in-process'] }))
    it(`exclude those that create certificates, which another process does, in ${form}`, async () => {
      assert.match(import.meta.resolve('@peculiar/x509'), certificateLibrary);
      assert.doesNotMatch(await loadedBy('first', args), certificateLibrary);
      assert.doesNotMatch(await loadedBy('second', args), certificateLibrary);
    });

  for (const [form, args] of Object.entries({ 'three services': [], 'one process': ['--in-process'] }))
    it(`have nothing of a simulation, nor controllers of workloads, in ${form}`, async () => {
      const simulation =
        /\/libs\/(?:simulation|scheduler|simulated-nodes)\/|\/controllers\/src\/(?:deployment|job|statefulset)\//;
      const own = (loaded: string) => loaded.split('\n').filter((url) => simulation.test(url));
      assert.deepEqual(own(await loadedBy('without', args)), []);
    });

  it('exclude those of connections, files and forwarded requests in a minimal chain in memory', async () => {
    const minimal = ['--in-process', '--memory', '--apis=minimal'];
    await loadedBy('first', minimal);
    const second = await loadedBy('second', minimal);
    assert.doesNotMatch(second, /node:sqlite|\/(?:@grpc|etcd3|http-proxy-middleware|ws|cbor2)\//);
    assert.doesNotMatch(second, certificateLibrary);
    assert.doesNotMatch(second, /\/libs\/console\//);
  });
});
