import assert from 'node:assert/strict';
import { attributesOf } from './attributes.fixture.ts';
import { setTimeout as delay } from 'node:timers/promises';
import type { Storage, StoredList, WatchStream } from '@apichain/storage';
import { FollowedCopy, type Copy } from './followed-copy.ts';
import { NodeAuthorizer } from './node/node-authorizer.ts';
import { NodeGraph } from './node/node-graph.ts';
import { RbacAuthorizer } from './rbac/authorizer.ts';
import type { RoleBinding, RoleSource } from './rbac/role-source.ts';

const asked = attributesOf({
  user: { name: 'alice', uid: '', groups: [], extra: {} },
  resource: 'secrets',
  name: 'a',
});
const role = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'all' };

/** The binding is present from the `from`th call of catchUp. */
class LateRoles implements RoleSource, Copy {
  version = 0;
  caughtUp = 0;
  readonly #from: number;
  constructor(from: number) {
    this.#from = from;
  }
  async catchUp(): Promise<void> {
    if (++this.caughtUp >= this.#from) this.version++;
  }
  clusterRoleBindings(): readonly RoleBinding[] {
    const subjects = [{ kind: 'User', name: 'alice', namespace: '', apiGroup: '' }];
    return this.caughtUp < this.#from ? [] : [{ name: 'b', namespace: '', roleRef: role, subjects }];
  }
  roleBindings = () => [];
  rulesOf = () => [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }];
}

const unused = () => assert.fail('not for this test');

/** Never responds; `onList` is called for every list. */
class MuteStorage implements Storage {
  readonly #onList: () => void;
  readonly create = unused;
  readonly get = unused;
  readonly guaranteedUpdate = unused;
  readonly delete = unused;
  readonly count = unused;
  readonly currentRevision = unused;
  readonly cachedCopy = unused;
  constructor(onList: () => void) {
    this.#onList = onList;
  }
  list(): Promise<StoredList> {
    this.#onList();
    return new Promise(() => undefined);
  }
  watch(): Promise<WatchStream> {
    return new Promise(() => undefined);
  }
  async close() {}
}

describe('authorizers over a cached copy', () => {
  it('deny only after the copy is up to date', async () => {
    const late = new LateRoles(1);
    const authorizer = new RbacAuthorizer(late, late);
    assert.equal((await authorizer.authorize(asked)).decision, 'Allow');
    assert.equal(late.caughtUp, 1);
    assert.equal((await authorizer.authorize(asked)).decision, 'Allow');
    assert.equal(late.caughtUp, 1, 'what the copy allows waits for nothing');
    const never = new LateRoles(2);
    assert.equal((await new RbacAuthorizer(never, never).authorize(asked)).decision, 'NoOpinion');
  });

  it('need the graph of nodes only when the right of a node depends on it', async () => {
    const graph = new NodeGraph();
    let caughtUp = 0;
    const copy = {
      version: 0,
      catchUp: async () => {
        caughtUp++;
        copy.version++;
        const spec = { nodeName: 'n1', volumes: [{ name: 'v', secret: { secretName: 'a' } }] };
        graph.putPod({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'ns' }, spec });
      },
    };
    const authorizer = new NodeAuthorizer(graph, copy);
    const node = { name: 'system:node:n1', uid: '', groups: ['system:nodes'], extra: {} };
    assert.equal((await authorizer.authorize(asked)).decision, 'NoOpinion');
    assert.equal((await authorizer.authorize({ ...asked, user: node, verb: 'create' })).decision, 'NoOpinion');
    assert.equal(caughtUp, 0);
    assert.equal((await authorizer.authorize({ ...asked, user: node })).decision, 'Allow');
    assert.equal(caughtUp, 1);
  });

  it('share reads of the copy: at most one runs and one waits', async () => {
    let lists = 0;
    const wanted = Promise.withResolvers<void>();
    const copy = new FollowedCopy([{ resource: { group: '', resource: 'things' }, onChange: () => undefined }]);
    const storage = new MuteStorage(() => undefined);
    storage.list = async () => {
      lists++;
      if (lists > 1) await wanted.promise;
      return { items: [], revision: lists };
    };
    const ended = new AbortController();
    const stores = () => ({ storage, prefix: '/things' });
    await copy.start({ stores, onError: unused }, ended.signal);
    assert.equal(lists, 1);
    const all = Array.from({ length: 1_000 }, () => copy.catchUp());
    await delay(5);
    wanted.resolve();
    await Promise.all(all);
    assert.equal(lists, 3);
    ended.abort();
  });

  it('wait for an unavailable store at intervals, and briefly', async () => {
    let lists = 0;
    const copy = new FollowedCopy([{ resource: { group: '', resource: 'things' }, onChange: () => undefined }]);
    const storage = new MuteStorage(() => lists++);
    const ended = new AbortController();
    void copy.start({ stores: () => ({ storage, prefix: '/things' }), onError: () => undefined }, ended.signal);
    await Promise.all(Array.from({ length: 100 }, () => copy.catchUp()));
    const asked = lists;
    for (let i = 0; i < 100; i++) await copy.catchUp();
    assert.equal(lists, asked);
    assert.ok(asked <= 3, `${asked} lists`);
    ended.abort();
  });

  it('decide by every acknowledged write after a refresh, however slow the store and its watch are', async () => {
    let lists = 0;
    const copy = new FollowedCopy([{ resource: { group: '', resource: 'things' }, onChange: () => undefined }]);
    // The watch never reports anything.
    const storage = new MuteStorage(() => undefined);
    const slow = Promise.withResolvers<void>();
    storage.list = async () => {
      if (++lists === 2) await slow.promise;
      return { items: [], revision: lists };
    };
    const ended = new AbortController();
    await copy.start({ stores: () => ({ storage, prefix: '/things' }), onError: unused }, ended.signal);
    await copy.catchUp();
    assert.equal(lists, 2, 'a decision no longer waits for the read');
    await copy.refresh();
    assert.equal(lists, 3);
    slow.resolve();
    storage.list = async () => Promise.reject(new Error('etcd is away'));
    await assert.rejects(copy.refresh(), /etcd is away/);
    ended.abort();
  });

  it('need no refresh of what nobody follows', () => new FollowedCopy([]).refresh());

  it('keep the last copy while it cannot be read', async () => {
    const copy = new FollowedCopy([{ resource: { group: '', resource: 'things' }, onChange: () => undefined }]);
    await copy.catchUp();
    assert.equal(copy.version, 0);
    assert.equal((await new RbacAuthorizer(new LateRoles(9), copy).authorize(asked)).decision, 'NoOpinion');
  });
});
