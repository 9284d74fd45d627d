/** Runs Go test suites of Kubernetes against a kube-apiserver or the chain. `--help` tells the flags. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { hasErrorCode } from '@apichain/meta';
import { startEtcd } from '../../servers/etcd.ts';
import { type Outcome, outcomesOf, summary } from './outcomes.ts';

interface Suite {
  readonly program: string;
  readonly folder: string;
  /** Whether tests with the same flags use one server, one after the other. Otherwise each test has a process, and starts its servers. */
  readonly shared?: boolean;
}

const usage = `node run.ts --programs DIR --tree KUBERNETES_TREE --etcd FILE --server COMMAND [--suite NAME]... [--run PATTERN] [--report FILE.json]

  --programs  the folder of the compiled test programs (README.md)
  --tree      their source: tests read files of it
  --server    the words of the command that starts a server with flags of kube-apiserver, or services, or in-process
  --suite     only these, by the names of their programs: integration, conversion, auth
  --run       only tests whose names match
  --logs      a folder for the output of the tests and of their servers; it is created if it does not exist
  --verbose   writes that output to the terminal, too

The exit code is 0 when no test failed, 1 when some did, 2 for a suite that does not exist.`;

const testTimeout = '300s';

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    programs: { type: 'string' },
    tree: { type: 'string' },
    etcd: { type: 'string' },
    server: { type: 'string' },
    suite: { type: 'string', multiple: true },
    run: { type: 'string', default: '' },
    report: { type: 'string' },
    logs: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});
const { programs, tree, etcd, server } = values;
if (values.help || programs === undefined || tree === undefined || etcd === undefined || server === undefined) {
  console.log(usage);
  process.exit(values.help ? 0 : 1);
}

const chain = `${process.execPath} ${join(import.meta.dirname, 'chain.ts')}`;
const commands = new Map([
  ['services', chain],
  ['in-process', `${chain} --in-process`],
]);
const logs = values.logs === undefined ? undefined : resolve(values.logs);
if (logs !== undefined) mkdirSync(logs, { recursive: true });
const suites = readSuites(values.suite);
const dir = mkdtempSync(join(tmpdir(), 'go-suites-'));
const pids = join(dir, 'pids');
const store = await startEtcd(etcd, dir, ['--quota-backend-bytes=8589934592', '--unsafe-no-fsync']);
const all: Outcome[] = [];
try {
  for (const suite of suites) {
    const name = nameOf(suite);
    for (const pattern of suite.shared === true ? [values.run] : await testsOf(suite)) {
      const output = await runProgram(suite, [
        `-test.run=${pattern}`,
        `-test.timeout=${suite.shared === true ? '60m' : testTimeout}`,
        '-test.v',
      ]);
      const found = outcomesOf(name, output, suite.shared === true ? undefined : pattern.slice(1, -1));
      all.push(...found);
      for (const { test, result, seconds } of found) console.log(`${result.padEnd(14)} ${name}/${test} (${seconds} s)`);
      if (logs !== undefined)
        writeFileSync(join(logs, `${name}${suite.shared === true ? '' : `-${pattern.slice(1, -1)}`}.txt`), output);
    }
  }
} finally {
  endLeftServers();
  await store.process.stop();
  rmSync(dir, { recursive: true, force: true });
}
console.log(summary(all));
if (values.report !== undefined) writeFileSync(values.report, `${JSON.stringify(all, undefined, 1)}\n`);
process.exit(all.some(({ result }) => result === 'failed') ? 1 : 0);

function readSuites(names: readonly string[] | undefined): Suite[] {
  const known = JSON.parse(readFileSync(join(import.meta.dirname, 'suites.json'), 'utf8')) as Suite[];
  if (names === undefined) return known;
  const unknown = names.filter((name) => !known.some((suite) => nameOf(suite) === name));
  if (unknown.length > 0) {
    console.error(`--suite: ${unknown.join(', ')}: the suites are ${known.map(nameOf).join(', ')}`);
    process.exit(2);
  }
  return known.filter((suite) => names.includes(nameOf(suite)));
}

/** The name of a suite's program without its ending. */
function nameOf({ program }: Suite): string {
  return program.replace(/\.test$/, '');
}

/** A pattern for each top-level test of a suite. */
async function testsOf(suite: Suite): Promise<string[]> {
  const list = await runProgram(suite, [`-test.list=${values.run === '' ? '.' : values.run}`]);
  return list
    .split('\n')
    .filter((line) => /^Test\w+$/.test(line))
    .map((name) => `^${name}$`);
}

/** Runs a test program to its end, and ends the servers that it left. Returns what it wrote. */
async function runProgram(suite: Suite, args: readonly string[]): Promise<string> {
  const child = spawn(join(resolve(programs ?? ''), suite.program), args, {
    cwd: join(resolve(tree ?? ''), suite.folder),
    env: {
      ...process.env,
      KUBE_INTEGRATION_ETCD_URL: store.url,
      SUITE_SERVER: commands.get(server ?? '') ?? server,
      SUITE_PIDS: pids,
      SUITE_POOL: String(suite.shared === true),
      ...(logs === undefined ? {} : { SUITE_LOGS: logs }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (values.verbose) process.stderr.write(chunk);
      // All tests are over. The program would wait for the ends of the servers that it shares among them.
      if (/^(PASS|FAIL)$/m.test(chunk.toString())) endLeftServers();
    });
  await new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', done);
  });
  endLeftServers();
  return Buffer.concat(chunks).toString();
}

/** Ends the servers whose test did not. Others have ended, and are not there any more. */
function endLeftServers(): void {
  let text: string;
  try {
    text = readFileSync(pids, 'utf8');
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return;
    throw error;
  }
  rmSync(pids);
  for (const pid of text.split('\n').filter((line) => line !== '')) {
    try {
      process.kill(Number(pid), 'SIGTERM');
    } catch (error) {
      if (!hasErrorCode(error, 'ESRCH')) throw error;
    }
  }
}
