import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@apichain/meta';
import { type Chain, startChain, waitFor } from './chain.ts';
import { failsWith, succeeds } from './command-line.ts';
import { call } from './http.ts';

const configMap = (name: string, value = 'a') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {value: ${value}}\n`;

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}
`;
const widget = 'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, namespace: shop}\nspec: {size: 1}\n';
const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n';

describe('a chain with manifests', () => {
  let directory: string;
  let folder: string;
  let chain: Chain | undefined;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-manifests-'));
    folder = join(directory, 'manifests');
    mkdirSync(folder);
  });
  afterEach(async () => {
    await chain?.stop();
    chain = undefined;
    rmSync(directory, { recursive: true, force: true });
  });

  const dataDirectory = () => join(directory, 'data');
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  async function start(...args: string[]): Promise<Chain> {
    chain = await startChain({ dataDirectory: dataDirectory(), args: ['--in-process', '--apis=minimal', ...args] });
    return chain;
  }
  const prints = (pattern: RegExp, running: Chain) =>
    waitFor(
      () => pattern.test(running.output()),
      10_000,
      () => running.output(),
    );
  async function isThere({ admin, url }: Chain, path: string): Promise<boolean> {
    return (await call({ admin, url }, 'GET', path)).status === 200;
  }
  const configMaps = '/api/v1/namespaces/default/configmaps';
  const widgets = '/apis/example.com/v1/namespaces/shop/widgets';

  it('applies what changes, prunes what has left, and goes on after mistakes', async () => {
    // In an order in which the server would refuse all but the last.
    write('a.yaml', `${widget}---\n${configMap('first')}---\n${definition}---\n${namespace}`);
    write('b.json', JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'second' } }));
    const running = await start('-f', folder, '--watch');
    await prints(/^manifests: 5 created$/m, running);
    assert.match(running.output(), /^widget\.example\.com\/w created$/m);
    assert.ok(await isThere(running, `${widgets}/w`));

    write('b.json', '{');
    await prints(/^apichain: \S+b\.json: yaml: line 1: /m, running);
    // Nothing is pruned while a file cannot be read.
    write('a.yaml', `${widget.replace('size: 1', 'size: x')}---\n${definition}---\n${namespace}`);
    await prints(
      /^apichain: \S+a\.yaml, document 1: widget\.example\.com\/w: .*\.spec\.size: expected numeric/m,
      running,
    );
    assert.ok(await isThere(running, `${configMaps}/first`));
    assert.doesNotMatch(running.output(), /pruned/);

    // An editor writes another file and puts it in the place of the first.
    write('.a.yaml.swp', `${widget.replace('size: 1', 'size: 2')}---\n${definition}---\n${namespace}`);
    renameSync(join(folder, '.a.yaml.swp'), join(folder, 'a.yaml'));
    rmSync(join(folder, 'b.json'));
    await prints(/^widget\.example\.com\/w configured$/m, running);
    await prints(/^configmap\/first pruned$/m, running);
    await prints(/^configmap\/second pruned$/m, running);
    assert.ok(!(await isThere(running, `${configMaps}/first`)));

    write('c.yaml', configMap('third'));
    await prints(/^configmap\/third created$/m, running);
    write('c.yaml', `# The same.\n${configMap('third')}`);
    write('d.yaml', `${configMap('third')}`);
    await prints(/d\.yaml: configmap\/third is in \S+c\.yaml, too$/m, running);
    assert.doesNotMatch(running.output(), /configmap\/third configured/);
    rmSync(join(folder, 'd.yaml'));

    // What leaves while no chain runs is pruned by the next one, the objects of a definition before it.
    assert.equal(await running.stop(), 0);
    rmSync(join(folder, 'a.yaml'));
    const next = await start('-f', join(folder, 'c.yaml'));
    assert.match(next.output(), /^manifests: 1 unchanged, 3 pruned$/m);
    assert.match(
      next.output(),
      /widget\.example\.com\/w pruned[^]*widgets\.example\.com pruned[^]*namespace\/shop pruned/,
    );
    assert.ok(await isThere(next, `${configMaps}/third`));
  });

  it('follows folders below the folder with -R, also when they are made anew', async () => {
    const below = join(folder, 'below');
    const running = await start('--memory', '-f', folder, '-R', '--watch');
    await prints(/manifests: no manifest is in it \(\.yaml, \.yml or \.json\)$/m, running);
    mkdirSync(below);
    writeFileSync(join(below, 'a.yaml'), configMap('one'));
    await prints(/^configmap\/one created$/m, running);
    rmSync(folder, { recursive: true });
    await prints(/manifests: no such file or folder$/m, running);
    mkdirSync(below, { recursive: true });
    writeFileSync(join(below, 'b.yaml'), configMap('two'));
    await prints(/^configmap\/two created$/m, running);
    await prints(/^configmap\/one pruned$/m, running);
  });

  it('does not start without --watch if something is refused', async () => {
    write('a.yaml', `${configMap('fine')}---\napiVersion: example.com/v1\nkind: Nothing\nmetadata: {name: x}\n`);
    const args = ['--in-process', '--memory', '--apis=minimal', '--data-dir', dataDirectory(), '-f', folder];
    const line = /document 2: nothing\.example\.com\/x: no matches for kind "Nothing" in version "example\.com\/v1"/;
    const port = `--secure-port=${await freePort()}`;
    const printed = await failsWith(/^apichain: -f: 1 created, 1 not applied$/m, 'up', '--detach', port, ...args);
    assert.equal(printed, '');
    assert.match(await succeeds('logs', 'up', '--data-dir', dataDirectory()), line);
    await failsWith(/no chain runs on/, 'status', '--data-dir', dataDirectory());
  });

  for (const [form, args] of Object.entries({ 'one process': ['--memory'], 'three services': ['--in-process=false'] }))
    it(`is reset to its seed while it runs (${form})`, async () => {
      write('a.yaml', `${widget}---\n${configMap('first')}---\n${definition}---\n${namespace}`);
      const running = await start(...args, '-f', folder);
      const { admin, url } = running;
      await call({ admin, url }, 'POST', configMaps, {
        body: configMap('mine'),
        headers: { 'content-type': 'application/yaml' },
      });
      assert.ok(await isThere(running, `${configMaps}/mine`));
      await call(
        { admin, url },
        'DELETE',
        '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com',
      );
      await call({ admin, url }, 'DELETE', `${configMaps}/first`);
      const printed = await succeeds('reset', '--data-dir', dataDirectory());
      assert.match(printed, form === 'one process' ? /^reset to the seed/ : /^apichain is ready at [^]*4 created$/m);
      assert.ok(await isThere(running, `${widgets}/w`));
      assert.ok(await isThere(running, `${configMaps}/first`));
      assert.ok(!(await isThere(running, `${configMaps}/mine`)));
      assert.equal(await running.stop(), 0);
      chain = undefined;
      const again = () => ['reset', '--data-dir', dataDirectory()] as const;
      if (form === 'three services') assert.match(await succeeds(...again()), /starts with an empty store$/m);
      await failsWith(/holds no store: a chain with --memory starts empty, and the etcd/, ...again());
      assert.ok(!existsSync(join(dataDirectory(), 'embedded-etcd')));
    });

  it('never empties an etcd that is not its own', async () => {
    const owner = await start('--memory');
    const etcd = readFileSync(join(dataDirectory(), 'store-url'), 'utf8').trim();
    const other = join(directory, 'other');
    const args = ['--in-process', '--apis=minimal', `--etcd-servers=${etcd}`];
    const user = await startChain({ dataDirectory: other, args });
    try {
      await failsWith(
        /are in the etcd of --etcd-servers \(unix:.*\), which is not emptied$/m,
        'reset',
        '--data-dir',
        other,
      );
      assert.ok(await isThere(owner, '/api/v1/namespaces/default'));
    } finally {
      await user.stop();
    }
  });
});
