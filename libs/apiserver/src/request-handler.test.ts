import assert from 'node:assert/strict';
import https from 'node:https';
import type { AuthorizationAttributes, Authorizer } from '@apichain/authz';
import type {
  DeleteOptions,
  GuaranteedUpdateOptions,
  StorageListOptions,
  SelectionPredicate,
  StorageWatchOptions,
} from '@apichain/storage';
import { KeyExistsError } from '@apichain/storage';
import type { KubeObject } from '@apichain/meta';
import fc from 'fast-check';
import type { DelegationTarget } from '@apichain/delegation';
import { HttpDelegationTarget } from '@apichain/delegation';
import { InProcessDelegationTarget } from '@apichain/delegation';
import { createCustomResourceHandler, createGroupVersionHandler } from './installer.ts';
import { MemoryStorage } from './registry/memory-storage.fixture.ts';
import { defineWidgets, widget } from './registry/widgets.fixture.ts';
import { type TestServer, TestServers } from './server.fixture.ts';
import type { GenericApiServer } from './server.ts';

const groupVersion = { group: 'test.example.com', version: 'v1' };
const root = '/test.example.com/widgets/';

/** A store operation of a request. */
interface Act {
  readonly verbs: readonly string[];
  /** '' = all namespaces. */
  readonly namespace: string;
  /** '' = all objects of the namespace; undefined = the name is in the body. */
  readonly name: string | undefined;
  /** For a list or watch: whether it can select an object of that name. */
  readonly selects?: (name: string) => boolean;
}

let acts: Act[] = [];
let asked: AuthorizationAttributes[] = [];

const done = (verbs: readonly string[], key: string) => {
  const [namespace = '', name = ''] = key.slice(root.length).split('/');
  acts.push({ verbs, namespace, name });
};

const selected = (verbs: readonly string[], directory: string, { matches }: SelectionPredicate) => {
  const [namespace = ''] = directory.slice(root.length).split('/');
  const attributes = (name: string) => ({
    name,
    namespace,
    labels: {},
    fields: { 'metadata.name': name, 'metadata.namespace': namespace },
  });
  acts.push({ verbs, namespace, name: '', selects: (name) => matches(attributes(name)) });
};

/** A storage with two widgets in each of two namespaces. It records all operations. */
class NotingStorage extends MemoryStorage {
  #watches = false;
  override create(key: string, object: KubeObject) {
    const [namespace = ''] = key.slice(root.length).split('/');
    acts.push({ verbs: ['create', 'update', 'patch'], namespace, name: undefined });
    return super.create(key, object);
  }
  override get(key: string) {
    done(['get', 'create', 'update', 'patch', 'delete'], key);
    return super.get(key);
  }
  override list(directory: string, options: StorageListOptions) {
    // A watch also lists, which is not recorded separately.
    if (!this.#watches) selected(['list', 'deletecollection'], directory, options.predicate);
    return super.list(directory, options);
  }
  override async watch(directory: string, options: StorageWatchOptions) {
    selected(['watch'], directory, options.predicate);
    this.#watches = true;
    try {
      return await super.watch(directory, options);
    } finally {
      this.#watches = false;
    }
  }
  override guaranteedUpdate(key: string, options: GuaranteedUpdateOptions) {
    done(['update', 'patch', 'delete', 'deletecollection'], key);
    return super.guaranteedUpdate(key, options);
  }
  override delete(key: string, options: DeleteOptions) {
    done(['delete', 'deletecollection'], key);
    return super.delete(key, options);
  }
}

const noting: Authorizer = {
  authorize: (attributes) => {
    asked.push(attributes);
    return { decision: 'Allow', reason: '' };
  },
};

const segments = fc.constantFrom(
  ...['namespaces', 'ns', 'other', 'widgets', 'a', 'b', 'status', 'finalize', 'watch', 'proxy', '', '.', '..'],
  ...[
    '%77idgets',
    'widgets%2Fa',
    'a%2fstatus',
    'namespaces%2Fns',
    '%2e%2e',
    '%2F',
    'a%00',
    '%E9',
    'a;b',
    'a%3Fwatch=1',
  ],
  ...['%zz', '%', 'a%25', 'Widgets', 'constructor', '__proto__'],
);
/** Most paths are close to served ones, so that the requests reach the store. */
const paths = fc.oneof(
  { weight: 1, arbitrary: fc.array(segments, { maxLength: 7 }).map((parts) => parts.join('/')) },
  {
    weight: 9,
    arbitrary: fc
      .tuple(
        fc.constantFrom('', '', '', '', '', 'watch/', '/', 'proxy/'),
        fc.constantFrom('namespaces/ns/', 'namespaces/ns/', 'namespaces//', '', 'namespaces/ns//', 'namespaces/%6es/'),
        fc.constantFrom('widgets', 'widgets', '%77idgets'),
        fc.constantFrom(
          '',
          '',
          '/',
          '/a',
          '/%61',
          '/a/status',
          '//status',
          '/a/',
          '//',
          '/a%2Fstatus',
          '/a/b/c',
          '/..',
        ),
      )
      .map((parts) => parts.join('')),
  },
);
const prefixes = fc.constantFrom(
  ...Array.from({ length: 24 }, () => '/apis/test.example.com/v1/'),
  ...[
    '//apis/test.example.com/v1/',
    '/apis//test.example.com/v1/',
    '/apis/test.example.com//v1/',
    '/apis//v1/',
    '/api/v1/',
  ],
  ...[
    '/%61pis/test.example.com/v1/',
    '/apis%2Ftest.example.com/v1/',
    'http://other/apis/test.example.com/v1/',
    '/x/../',
  ],
  ...['http://other/../apis/test.example.com/v1/', 'ftp:apis/test.example.com/v1/'],
);
const parameters = fc.constantFrom(
  ...['watch=true', 'watch', 'watch=', 'watch=0', 'watch=FALSE', 'watch=foo', 'watch=true;', 'watch=%zz', 'w%61tch=1'],
  ...['watch=1%', 'watch=true;watch=0', '%77atch=1;a', ';', '%zz=1', '=', 'watch=+1', 'Watch=1', 'watch%3Dtrue'],
  ...['fieldSelector=metadata.name%3Da', 'fieldSelector=metadata.name=b', 'fieldSelector=metadata.name%3Da;'],
  ...[
    'fieldSelector=metadata.name%3Da,metadata.namespace!%3Da;b',
    'fieldSelector=metadata.name!%3Da',
    'fieldSelector=',
  ],
  ...['fieldSelector=metadata.name%3Da,metadata.name%3Db', 'fieldSelector=metadata.name%3Da%zz', 'fieldSelector=+'],
  ...[
    'field%53elector=metadata.name%3D%3Da',
    'fieldSelector=metadata.name%3D..',
    'labelSelector=x%3D1',
    'labelSelector=((',
  ],
  ...['limit=1', 'limit=x', 'timeoutSeconds=1', 'timeoutSeconds=1;', 'dryRun=All', 'dryRun=All;', 'resourceVersion=0'],
  ...['sendInitialEvents=true', 'resourceVersionMatch=NotOlderThan', 'fieldManager=m', 'force=true', 'pretty=1'],
);
const queries = fc
  .tuple(fc.constantFrom('?', '?', '?&', '??'), fc.array(parameters, { maxLength: 4 }), fc.constantFrom('&', '&&'))
  .map(([mark, given, and]) => (given.length === 0 ? '' : mark + given.join(and)));
const requests = fc.record({
  method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'DELETE', 'OPTIONS'),
  target: fc.tuple(prefixes, paths, queries).map((parts) => parts.join('')),
  type: fc.constantFrom(
    'application/json',
    'application/merge-patch+json',
    'application/apply-patch+yaml',
    'application/json-patch+json',
  ),
});

const runs = 250;
const watchMs = 25;

const keptAsItIs = (error: unknown) => assert.ok(error instanceof KeyExistsError);

describe('one interpretation of a request', () => {
  const servers = new TestServers();
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  after(() => agent.destroy());

  function installWidgets(server: GenericApiServer, custom: boolean): MemoryStorage {
    const widgets = defineWidgets({}, {}, undefined, NotingStorage);
    const storages = widgets.defined.storagesOf(groupVersion);
    const createHandler = custom ? createCustomResourceHandler : createGroupVersionHandler;
    const handler = createHandler(groupVersion, storages, { authorizer: noting });
    server.setGroupVersion(groupVersion, handler, [], { groupPriorityMinimum: 1, versionPriority: { v1: 1 } });
    return widgets.storage;
  }

  async function fill(storage: MemoryStorage): Promise<void> {
    for (const namespace of ['ns', 'other'])
      for (const name of ['a', 'b']) {
        const made = widget(name);
        made.metadata = { name, namespace, uid: `${namespace}-${name}` };
        await storage.create(`${root}${namespace}/${name}`, made).catch(keptAsItIs);
      }
  }

  /** Sends a request and waits for the response. A watch is closed after a short time. */
  function send(server: TestServer, { method, target, type }: { method: string; target: string; type: string }) {
    const body = JSON.stringify(type.includes('json-patch') ? [] : widget('a'));
    return new Promise<void>((resolve) => {
      const request = https.request(
        {
          host: '127.0.0.1',
          port: server.port,
          path: target,
          method,
          agent,
          headers: { authorization: 'Bearer secret', 'content-type': type },
        },
        (response) => {
          response.resume();
          const timer = setTimeout(() => request.destroy(), watchMs);
          response.once('close', () => {
            clearTimeout(timer);
            resolve();
          });
        },
      );
      // The connection is closed, but the server may still be working on the request.
      request.once('error', () => setTimeout(resolve, watchMs));
      request.end(['POST', 'PUT', 'PATCH'].includes(method) ? body : undefined);
    });
  }

  /** The operations must match the authorized verb and stay within the authorized namespace and name, if one was required or given. */
  function check(what: string): void {
    if (acts.length === 0) return;
    const [attributes] = asked;
    assert.ok(attributes !== undefined, `${what}: done without a question`);
    assert.ok(attributes.isResourceRequest, `${what}: done as something else`);
    const { verb, resource, namespace, name, apiGroup } = attributes;
    assert.deepEqual([apiGroup, resource], ['test.example.com', 'widgets'], what);
    const isNamed = ['get', 'update', 'patch', 'delete'].includes(verb);
    assert.ok(name !== '' || !isNamed, what);
    for (const act of acts) {
      const message = `${what}: authorized ${verb} ${namespace}/${name}, done ${JSON.stringify(act)}`;
      // Operations on the members of a collection, which were found by a list of it.
      const isMember = verb === 'deletecollection' && act.verbs.includes('delete');
      assert.ok(isMember || act.verbs.includes(verb), message);
      if (namespace !== '' || !isMember) assert.equal(act.namespace, namespace, message);
      // The name of a created object comes from the body, as in kube-apiserver.
      if (name === '' || isMember || verb === 'create') continue;
      if (act.selects === undefined) assert.ok(act.name === undefined || act.name === name, message);
      else assert.ok(!['a', 'b'].some((other) => other !== name && act.selects?.(other) === true), message);
    }
  }

  const links: readonly (readonly [string, ((next: TestServer) => DelegationTarget) | undefined])[] = [
    ['in the server that is asked', undefined],
    ['in the next server of the process', (next) => new InProcessDelegationTarget(next.server)],
    [
      'in the next service',
      (next) =>
        new HttpDelegationTarget({
          url: next.url,
          ca: servers.certificates.ca.certificate,
          clientCertificate: servers.certificates.frontProxy.certificate,
          clientKey: servers.certificates.frontProxy.key,
        }),
    ],
  ];
  for (const custom of [true, false])
    for (const [where, link] of links)
      it(`does what it has authorized ${where}, for ${custom ? 'custom' : 'built-in'} resources`, async () => {
        let storage: MemoryStorage | undefined;
        const install = (server: GenericApiServer) => void (storage = installWidgets(server, custom));
        const first =
          link === undefined
            ? await servers.start({ authorizer: noting }, install)
            : await servers.start({ authorizer: noting, delegate: link(await servers.start({}, install)) });
        let effective = 0;
        await fc.assert(
          fc.asyncProperty(requests, async (request) => {
            if (storage !== undefined) await fill(storage);
            acts = [];
            asked = [];
            await send(first, request);
            check(`${request.method} ${request.target}`);
            if (acts.length > 0) effective++;
          }),
          { numRuns: runs },
        );
        assert.ok(effective > runs / 50, `only ${effective} requests did anything`);
      });
});
