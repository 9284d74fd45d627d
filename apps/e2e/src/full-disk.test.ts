import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Chain, runUp, startChain } from './chain.ts';
import { withoutProgress } from './command-line.ts';
import { call } from './http.ts';
import { freePort } from '@apichain/meta';

const configMaps = '/api/v1/namespaces/default/configmaps';
const pageBytes = 4096;

const policy = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules: [{level: Metadata}]
`;

/** Limits the file size of processes, so that writes fail as on a full disk until the limit is lifted. Needs no privileges. */
function setDiskFull(pids: readonly number[], bytes: number | undefined): void {
  for (const pid of pids) execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes ?? 'unlimited'}:unlimited`]);
}

const filesIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

const forms = { 'three services': [], 'one process': ['--in-process'] };

for (const [form, args] of Object.entries(forms))
  describe(`a full disk under ${form}`, () => {
    let directory: string;
    let chain: Chain;
    let audit: string;
    before(async () => {
      directory = mkdtempSync(join(tmpdir(), 'apichain-full-disk-'));
      const policyFile = join(directory, 'policy.yaml');
      writeFileSync(policyFile, policy);
      audit = join(directory, 'audit.log');
      const flags = [`--audit-policy-file=${policyFile}`, `--audit-log-path=${audit}`];
      chain = await startChain({ args: [...args, ...flags], dataDirectory: join(directory, 'data') });
    });
    after(async () => {
      await chain?.stop();
      rmSync(directory, { recursive: true, force: true });
    });

    const create = (name: string) =>
      call(chain, 'POST', configMaps, {
        body: JSON.stringify({ metadata: { name }, data: { x: 'x'.repeat(pageBytes) } }),
      });
    const exists = async (name: string) => (await call(chain, 'GET', `${configMaps}/${name}`)).status;

    it('is reported to clients and in the log, and service resumes when there is space', async function () {
      this.timeout(480_000);
      const pids = [...new Set(Object.values(chain.pids()))];
      const supervisor = Number(readFileSync(join(chain.dataDirectory, 'lock'), 'utf8'));
      pids.push(supervisor);
      const acknowledged: string[] = [];
      const refused: string[] = [];
      for (let round = 0; round < 3; round++) {
        for (const name of [`before-${round}-a`, `before-${round}-b`]) {
          assert.equal((await create(name)).status, 201);
          acknowledged.push(name);
        }
        const largest = Math.max(...filesIn(directory).map((file) => statSync(file).size));
        // The next write fits only in part.
        setDiskFull(pids, largest + 100);
        for (let i = 0; i < 20; i++) {
          const name = `full-${round}-${i}`;
          const { status, headers, text } = await create(name);
          if (status === 201) {
            acknowledged.push(name);
            continue;
          }
          refused.push(name);
          assert.equal(status, 500, text);
          assert.match(text, /no space left on the disk of the store/);
          assert.equal(headers['retry-after'], '5');
          // Reads are still served.
          assert.equal(await exists(name), 404);
        }
        assert.equal(await exists(`before-${round}-a`), 200);
        setDiskFull(pids, undefined);
      }
      assert.ok(refused.length > 10, `${refused.length} writes were refused`);
      assert.equal((await create('after')).status, 201);
      const logs = filesIn(join(chain.dataDirectory, 'logs'))
        .map((file) => readFileSync(file, 'utf8'))
        .join('\n');
      assert.match(`${logs}${chain.output()}`, /no space left on the disk of the store/);
      assert.match(`${logs}${chain.output()}`, /the store can be written again/);
      const check = async () => {
        for (const name of [...acknowledged, 'after']) assert.equal(await exists(name), 200, name);
        for (const name of refused) assert.equal(await exists(name), 404, name);
      };
      await check();
      const lines = readFileSync(audit, 'utf8').trim().split('\n');
      for (const line of lines) assert.match(line, /^\{"kind":"Event".*\}$/, 'no half of a line is in the audit log');
      assert.ok(
        lines.some((line) => line.includes('"name":"after"')),
        'auditing goes on',
      );
      assert.deepEqual(
        [...new Set(Object.values(chain.pids()))],
        pids.filter((pid) => pid !== supervisor || args.length > 0).filter((pid, i, all) => all.indexOf(pid) === i),
        'nothing was started again',
      );
      await chain.stop();
      chain = await startChain({ args, dataDirectory: join(directory, 'data') });
      await check();
    });
  });

describe('a data directory whose log was lost', () => {
  it('is refused at start-up with advice, and not changed', async function () {
    this.timeout(480_000);
    const dataDirectory = mkdtempSync(join(tmpdir(), 'apichain-lost-'));
    try {
      const chain = await startChain({ dataDirectory });
      await chain.stop();
      const store = join(dataDirectory, 'embedded-etcd');
      const [log = ''] = readdirSync(store).filter((name) => name.startsWith('log-'));
      truncateSync(join(store, log), 0);
      for (const form of Object.values(forms)) {
        const child = runUp([`--data-dir=${dataDirectory}`, `--secure-port=${await freePort()}`, ...form]);
        let output = '';
        child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
        const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
        assert.equal(code, 1, output);
        const [line, ...more] = withoutProgress(output).filter((text) => !text.startsWith('npm'));
        assert.match(
          line ?? '',
          /^apichain: embedded etcd: .* has lost all of its writes .*: restore its files or a snapshot/,
        );
        assert.deepEqual(more, []);
      }
      assert.equal(statSync(join(store, log)).size, 0);
    } finally {
      rmSync(dataDirectory, { recursive: true, force: true });
    }
  });
});
