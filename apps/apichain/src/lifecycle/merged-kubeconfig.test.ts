import assert from 'node:assert/strict';
import { lstatSync, mkdtempSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { kubeconfigOf } from '@apichain/chain/setup';
import { isRecord, parseYaml } from '@apichain/meta';
import { withFilesLocked } from './file-locks.ts';
import { kubeconfigFiles, mergeIntoFiles, namesOf, removeFromFiles } from './merged-kubeconfig.ts';
import { mergeAndNote, removeNoted } from './noted-merge.ts';

const server = 'https://127.0.0.1:6443';
const pems = { server, ca: 'a', cert: 'b', key: 'c', user: 'admin' };
const config = kubeconfigOf({ ...pems, names: { cluster: 'dev', user: 'admin@dev', context: 'dev' } });

describe('the context of a chain in kubeconfig files', () => {
  let directory: string;
  let a: string;
  let b: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-kubeconfig-'));
    [a, b] = [join(directory, 'a'), join(directory, 'b')];
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  /** A kubeconfig with these names of contexts, each with a cluster and a user of the same name. */
  const write = (path: string, current: string, ...names: string[]) => {
    const entries = (member: string, of: (name: string) => object) =>
      names.map((name) => ({ name, [member]: of(name) }));
    const text = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: entries('cluster', () => ({ server: 'https://other' })),
      users: entries('user', () => ({ token: 't' })),
      contexts: entries('context', (name) => ({ cluster: name, user: name })),
      ...(current === '' ? {} : { 'current-context': current }),
      preferences: {},
    };
    writeFileSync(path, JSON.stringify(text));
  };

  /** The names in a file: current context | clusters | users | contexts. */
  const namesIn = (path: string): string => {
    const document: unknown = parseYaml(readFileSync(path));
    assert.ok(isRecord(document));
    const names = (list: unknown) =>
      Array.isArray(list) ? list.map((entry: unknown) => (isRecord(entry) ? entry['name'] : '?')).join(' ') : '-';
    const current = document['current-context'];
    return [
      typeof current === 'string' ? current : '-',
      ...['clusters', 'users', 'contexts'].map((list) => names(document[list])),
    ].join('|');
  };

  it('are those that kubectl uses, unless others are given', () => {
    const standard = join(homedir(), '.kube/config');
    assert.deepEqual(kubeconfigFiles('', {}), [standard]);
    assert.deepEqual(kubeconfigFiles('', { KUBECONFIG: '' }), [standard]);
    assert.deepEqual(kubeconfigFiles('', { KUBECONFIG: `${a}::${b}:${a}` }), [a, b]);
    assert.deepEqual(kubeconfigFiles(b, { KUBECONFIG: a }), [b]);
    assert.deepEqual(kubeconfigFiles(`~/.kube/config:${b}`, {}), [standard, b]);
  });

  it('goes to the first file that exists, otherwise to the last', async () => {
    assert.equal(await mergeIntoFiles([a, b], config), b);
    assert.equal(existsSync(a), false);
    assert.equal(namesIn(b), 'dev|dev|admin@dev|dev');
    rmSync(b);
    write(b, 'mine', 'mine');
    assert.equal(await mergeIntoFiles([a, b], config), b);
    assert.equal(namesIn(b), 'dev|mine dev|mine admin@dev|mine dev');
    rmSync(b);
    write(a, 'one', 'one');
    write(b, 'two', 'two');
    assert.equal(await mergeIntoFiles([a, b], config), a);
    assert.deepEqual([namesIn(a), namesIn(b)], ['dev|one dev|one admin@dev|one dev', 'two|two|two|two']);
    await removeFromFiles([a, b], namesOf(config));
    assert.deepEqual([namesIn(a), namesIn(b)], ['|one|one|one', 'two|two|two|two']);
  });

  it('stays in the file that has it, and only the current context goes to the first', async () => {
    write(a, '', 'one');
    write(b, 'two', 'two', 'dev');
    assert.equal(await mergeIntoFiles([a, b], config), b);
    assert.deepEqual([namesIn(a), namesIn(b)], ['dev|one|one admin@dev|one', 'two|two dev|two dev|two dev']);
    const merged = parseYaml(readFileSync(b));
    assert.match(JSON.stringify(merged), /"cluster":"dev","user":"admin@dev"/);
    await removeFromFiles([a, b], namesOf(config));
    // The user of that name was there before.
    assert.deepEqual([namesIn(a), namesIn(b)], ['|one|one|one', 'two|two|two dev|two']);
  });

  it('leaves a current context that is the right one already', async () => {
    write(a, '');
    write(b, 'dev');
    await mergeIntoFiles([a, b], config);
    assert.deepEqual([namesIn(a), namesIn(b)], ['-|dev|admin@dev|dev', 'dev|||']);
    await removeFromFiles([a, b], namesOf(config));
    assert.deepEqual([namesIn(a), namesIn(b)], ['-|||', '|||']);
  });

  it('is not removed when another cluster has its name by now, nor is another current context', async () => {
    await mergeIntoFiles([a], config);
    const elsewhere = kubeconfigOf({
      ...pems,
      server: `${server}4`,
      names: { cluster: 'dev', user: 'u', context: 'dev' },
    });
    await mergeIntoFiles([a], elsewhere);
    await removeFromFiles([a], namesOf(config));
    assert.equal(namesIn(a), 'dev|dev|admin@dev u|dev');
    await removeFromFiles([a], namesOf(elsewhere));
    assert.equal(namesIn(a), '||admin@dev|');
    write(b, 'mine', 'mine', 'dev');
    await removeFromFiles([b], { ...namesOf(config), server: 'https://other' });
    assert.equal(namesIn(b), 'mine|mine|mine dev|mine');
  });

  it('keeps links, other members and entries without names, and refuses what is no kubeconfig', async () => {
    write(a, '');
    symlinkSync(a, b);
    await mergeIntoFiles([b], config);
    assert.ok(lstatSync(b).isSymbolicLink());
    assert.match(readFileSync(a, 'utf8'), /^preferences: \{\}$/m);
    writeFileSync(a, 'contexts: [5]');
    await mergeIntoFiles([a], config);
    assert.equal(namesIn(a), 'dev|dev|admin@dev|? dev');
    for (const [text, problem] of [
      ['{', /cannot be read as YAML/],
      ['[]', /is not a kubeconfig/],
      ['users: {}', /is not a kubeconfig/],
    ] as const) {
      writeFileSync(a, text);
      await assert.rejects(mergeIntoFiles([join(directory, 'c'), a], config), problem);
      assert.equal(readFileSync(a, 'utf8'), text);
    }
    assert.equal(existsSync(`${a}.lock`), false);
  });

  it('waits for other programs that change the file', async () => {
    writeFileSync(`${a}.lock`, '');
    const merged = mergeIntoFiles([a], config);
    await sleep(150);
    assert.equal(existsSync(a), false);
    rmSync(`${a}.lock`);
    await merged;
    assert.equal(namesIn(a), 'dev|dev|admin@dev|dev');
    writeFileSync(`${a}.lock`, '');
    await assert.rejects(
      withFilesLocked([a], () => undefined, 60),
      /another program holds .*a\.lock: remove it/,
    );
    assert.equal(existsSync(`${a}.lock`), true);
  });

  it('is removed by the note of a chain that was killed', async () => {
    write(a, 'one', 'one');
    await mergeAndNote(directory, [a, b], config);
    assert.equal(namesIn(a), 'dev|one dev|one admin@dev|one dev');
    await removeNoted(directory);
    assert.equal(namesIn(a), '|one|one|one');
    await removeNoted(directory);
  });
});
