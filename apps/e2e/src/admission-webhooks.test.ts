import assert from 'node:assert/strict';
import { type Chain, startChain, waitFor } from './chain.ts';
import { definitionOf, widgetDefinition, widgets, widgetsServed } from './definitions.ts';
import { call } from './http.ts';
import { Kubectl } from './kubectl.ts';
import { requireKubectl } from './requirements.ts';
import { patchResponse, startWebhooks, type TestWebhooks } from './webhook-server.ts';

const configurations = '/apis/admissionregistration.k8s.io/v1';
const rule = (apiGroup: string, apiVersion: string, resource: string, ...operations: string[]) => ({
  apiGroups: [apiGroup],
  apiVersions: [apiVersion],
  resources: [resource],
  operations,
});
const configMaps = rule('', 'v1', 'configmaps', 'CREATE', 'UPDATE');
/** An object of each server that can be created in a dry run. */
const probes = [
  {
    path: '/api/v1/namespaces/default/podtemplates',
    rule: rule('', 'v1', 'podtemplates', 'CREATE'),
    object: {
      apiVersion: 'v1',
      kind: 'PodTemplate',
      metadata: { name: 'probe' },
      template: { spec: { containers: [{ name: 'a', image: 'a' }] } },
    },
  },
  {
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    rule: rule('apiextensions.k8s.io', 'v1', 'customresourcedefinitions', 'CREATE'),
    object: definitionOf('probe.example.com', 'Probe', { schema: { type: 'object' } }),
  },
  {
    path: '/apis/apiregistration.k8s.io/v1/apiservices',
    rule: rule('apiregistration.k8s.io', 'v1', 'apiservices', 'CREATE'),
    object: {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1.probe.example.com' },
      spec: { group: 'probe.example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 1 },
    },
  },
];
type Kind = 'MutatingWebhookConfiguration' | 'ValidatingWebhookConfiguration';

describe('admission webhooks', function () {
  this.timeout(480_000);
  let chain: Chain;
  let kubectl: Kubectl;
  let hooks: TestWebhooks;

  before(async function () {
    requireKubectl(this);
    [chain, hooks] = await Promise.all([startChain({ args: ['--controllers=-*'] }), startWebhooks()]);
    kubectl = new Kubectl(chain);
  });
  after(async () => {
    hooks?.close();
    await chain?.stop();
  });

  /** Runs a test with a configuration of one webhook that is active in every server. The configuration and the handlers are removed afterwards. */
  async function configured(
    kind: Kind,
    webhook: Record<string, unknown> & { path?: string },
    run: () => Promise<void>,
  ): Promise<void> {
    const name = `t-${hooks.seen.length}-${Date.now()}`;
    const plural = `${kind.toLowerCase()}s`;
    const { path = '/hook', ...fields } = webhook;
    const body = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind,
      metadata: { name },
      webhooks: [
        {
          name: 'w.example.com',
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          rules: [configMaps],
          clientConfig: hooks.clientConfig(path),
          // The rule excludes other namespaces, because the servers write ConfigMaps of their own at any time.
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } },
          objectSelector: { matchExpressions: [{ key: 'probe', operator: 'DoesNotExist' }] },
          ...fields,
        },
        {
          name: 'probe.example.com',
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          rules: probes.map(({ rule: probed }) => probed),
          clientConfig: hooks.clientConfig('/probe'),
          objectSelector: { matchLabels: { probe: name } },
        },
      ],
    };
    hooks.handlers.set('/probe', () => ({ allowed: true }));
    const created = await call(chain, 'POST', `${configurations}/${plural}`, { body: JSON.stringify(body) });
    assert.equal(created.status, 201, created.text);
    const calling = (servers: number) =>
      waitFor(
        async () => (await serversThatCall(name)) === servers,
        60_000,
        () => `not ${servers} servers call the webhook`,
      );
    await calling(probes.length);
    try {
      await run();
    } finally {
      await call(chain, 'DELETE', `${configurations}/${plural}/${name}`);
      await calling(0);
      hooks.handlers.clear();
    }
  }
  /** How many of the servers call the probe of this name for an object of their own. */
  async function serversThatCall(name: string): Promise<number> {
    const { length } = hooks.seen;
    for (const { path, object } of probes) {
      const metadata = { ...object.metadata, labels: { probe: name } };
      const probed = await post(`${path}?dryRun=All`, { ...object, metadata });
      assert.equal(probed.status, 201, probed.text);
    }
    return hooks.seen.slice(length).filter(({ path }) => path === '/probe').length;
  }
  const post = (path: string, object: unknown) => call(chain, 'POST', path, { body: JSON.stringify(object) });
  const configMap = (name: string, more = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...more });
  const defaultConfigMaps = '/api/v1/namespaces/default/configmaps';

  it('change the written object', async () => {
    hooks.handlers.set('/hook', () => patchResponse([{ op: 'add', path: '/data', value: { added: 'yes' } }]));
    await configured('MutatingWebhookConfiguration', {}, async () => {
      await kubectl.ok(['create', 'configmap', 'changed']);
      assert.equal(await kubectl.ok(['get', 'configmap', 'changed', '-o', 'jsonpath={.data.added}']), 'yes');
      const { request } = hooks.seen.at(-1) ?? assert.fail('the webhook was not called');
      assert.deepEqual(request.kind, { group: '', version: 'v1', kind: 'ConfigMap' });
      assert.deepEqual(request.requestResource, { group: '', version: 'v1', resource: 'configmaps' });
      assert.equal(request.operation, 'CREATE');
      assert.equal(request.name, 'changed');
      assert.equal(request.namespace, 'default');
      assert.equal(request.dryRun, false);
      assert.equal(request.oldObject, null);
      assert.deepEqual((request.userInfo as { groups: string[] }).groups, ['system:masters', 'system:authenticated']);
    });
  });

  it('refuse with the message of the webhook', async () => {
    hooks.handlers.set('/hook', () => ({
      allowed: false,
      status: { message: 'not today' },
      warnings: ['think again'],
    }));
    await configured('ValidatingWebhookConfiguration', {}, async () => {
      const refused = await post(defaultConfigMaps, configMap('refused'));
      assert.equal(refused.status, 400);
      assert.deepEqual(refused.json(), {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'admission webhook "w.example.com" denied the request: not today',
        code: 400,
      });
      const said = await kubectl.fails(['create', 'configmap', 'refused']);
      assert.match(said, /Warning: think again/);
      assert.match(said, /admission webhook "w.example.com" denied the request: not today/);
    });
  });

  it('that time out fail the request or are ignored, by failurePolicy', async () => {
    hooks.handlers.set('/hook', () => undefined);
    const slow = { timeoutSeconds: 1 };
    await configured('ValidatingWebhookConfiguration', slow, async () => {
      const failed = await post(defaultConfigMaps, configMap('slow'));
      assert.equal(failed.status, 500);
      assert.match(
        failed.json<{ message: string }>().message,
        /^Internal error occurred: failed calling webhook "w.example.com": failed to call webhook: Post "https:\/\/localhost:\d+\/hook\?timeout=1s": context deadline exceeded$/,
      );
    });
    await configured('ValidatingWebhookConfiguration', { ...slow, failurePolicy: 'Ignore' }, async () => {
      assert.equal((await post(defaultConfigMaps, configMap('slow'))).status, 201);
    });
  });

  it('that return malformed reviews fail the request with the reason', async () => {
    const messageFor = async (response: string | Record<string, unknown>): Promise<string> => {
      hooks.handlers.set('/hook', () => response);
      const { message } = (await post(defaultConfigMaps, configMap('nonsense'))).json<{ message: string }>();
      return message.replace(/^Internal error occurred: failed calling webhook "w.example.com": /, '');
    };
    const patched = (patch: string) => ({
      allowed: true,
      patchType: 'JSONPatch',
      patch: Buffer.from(patch).toString('base64'),
    });
    await configured('MutatingWebhookConfiguration', {}, async () => {
      const called = 'failed to call webhook: ';
      assert.equal(
        await messageFor(''),
        `${called}0-length response with status code: 200 and content type: application/json`,
      );
      assert.equal(
        await messageFor('{"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview"}'),
        `${called}converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion`,
      );
      assert.match(
        await messageFor('{"apiVersion":"v1","kind":"Pod"}'),
        /^failed to call webhook: no kind "Pod" is registered for version "v1" in scheme/,
      );
      assert.equal(await messageFor('{}'), 'received invalid webhook response: webhook response was absent');
      const undecodable = 'received undecodable patch in webhook response: ';
      assert.equal(
        await messageFor(patched('{}')),
        `${undecodable}json: cannot unmarshal object into Go value of type jsonpatch.Patch`,
      );
      assert.equal(
        await messageFor(patched('["x"]')),
        `${undecodable}json: cannot unmarshal string into Go value of type jsonpatch.Operation`,
      );
      assert.equal(await messageFor(patched('[')), `${undecodable}unexpected end of JSON input`);
    });
  });

  it('must have a certificate of caBundle', async () => {
    hooks.handlers.set('/hook', () => ({ allowed: true }));
    const { url } = hooks.clientConfig('/hook');
    await configured('MutatingWebhookConfiguration', { clientConfig: { url } }, async () => {
      const { message } = (await post(defaultConfigMaps, configMap('untrusted'))).json<{ message: string }>();
      assert.match(message, /tls: failed to verify certificate: x509: certificate signed by unknown authority$/);
    });
  });

  it('are called only where their match conditions hold', async () => {
    hooks.handlers.set('/hook', () => ({ allowed: false }));
    const matchConditions = [{ name: 'named', expression: "object.metadata.name.startsWith('guarded-')" }];
    await configured('ValidatingWebhookConfiguration', { matchConditions }, async () => {
      assert.equal((await post(defaultConfigMaps, configMap('open-1'))).status, 201);
      const { message } = (await post(defaultConfigMaps, configMap('guarded-1'))).json<{ message: string }>();
      assert.equal(message, 'admission webhook "w.example.com" denied the request without explanation');
    });
  });

  it('see objects in other versions that match their rules', async () => {
    hooks.handlers.set('/hook', () => ({ allowed: true }));
    const rules = [rule('autoscaling', 'v1', 'horizontalpodautoscalers', 'CREATE')];
    await configured('ValidatingWebhookConfiguration', { rules }, async () => {
      const created = await post('/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers', {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'a' },
        spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }, maxReplicas: 3 },
      });
      assert.equal(created.status, 201, created.text);
      const { request } = hooks.seen.at(-1) ?? assert.fail('the webhook was not called');
      assert.equal((request.kind as { version: string }).version, 'v1');
      assert.equal((request.requestKind as { version: string }).version, 'v2');
      assert.equal((request.object as { apiVersion: string }).apiVersion, 'autoscaling/v1');
    });
  });

  it('with side effects are not called for a dry run', async () => {
    hooks.handlers.set('/hook', () => ({ allowed: true }));
    const rules = [rule('', 'v1', 'secrets', '*')];
    await configured('ValidatingWebhookConfiguration', { rules, sideEffects: 'NoneOnDryRun' }, async () => {
      await kubectl.ok(['create', 'secret', 'generic', 's', '--dry-run=server']);
      assert.equal(hooks.seen.at(-1)?.request.dryRun, true);
    });
  });

  it('are called for custom resources, their definitions and APIServices', async () => {
    hooks.handlers.set('/hook', ({ operation }) =>
      operation === 'CREATE'
        ? patchResponse([{ op: 'add', path: '/metadata/labels', value: { seen: 'yes' } }])
        : { allowed: true },
    );
    const rules = [
      rule('example.com', '*', '*', 'CREATE'),
      rule('apiregistration.k8s.io', 'v1', 'apiservices', 'CREATE'),
      rule('apiextensions.k8s.io', 'v1', 'customresourcedefinitions', 'CREATE'),
    ];
    await configured('MutatingWebhookConfiguration', { rules }, async () => {
      const crd = await kubectl.ok(
        ['create', '-f', '-', '-o', 'jsonpath={.metadata.labels.seen}'],
        JSON.stringify(widgetDefinition),
      );
      assert.equal(crd, 'yes');
      await kubectl.ok(['wait', '--for=condition=Established', 'crd/widgets.example.com', '--timeout=120s']);
      const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec: { a: 1 } };
      await widgetsServed(chain);
      const made = await post(widgets, widget);
      assert.equal(made.status, 201, made.text);
      assert.deepEqual(made.json<{ metadata: { labels: unknown } }>().metadata.labels, { seen: 'yes' });
      const service = await post('/apis/apiregistration.k8s.io/v1/apiservices', {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name: 'v1.nothing.example.org' },
        spec: {
          group: 'nothing.example.org',
          version: 'v1',
          groupPriorityMinimum: 100,
          versionPriority: 1,
          insecureSkipTLSVerify: true,
          service: { namespace: 'default', name: 'none' },
        },
      });
      assert.equal(service.status, 201, service.text);
      assert.deepEqual(service.json<{ metadata: { labels: unknown } }>().metadata.labels, { seen: 'yes' });
    });
  });

  it('see the scale of a custom resource in the version that their rules name', async () => {
    hooks.handlers.set('/hook', () => ({ allowed: true }));
    const versions = ['v1', 'v2'].map((name) => ({
      name,
      served: true,
      storage: name === 'v1',
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      subresources: { scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
    }));
    const names = { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' };
    const spec = { group: 'example.com', scope: 'Namespaced', names, versions };
    const crd = { ...widgetDefinition, metadata: { name: 'gadgets.example.com' }, spec };
    await kubectl.ok(['create', '-f', '-'], JSON.stringify(crd));
    const gadgets = '/apis/example.com/v2/namespaces/default/gadgets';
    await waitFor(
      async () => (await call(chain, 'GET', gadgets)).status === 200,
      10_000,
      () => 'gadgets are not served',
    );
    const gadget = { apiVersion: 'example.com/v2', kind: 'Gadget', metadata: { name: 'g' }, spec: { size: 1 } };
    assert.equal((await post(gadgets, gadget)).status, 201);
    const rules = [rule('example.com', 'v1', 'gadgets/scale', 'UPDATE')];
    await configured('ValidatingWebhookConfiguration', { rules }, async () => {
      const patched = await call(chain, 'PATCH', `${gadgets}/g/scale`, {
        body: JSON.stringify({ spec: { replicas: 3 } }),
        headers: { 'content-type': 'application/merge-patch+json' },
      });
      assert.equal(patched.status, 200, patched.text);
      const { request } = hooks.seen.at(-1) ?? assert.fail('the webhook was not called');
      const resource = { group: 'example.com', version: 'v1', resource: 'gadgets' };
      assert.deepEqual(
        [request.resource, request.subResource, request.kind],
        [resource, 'scale', { group: 'autoscaling', version: 'v1', kind: 'Scale' }],
      );
      assert.deepEqual(request.requestResource, { ...resource, version: 'v2' });
    });
  });

  it('are called for deletions, with the old object', async () => {
    hooks.handlers.set('/hook', () => ({
      allowed: false,
      status: { code: 403, reason: 'Forbidden', message: 'kept' },
    }));
    await post(defaultConfigMaps, configMap('kept', { data: { a: '1' } }));
    const rules = [rule('', 'v1', 'configmaps', 'DELETE')];
    await configured('ValidatingWebhookConfiguration', { rules }, async () => {
      const refused = await call(chain, 'DELETE', `${defaultConfigMaps}/kept`);
      assert.equal(refused.status, 403, refused.text);
      const { request } = hooks.seen.at(-1) ?? assert.fail('the webhook was not called');
      assert.equal(request.object, null);
      assert.deepEqual((request.oldObject as { data: unknown }).data, { a: '1' });
    });
  });
});
