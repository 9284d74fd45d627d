import assert from 'node:assert/strict';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { attachScope, noQuery, RequestScope, ServerRuntime } from '@apichain/request';
import { call } from './call.fixture.ts';
import { respondingInForce } from './in-force.ts';
import { startChain } from './start-chain.ts';
import type { TestChain } from './test-chain.ts';
import { thingsCrd } from './things.fixture.ts';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const admission = '/apis/admissionregistration.k8s.io/v1';
const configMaps = '/api/v1/namespaces/default/configmaps';
const things = '/apis/example.com/v1/namespaces/default/things';
/** Enough repetitions to find a server that is behind by less than the time of a request. */
const rounds = 15;

const role = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'Role',
  metadata: { name: 'reader', namespace: 'default' },
  rules: [{ apiGroups: ['', 'example.com'], resources: ['configmaps', 'things'], verbs: ['list'] }],
};
const binding = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name: 'bob', namespace: 'default' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'bob' }],
};
const policy = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: 'names' },
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: ['', 'example.com'],
          apiVersions: ['v1'],
          operations: ['CREATE'],
          resources: ['configmaps', 'things'],
        },
      ],
    },
    validations: [{ expression: "!object.metadata.name.startsWith('bad')" }],
  },
};
const policyBinding = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: 'names' },
  spec: { policyName: 'names', validationActions: ['Deny'] },
};
const webhooks = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'hooks' },
  webhooks: [
    {
      name: 'hooks.example.com',
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      failurePolicy: 'Fail',
      clientConfig: { url: 'https://127.0.0.1:1/' },
      rules: [{ apiGroups: ['example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['things'] }],
    },
  ],
};

describe('rights and policies of a test chain', () => {
  let chain: TestChain;
  before(async () => {
    chain = await startChain({
      flags: ['--authorization-mode=RBAC'],
      crds: [thingsCrd],
      manifests: [role],
      users: [{ name: 'bob' }],
    });
  });
  after(() => chain.stop());

  const remove = async (path: string) => {
    const { status } = await call(chain, path, undefined, chain.admin, 'DELETE');
    assert.equal(status, 200);
  };
  const asBob = async (path: string) => (await call(chain, path, undefined, chain.users['bob'])).status;
  const create = async (path: string, apiVersion: string, kind: string, name: string) =>
    (await call(chain, path, { apiVersion, kind, metadata: { name } })).status;

  for (const [how, grant] of [
    ['a create', async () => call(chain, `${rbac}/namespaces/default/rolebindings`, binding)],
    ['apply', async () => chain.apply(binding)],
  ] as const)
    it(`count when ${how} returns, and no longer when a delete returns`, async () => {
      for (let round = 0; round < rounds; round++) {
        await grant();
        assert.deepEqual([await asBob(configMaps), await asBob(things)], [200, 200], `round ${round}`);
        await remove(`${rbac}/namespaces/default/rolebindings/bob`);
        assert.deepEqual([await asBob(things), await asBob(configMaps)], [403, 403], `round ${round}`);
      }
    });

  it('count when restore returns', async () => {
    const without = chain.snapshot();
    await chain.apply(binding, policy, policyBinding);
    const withThem = chain.snapshot();
    for (let round = 0; round < rounds; round++) {
      await chain.restore(without);
      assert.equal(await asBob(configMaps), 403, `round ${round}`);
      assert.equal(await create(configMaps, 'v1', 'ConfigMap', `bad-${round}`), 201, `round ${round}`);
      await chain.restore(withThem);
      assert.equal(await asBob(things), 200, `round ${round}`);
      assert.equal(await create(configMaps, 'v1', 'ConfigMap', `bad-${round}`), 422, `round ${round}`);
    }
    await chain.restore(without);
  });

  for (const [how, enforce] of [
    [
      'a create',
      async () => {
        await call(chain, `${admission}/validatingadmissionpolicies`, policy);
        await call(chain, `${admission}/validatingadmissionpolicybindings`, policyBinding);
      },
    ],
    ['apply', async () => chain.apply(policy, policyBinding)],
  ] as const)
    it(`are enforced by every server when ${how} returns`, async () => {
      for (let round = 0; round < rounds; round++) {
        await enforce();
        assert.equal(await create(things, 'example.com/v1', 'Thing', 'bad'), 422, `round ${round}`);
        assert.equal(await create(configMaps, 'v1', 'ConfigMap', 'bad'), 422, `round ${round}`);
        await remove(`${admission}/validatingadmissionpolicybindings`);
        assert.equal(await create(things, 'example.com/v1', 'Thing', 'bad'), 201, `round ${round}`);
        await remove(`${things}/bad`);
        await remove(`${admission}/validatingadmissionpolicies/names`);
      }
    });

  it('include the configurations of webhooks', async () => {
    for (let round = 0; round < rounds; round++) {
      await call(chain, `${admission}/validatingwebhookconfigurations`, webhooks);
      assert.equal(await create(things, 'example.com/v1', 'Thing', 'a'), 500, `round ${round}`);
      await remove(`${admission}/validatingwebhookconfigurations/hooks`);
      assert.equal(await create(things, 'example.com/v1', 'Thing', 'a'), 201, `round ${round}`);
      await remove(`${things}/a`);
    }
  });
});

describe('the response to a write', () => {
  /** Returns `code` for a request with these facts, through the filter. Says whether the response was complete before the write was in force. */
  async function isEarly(facts: { apiGroup: string; verb: string }, code = 201): Promise<boolean> {
    const inForce = Promise.withResolvers<void>();
    const filter = respondingInForce(() => inForce.promise);
    const server = createServer((request, response) => {
      const scope = new RequestScope(request, response, '/', noQuery, new ServerRuntime());
      scope.requestInfo = { ...scope.requestInfo, ...facts };
      attachScope(scope);
      filter(request, response, () => response.writeHead(code).end('{}'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    let isComplete = false;
    const done = new Promise<void>((resolve, reject) => {
      get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', agent: false }, (received) => {
        received.resume().once('end', () => {
          isComplete = true;
          resolve();
        });
      }).once('error', reject);
    });
    await Promise.race([done, sleep(100)]);
    const early = isComplete;
    inForce.resolve();
    await done;
    server.close();
    return early;
  }

  for (const apiGroup of ['rbac.authorization.k8s.io', 'admissionregistration.k8s.io'])
    for (const verb of ['create', 'update', 'patch', 'delete', 'deletecollection'])
      it(`waits after ${verb} in ${apiGroup}`, async () => assert.equal(await isEarly({ apiGroup, verb }), false));

  it('does not wait for reads, other groups and refused writes', async () => {
    const apiGroup = 'rbac.authorization.k8s.io';
    assert.equal(await isEarly({ apiGroup, verb: 'list' }), true);
    assert.equal(await isEarly({ apiGroup: 'apps', verb: 'create' }), true);
    assert.equal(await isEarly({ apiGroup, verb: 'create' }, 409), true);
  });
});
