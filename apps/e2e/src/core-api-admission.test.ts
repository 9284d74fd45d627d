import assert from 'node:assert/strict';
import { BesideCore, flunder, group, path } from './beside-core.ts';
import { waitFor } from './chain.ts';
import { call } from './http.ts';

describe('an extension API server that applies the admission of the core API', () => {
  const core = new BesideCore();

  before(async () => {
    await core.start();
    await core.accounts.make('/api/v1/namespaces', { metadata: { name: 'new' } });
  });
  after(() => core.stop());

  it('applies policies and webhooks of the core API', async () => {
    const registration = '/apis/admissionregistration.k8s.io/v1';
    const rule = { apiGroups: [group], apiVersions: ['v1'], resources: ['flunders'], operations: ['CREATE'] };
    await core.accounts.make('/api/v1/namespaces/new/configmaps', {
      metadata: { name: 'limits' },
      data: { color: 'red' },
    });
    await core.accounts.grant('server', {
      apiGroups: [''],
      resources: ['configmaps'],
      verbs: ['get', 'list', 'watch'],
    });
    await core.accounts.make(`${registration}/validatingadmissionpolicies`, {
      metadata: { name: 'flunders' },
      spec: {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        matchConstraints: { resourceRules: [rule] },
        validations: [
          {
            expression: '!has(object.color) || object.color != params.data.color',
            messageExpression: "'no ' + params.data.color + ' in ' + namespaceObject.metadata.name",
          },
        ],
      },
    });
    await core.accounts.make(`${registration}/validatingadmissionpolicybindings`, {
      metadata: { name: 'flunders' },
      spec: {
        policyName: 'flunders',
        validationActions: ['Deny'],
        paramRef: { name: 'limits', namespace: 'new', parameterNotFoundAction: 'Deny' },
      },
    });
    await waitFor(
      async () =>
        (
          await core.direct('POST', `${path('new')}?dryRun=All`, {
            as: core.alice,
            body: flunder('b', { color: 'red' }),
          })
        ).status === 422,
      10_000,
      () => `the policy is not applied\n${core.extension.log.join('')}`,
    );
    const denied = await core.direct('POST', path('new'), { as: core.alice, body: flunder('b', { color: 'red' }) });
    assert.match(
      denied.text,
      /ValidatingAdmissionPolicy 'flunders' with binding 'flunders' denied request: no red in new/,
    );

    core.webhooks.handlers.set('/paint', () => ({
      allowed: true,
      patchType: 'JSONPatch',
      patch: Buffer.from(JSON.stringify([{ op: 'add', path: '/color', value: 'blue' }])).toString('base64'),
    }));
    await core.accounts.make(`${registration}/mutatingwebhookconfigurations`, {
      metadata: { name: 'painter' },
      webhooks: [
        {
          name: 'paint.example.com',
          clientConfig: core.webhooks.clientConfig('/paint'),
          rules: [rule],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    });
    const painted = async (dryRun = '') => {
      const response = await core.direct('POST', path('new') + dryRun, { as: core.alice, body: flunder('c') });
      return response.json<{ color?: string }>().color;
    };
    await waitFor(
      async () => (await painted('?dryRun=All')) === 'blue',
      5_000,
      () => 'the webhook is not called',
    );
    assert.equal(await painted(), 'blue');
    for (const configuration of ['mutatingwebhookconfigurations/painter', 'validatingadmissionpolicybindings/flunders'])
      assert.equal((await call(core.chain, 'DELETE', `${registration}/${configuration}`)).status, 200);
  });

  it('reads parameters of custom kinds from the core API', async () => {
    const limits = 'limits.example.com';
    const names = { plural: 'colorlimits', singular: 'colorlimit', kind: 'ColorLimit' };
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    await core.accounts.make('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: `colorlimits.${limits}` },
      spec: { group: limits, scope: 'Cluster', names, versions: [{ name: 'v1', served: true, storage: true, schema }] },
    });
    const collection = `/apis/${limits}/v1/colorlimits`;
    await waitFor(
      async () => (await call(core.chain, 'GET', collection)).status === 200,
      10_000,
      () => 'the CRD is not served',
    );
    await core.accounts.make(collection, {
      apiVersion: `${limits}/v1`,
      kind: 'ColorLimit',
      metadata: { name: 'limit' },
      color: 'green',
    });
    await core.accounts.grant('server', {
      apiGroups: [limits],
      resources: ['colorlimits'],
      verbs: ['get', 'list', 'watch'],
    });
    const registration = '/apis/admissionregistration.k8s.io/v1';
    await core.accounts.make(`${registration}/validatingadmissionpolicies`, {
      metadata: { name: 'limited' },
      spec: {
        paramKind: { apiVersion: `${limits}/v1`, kind: 'ColorLimit' },
        matchConstraints: {
          resourceRules: [{ apiGroups: [group], apiVersions: ['v1'], resources: ['flunders'], operations: ['CREATE'] }],
        },
        validations: [{ expression: '!has(object.color) || object.color != params.color', message: 'limited' }],
      },
    });
    await core.accounts.make(`${registration}/validatingadmissionpolicybindings`, {
      metadata: { name: 'limited' },
      spec: {
        policyName: 'limited',
        validationActions: ['Deny'],
        paramRef: { name: 'limit', parameterNotFoundAction: 'Deny' },
      },
    });
    const create = (color: string) =>
      core.direct('POST', `${path('new')}?dryRun=All`, { as: core.alice, body: flunder('e', { color }) });
    await waitFor(
      async () => /denied request: limited/.test((await create('green')).text),
      10_000,
      () => `the policy is not applied\n${core.extension.log.join('')}`,
    );
    const allowed = await create('yellow');
    assert.equal(allowed.status, 201, allowed.text);
    await call(core.chain, 'DELETE', `${registration}/validatingadmissionpolicybindings/limited`);
    await waitFor(
      async () => (await create('green')).status === 201,
      5_000,
      () => 'the policy is still applied',
    );
  });
});
