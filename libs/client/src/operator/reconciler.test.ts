import assert from 'node:assert/strict';
import { isStatusError, newConflict } from '@apichain/meta';
import type { TransportRequest } from '../transport.ts';
import { setStatusCondition } from './conditions.ts';
import { controller } from './controller.ts';
import { FakeApi, secrets, startTest, until, widget, widgets } from './fake-api.fixture.ts';
import type { KindReference } from './kind.ts';

const inDefault = { ...widgets, namespace: 'default' };
const finalizer = 'example.com/cleanup';
const conflict = newConflict({ group: 'example.com', resource: 'widgets' }, 'a', 'it has been modified');

/** Makes the first requests that `matches` accepts conflicts. */
function conflicts(api: FakeApi, times: number, matches: (request: TransportRequest) => boolean): void {
  let left = times;
  api.before = (request) => {
    if (left > 0 && matches(request)) {
      left--;
      throw conflict;
    }
  };
}

describe('a finalizer of a controller', () => {
  it('is there before an object is reconciled, and goes when finalize has returned', async () => {
    const api = new FakeApi();
    const seen: string[] = [];
    const results = [{ requeueAfter: 1 }, {}];
    const { manager, errors } = await startTest(api, [
      controller({
        for: widgets,
        finalizer: {
          name: finalizer,
          finalize: async ({ object }) => {
            seen.push(`finalize ${object.metadata.name}`);
            return results.shift();
          },
        },
      }).reconcile(async ({ object }) => {
        seen.push(`reconcile ${object.metadata.name} ${object.metadata.finalizers?.join(' ')}`);
      }),
    ]);
    await api.client.create(inDefault, widget('a', 1, { finalizers: ['other'] }));
    await until(() => seen.length > 0);
    assert.equal(seen[0], `reconcile a other ${finalizer}`);
    await api.client.patch(inDefault, 'a', 'merge', { metadata: { finalizers: [finalizer] } });
    await api.client.delete(inDefault, 'a');
    await until(() => seen.filter((line) => line === 'finalize a').length === 2);
    await manager.stop();
    await assert.rejects(api.client.get(inDefault, 'a'), (error) => isStatusError(error, 'NotFound'));
    assert.deepEqual(errors, []);
  });

  it('is added in the place of a conflict, and to no object that is being deleted', async () => {
    const api = new FakeApi();
    conflicts(api, 2, ({ method }) => method === 'PATCH');
    await api.client.create(inDefault, widget('a'));
    await api.client.create(inDefault, widget('going', 1, { finalizers: ['other'] }));
    await api.client.delete(inDefault, 'going');
    const seen: string[] = [];
    const spec = { for: widgets, finalizer: { name: finalizer, finalize: async () => {} } };
    const note = async ({ object }: { object: { metadata: { name: string } } }) => void seen.push(object.metadata.name);
    const { manager, errors } = await startTest(api, [
      controller(spec).reconcile(note),
      controller({ for: widgets, name: 'all', reconcilesDeleted: true }).reconcile(async ({ object }) => {
        seen.push(`all ${object.metadata.name}`);
      }),
    ]);
    await until(() => seen.includes('a') && seen.includes('all going'));
    await manager.stop();
    assert.ok(!seen.includes('going'));
    assert.deepEqual((await api.client.get(inDefault, 'going')).metadata.finalizers, ['other']);
    assert.deepEqual(errors, []);
  });
});

describe('updateStatus', () => {
  it('writes what differs, over the newest state after a conflict', async () => {
    const api = new FakeApi();
    await api.client.create(inDefault, widget('a'));
    conflicts(api, 2, ({ path }) => path.endsWith('/status'));
    let calls = 0;
    const { manager, errors } = await startTest(api, [
      controller({ for: widgets }).reconcile(async ({ object, updateStatus }) => {
        const observed = object.spec.size;
        if (object.status === undefined) await updateStatus({ observed });
        await updateStatus((newest) => ({
          observed,
          conditions: setStatusCondition(newest, { type: 'Ready', status: true, reason: 'Made' }),
        }));
        calls++;
      }),
    ]);
    await until(() => calls >= 2);
    await manager.stop();
    const { status } = await api.client.get(inDefault, 'a');
    assert.deepEqual(
      [status?.observed, status?.conditions?.map(({ type, status: is }) => `${type}=${is}`)],
      [1, ['Ready=True']],
    );
    // Two conflicts, one status, one condition; the second reconcile changed nothing.
    assert.equal(api.writes.filter((write) => write.startsWith('PUT')).length, 4);
    assert.deepEqual(errors, []);
  });

  it('writes what was changed in place', async () => {
    const api = new FakeApi();
    await api.client.create(inDefault, widget('a'));
    let calls = 0;
    const { manager, errors } = await startTest(api, [
      controller({ for: widgets }).reconcile(async ({ object, updateStatus }) => {
        object.status ??= {};
        object.status.observed = 7;
        await updateStatus(object.status);
        await updateStatus((newest) => {
          newest.status ??= {};
          newest.status.conditions = [{ type: 'Ready', status: 'True' }];
          return newest.status;
        });
        calls++;
      }),
    ]);
    await until(() => calls >= 1);
    await manager.stop();
    const { status } = await api.client.get(inDefault, 'a');
    assert.deepEqual(status, { observed: 7, conditions: [{ type: 'Ready', status: 'True' }] });
    assert.deepEqual(errors, []);
  });

  it('does not mind that the object is gone', async () => {
    const api = new FakeApi();
    let calls = 0;
    await api.client.create(inDefault, widget('a'));
    const { manager, errors } = await startTest(api, [
      controller({ for: widgets }).reconcile(async ({ updateStatus }) => {
        await api.client.delete(inDefault, 'a');
        await updateStatus({ observed: 7 });
        calls++;
      }),
    ]);
    await until(() => calls === 1);
    await manager.stop();
    assert.deepEqual(errors, []);
  });
});

describe('apply', () => {
  const nodes: KindReference = { group: '', version: 'v1', kind: 'Node', resource: 'nodes', namespaced: false };

  it('makes the reconciled object the controller of an object in its namespace', async () => {
    const api = new FakeApi();
    const requests: TransportRequest[] = [];
    api.before = (request) => void (request.method === 'PATCH' && requests.push(request));
    await api.client.create(inDefault, widget('a'));
    const failures: string[] = [];
    const { manager } = await startTest(api, [
      controller({ for: widgets, owns: [secrets], name: 'maker' }).reconcile(async ({ apply, event }) => {
        const secret = await apply(secrets, { metadata: { name: 's' }, data: { key: 'dmFsdWU=' } });
        assert.equal(secret.metadata.namespace, 'default');
        for (const [kind, namespace] of [
          [secrets, 'other'],
          [nodes, undefined],
        ] as const)
          await apply(kind, { metadata: { name: 'x', ...(namespace !== undefined && { namespace }) } }).catch(
            ({ message }: Error) => failures.push(message),
          );
        event('Normal', 'Made', 'it is there');
      }),
    ]);
    await until(() => failures.length >= 2 && api.writes.includes('POST /api/v1/namespaces/default/events'));
    await manager.stop();
    const [request] = requests;
    assert.equal(request?.path, '/api/v1/namespaces/default/secrets/s?fieldManager=maker&force=true');
    const { uid = '' } = (await api.client.get(inDefault, 'a')).metadata;
    assert.deepEqual(JSON.parse(String(request?.body)), {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 's',
        namespace: 'default',
        ownerReferences: [
          { apiVersion: 'example.com/v1', kind: 'Widget', name: 'a', uid, controller: true, blockOwnerDeletion: true },
        ],
      },
      data: { key: 'dmFsdWU=' },
    });
    assert.deepEqual(failures.slice(0, 2), [
      "cross-namespace owner references are disallowed, owner's namespace default, obj's namespace other",
      "cluster-scoped resource must not have a namespace-scoped owner, owner's namespace default",
    ]);
  });
});
