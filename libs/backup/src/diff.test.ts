import assert from 'node:assert/strict';
import { applyMergePatch } from '@apichain/meta';
import { BackupObjects } from './backup-objects.ts';
import { diffBackups, type DiffOptions, mergePatchOf } from './diff.ts';
import { collected, configMap, inJson, inProtobuf, stored } from './objects.fixture.ts';

type Values = Parameters<typeof BackupObjects.of>[0];

const changes = async (before: Values, after: Values, options?: DiffOptions) =>
  collected(diffBackups(await BackupObjects.of(before), await BackupObjects.of(after), options));

const key = (name: string) => `/configmaps/shop/${name}`;

describe('the difference of two backups', () => {
  it('is what was created, deleted and changed, with a merge patch each', async () => {
    const gone = inJson(key('gone'), configMap('gone', {}));
    const before = [
      gone,
      inJson(key('same'), configMap('same', {})),
      inJson(key('b'), configMap('b', { x: '1', y: '2' })),
    ];
    const after = [
      inProtobuf(key('same'), configMap('same', {})),
      inProtobuf(key('b'), configMap('b', { x: '1', y: '3', z: '4' })),
      inJson(key('a'), configMap('a', { new: 'yes' })),
    ];
    const about = { resource: 'configmaps', apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop' };
    assert.deepEqual(JSON.parse(JSON.stringify(await changes(before, after))), [
      { change: 'created', ...about, name: 'a', patch: configMap('a', { new: 'yes' }) },
      { change: 'changed', ...about, name: 'b', patch: { data: { y: '3', z: '4' } } },
      { change: 'deleted', ...about, name: 'gone', patch: null },
    ]);
    const chosen = await changes(before, after, { includes: ({ name }) => name === 'gone' });
    assert.deepEqual(
      chosen.map(({ name }) => name),
      ['gone'],
    );
  });

  it('has no bookkeeping of servers, and a status unless it is not wanted', async () => {
    const pod = (metadata: object, phase: string) =>
      inJson('/pods/shop/p', {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p', ...metadata },
        spec: {},
        status: { phase },
      });
    const managedFields = [{ manager: 'm' }];
    const before = [pod({ generation: 1 }, 'Pending')];
    assert.deepEqual(await changes(before, [pod({ generation: 2, managedFields }, 'Pending')]), []);
    const [counted] = await changes(before, [pod({ managedFields }, 'Pending')], { managedFields: true });
    assert.deepEqual(counted?.patch, { metadata: { managedFields } });
    const running = [pod({}, 'Running')];
    assert.deepEqual((await changes(before, running))[0]?.patch, { status: { phase: 'Running' } });
    assert.deepEqual(await changes(before, running, { status: false }), []);
  });

  it('tells that Secrets changed, and not how unless that is wanted', async () => {
    const applied = 'kubectl.kubernetes.io/last-applied-configuration';
    const secret = (data: object, annotations: object) =>
      inJson('/secrets/shop/s', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', annotations }, data });
    const before = [secret({ a: 'b25l', b: 'dHdv' }, { [applied]: '{"one"}', team: 'red' })];
    const after = [secret({ a: 'dHJlZQ==' }, { [applied]: '{"three"}', team: 'blue' })];
    const [masked] = await changes(before, after);
    assert.deepEqual(masked?.patch, {
      metadata: { annotations: { [applied]: '***', team: 'blue' } },
      data: { a: 'Kioq', b: null },
    });
    const [created] = await changes([], after);
    assert.doesNotMatch(JSON.stringify(created), /dHJlZQ|three/);
    const [open] = await changes(before, after, { showSecrets: true });
    assert.deepEqual(open?.patch, {
      metadata: { annotations: { [applied]: '{"three"}', team: 'blue' } },
      data: { a: 'dHJlZQ==', b: null },
    });
  });

  it('names what cannot be read, if its bytes changed', async () => {
    const value = (text: string) => stored('/secrets/shop/s', `k8s:enc:aescbc:v1:key1:${text}`);
    assert.deepEqual(await changes([value('a')], [value('a')]), []);
    const [change] = await changes([value('a')], [value('b')]);
    assert.deepEqual([change?.change, change?.patch], ['changed', {}]);
    assert.match(change?.unreadable ?? '', /^it is encrypted at rest/);
  });

  it('is a patch that makes the new object of the old one', () => {
    const before = { a: 1, b: { c: [1, 2], d: 'x' }, e: 'gone', f: { g: 1 } };
    const after = { a: 1, b: { c: [2], d: 'x', h: {} }, f: 'text' };
    const patch = mergePatchOf(before, after);
    assert.deepEqual(patch, { e: null, b: { c: [2], h: {} }, f: 'text' });
    assert.deepEqual(applyMergePatch(before, patch), after);
    assert.equal(mergePatchOf(before, structuredCopy(before)), undefined);
  });
});

const structuredCopy = (value: object): unknown => JSON.parse(JSON.stringify(value));
