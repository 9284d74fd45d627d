import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeAbandonedDirectories } from './temporary-directory.ts';

const module = join(import.meta.dirname, 'temporary-directory.ts');
const twoHours = 2 * 60 * 60;

describe('the temporary directory of a test process', () => {
  let parent: string;
  beforeEach(() => (parent = mkdtempSync(join(tmpdir(), 'apichain-parent-'))));
  afterEach(() => rmSync(parent, { recursive: true, force: true }));

  /** The source of a process that makes a directory below `parent`, and what it does then. */
  const program = (then: string) =>
    `import { makeTemporaryDirectory } from ${JSON.stringify(module)};
     import { writeFileSync } from 'node:fs';
     const directory = makeTemporaryDirectory(${JSON.stringify(parent)});
     writeFileSync(directory + '/ca.key', 'secret');
     process.stdout.write(directory);
     ${then}`;
  const args = (then: string) => ['--input-type=module', '-e', program(then)];

  async function startAndKill(): Promise<string> {
    const child = spawn(process.execPath, args('setInterval(() => undefined, 1000);'));
    const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
    const directory = chunk.toString();
    assert.equal(statSync(directory).mode & 0o777, 0o700);
    removeAbandonedDirectories(parent);
    assert.ok(existsSync(join(directory, 'ca.key')), 'the process is still running');
    child.kill('SIGKILL');
    await once(child, 'close');
    return directory;
  }

  for (const [how, then] of [
    ['ends without stop', ''],
    ['calls process.exit', 'process.exit(3);'],
    ['fails with an error that nobody catches', "throw new Error('broken');"],
  ] as const)
    it(`is removed when the process ${how}`, () => {
      const { stdout } = spawnSync(process.execPath, args(then), { encoding: 'utf8' });
      assert.match(stdout, /apichain-test-/);
      assert.deepEqual(readdirSync(parent), []);
    });

  it('is removed by a later process when the process was killed', async () => {
    const directory = await startAndKill();
    assert.ok(existsSync(directory));
    spawnSync(process.execPath, args(''));
    assert.deepEqual(readdirSync(parent), []);
  });

  it('stays when it belongs to a process of another host', () => {
    const other = join(parent, 'apichain-test-abcdef');
    mkdirSync(other);
    writeFileSync(join(other, 'owner.json'), JSON.stringify({ pid: 2 ** 22 + 1, place: 'elsewhere' }));
    removeAbandonedDirectories(parent);
    assert.ok(existsSync(other));
  });

  it('is removed without an owner when it is old', () => {
    const [fresh, old] = [join(parent, 'apichain-test-fresh'), join(parent, 'apichain-test-old')];
    mkdirSync(fresh);
    mkdirSync(old);
    writeFileSync(join(old, 'owner.json'), '{"pid":');
    const then = Date.now() / 1000 - twoHours;
    utimesSync(old, then, then);
    removeAbandonedDirectories(parent);
    assert.deepEqual(readdirSync(parent), ['apichain-test-fresh']);
  });

  it('leaves other directories alone', () => {
    mkdirSync(join(parent, 'apichain-tests'));
    removeAbandonedDirectories(parent);
    assert.deepEqual(readdirSync(parent), ['apichain-tests']);
  });
});
