import assert from 'node:assert/strict';
import { type Chain, startChain, waitFor } from './chain.ts';
import { untilServed, widgets } from './definitions.ts';
import { call } from './http.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const configMap = (name: string, metadata = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
});
const widget = (name: string, more = {}) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name },
  ...more,
});
const crd = (plural: string, kind: string, spec: object) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural, kind },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec, status: { type: 'object' } } } },
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n', labelSelectorPath: '.status.s' },
        },
      },
    ],
  },
});

const merge = { 'content-type': 'application/merge-patch+json' };
const apply = { 'content-type': 'application/apply-patch+yaml' };
const yaml = { 'content-type': 'application/yaml' };

interface Result {
  readonly code: number;
  readonly message: string | undefined;
  readonly causes: string[];
  readonly warnings: string;
  readonly metadata: { readonly managedFields?: unknown; readonly finalizers?: string[] };
}
interface StatusBody {
  message?: string;
  metadata: Result['metadata'];
  details?: { causes?: { field: string; message: string }[] };
}

describe('exact responses', () => {
  let chain: Chain;
  const ask = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await call(chain, method, path, {
      ...(body === undefined ? {} : { body: text }),
      ...(headers === undefined ? {} : { headers }),
    });
    const { message, metadata, details } = response.json<StatusBody>();
    const causes = (details?.causes ?? []).map((cause) => `${cause.field}: ${cause.message}`);
    const warnings = String(response.headers['warning'] ?? '');
    return { code: response.status, message, causes, warnings, metadata } satisfies Result;
  };

  before(async () => {
    chain = await startChain({ args: ['--in-process', '--memory', '--controllers=-*'] });
    const embedded = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    };
    const properties = { n: { type: 'integer' }, at: { type: 'string', format: 'uri' }, embedded };
    const spec = { type: 'object', properties };
    assert.equal((await ask('POST', crds, crd('widgets', 'Widget', spec))).code, 201);
    await untilServed(chain, widgets);
    assert.equal((await ask('POST', configMaps, { ...configMap('c'), data: { b: '2' } })).code, 201);
    assert.equal((await ask('POST', widgets, widget('w', { spec: { n: 1 } }))).code, 201);
  });
  after(() => chain?.stop());

  it('create no object for an apply without a name', async () => {
    const { code, message } = await ask('PATCH', `${configMaps}/new?fieldManager=m`, configMap('', {}), apply);
    assert.equal(code, 400);
    assert.equal(message, 'the name of the object (new based on URL) was undeterminable: name must be provided');
  });

  it('look up the object before the patch is decoded', async () => {
    assert.equal((await ask('PATCH', `${configMaps}/absent`, '{', merge)).code, 404);
    assert.equal((await ask('PATCH', `${configMaps}/c`, '{', merge)).code, 400);
  });

  it('clear the managers on an empty managedFields', async () => {
    const owned = await ask('PATCH', `${configMaps}/c`, { data: { a: '1' } }, merge);
    assert.notEqual(owned.metadata.managedFields, undefined);
    const reset = await ask('PATCH', `${configMaps}/c`, { metadata: { managedFields: [] } }, merge);
    assert.equal(reset.code, 200);
    assert.equal(reset.metadata.managedFields, undefined);
  });

  it('apply the propagation policy of a second delete to a pod that waits for its finalizers', async () => {
    const pods = '/api/v1/namespaces/default/pods';
    const pod = { ...configMap('p'), kind: 'Pod', spec: { containers: [{ name: 'c', image: 'i' }] } };
    assert.equal((await ask('POST', pods, pod)).code, 201);
    const first = await ask('DELETE', `${pods}/p?propagationPolicy=Orphan`);
    assert.deepEqual(first.metadata.finalizers, ['orphan']);
    const second = await ask('DELETE', `${pods}/p?propagationPolicy=Foreground`);
    assert.deepEqual(second.metadata.finalizers, ['foregroundDeletion']);
  });

  it('warn of repeated owners in a patch as in admission, and in an update of an absent object', async () => {
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' };
    const metadata = { ownerReferences: [owner, owner] };
    const patched = await ask('PATCH', `${configMaps}/c`, { metadata }, merge);
    assert.match(patched.warnings, /contains duplicate entries after mutating admission happens;/);
    const absent = await ask('PUT', `${widgets}/absent`, {
      ...widget('absent'),
      metadata: { name: 'absent', ...metadata },
    });
    assert.equal(absent.code, 404);
    assert.match(absent.warnings, /contains duplicate entries; API server dedups/);
  });

  it('refuse the export parameter', async () => {
    const message = 'the export parameter, deprecated since v1.14, is no longer supported';
    assert.equal((await ask('GET', `${configMaps}/c?export=true`)).message, message);
    assert.equal((await ask('GET', `${configMaps}/c?export=false`)).code, 200);
  });

  it('treat a custom resource of a list kind as a list', async () => {
    const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
    const { code, message } = await ask('GET', `${widgets}/w`, undefined, { accept });
    assert.deepEqual({ code, message }, { code: 500, message: 'content is not a list' });
  });

  it('check apiVersion and kind of a custom resource in the order of kube-apiserver', async () => {
    const unversioned = await ask('POST', widgets, { ...widget('x'), apiVersion: null });
    assert.equal(
      unversioned.message,
      'Widget in version "" cannot be handled as a Widget: .apiVersion accessor error: <nil> is of the type <nil>, expected string',
    );
    const removed = await ask('PATCH', `${widgets}/w`, { apiVersion: null }, merge);
    assert.equal(removed.code, 500);
    assert.match(removed.message ?? '', /^Internal error occurred: Object 'apiVersion' is missing/);
    const other = { ...widget('x', { spec: {}, extra: 1 }), apiVersion: 'example.com/v9' };
    const otherVersion = await ask('POST', widgets, other);
    assert.match(otherVersion.message ?? '', /^the API version in the data \(example.com\/v9\) does not match/);
    assert.match(otherVersion.warnings, /unknown field \\"extra\\".*unknown field \\"spec\\"/);
    const foreign = await ask('POST', widgets, { ...other, apiVersion: 'x/v1', metadata: { name: 'x', bogus: 1 } });
    assert.match(foreign.warnings, /unknown field \\"metadata.bogus\\""$/);
    const strict = await ask('POST', `${widgets}?fieldValidation=Strict`, other);
    assert.match(strict.message ?? '', /strict decoding error: unknown field "extra", unknown field "spec"$/);
    const kindless = await ask('POST', widgets, 'metadata:\n  name: x\n', yaml);
    assert.match(kindless.message ?? '', /Object 'Kind' is missing in 'metadata:\n {2}name: x\n' \(/);
  });

  it('refuse a wrong kind only in validation, and never for the status subresource', async () => {
    const wrong = { ...widget('w', { status: {} }), kind: 'Gadget' };
    assert.match((await ask('PUT', `${widgets}/w`, wrong)).message ?? '', /metadata.resourceVersion: Invalid value: 0/);
    const created = await ask('POST', widgets, { ...widget('x', { spec: 'text' }), kind: 'Gadget' });
    assert.equal(created.message, 'Gadget.example.com "x" is invalid: kind: Invalid value: "Gadget": must be Widget');
    const unknown = { ...widget('w', { spec: { n: 1, bogus: 1 } }), kind: 'Gadget' };
    const unpruned = await ask('PUT', `${widgets}/w?fieldValidation=Strict`, unknown);
    assert.match(unpruned.message ?? '', /metadata.resourceVersion: Invalid value: 0/);
    const { text } = await call(chain, 'GET', `${widgets}/w`);
    const current = { ...(JSON.parse(text) as object), kind: 'Gadget' };
    assert.equal(
      (await ask('PUT', `${widgets}/w`, current)).message,
      'Gadget.example.com "w" is invalid: kind: Invalid value: "Gadget": must be Widget',
    );
    assert.equal((await ask('PATCH', `${widgets}/w/status`, { kind: 'Gadget' }, merge)).code, 200);
    const unfit = await ask('PATCH', `${widgets}/w/status`, { kind: 'Gadget', status: 1 }, merge);
    assert.match(unfit.message ?? '', /^Gadget\.example\.com "w" is invalid: \[?status: /);
  });

  it('show refused values with sorted members', async () => {
    const embedded = { apiVersion: 'v1', kind: 'Pod', metadata: { name: { b: 1, a: 2 }, labels: {} } };
    const { message } = await ask('POST', widgets, widget('x', { spec: { embedded } }));
    assert.match(
      message ?? '',
      /spec.embedded.metadata: Invalid value: \{"labels":\{\},"name":\{"a":2,"b":1\}\}: json:/,
    );
  });

  it('name the field that blocks a number of a scale', async () => {
    const { causes } = await ask('POST', widgets, widget('x', { spec: 'text' }));
    assert.deepEqual(
      causes[1],
      '.spec.n: Invalid value: 0: .spec.n accessor error: text is of the type string, expected map[string]interface{}',
    );
    const status = await ask('PATCH', `${widgets}/w/status`, { status: [1] }, merge);
    assert.deepEqual(status.causes.slice(1), [
      '.status.n: Invalid value: 0: .status.n accessor error: [1] is of the type []interface {}, expected map[string]interface{}',
      '.status.s: Invalid value: "": .status.s accessor error: [1] is of the type []interface {}, expected map[string]interface{}',
    ]);
  });

  it('leave the numbers of a scale to the validation of the resource', async () => {
    const rule = { rule: '!has(self.n) || self.n >= 0' };
    const spec = { type: 'object', properties: { n: { type: 'integer' } }, 'x-kubernetes-validations': [rule] };
    assert.equal((await ask('POST', crds, crd('cogs', 'Cog', spec))).code, 201);
    const cogs = '/apis/example.com/v1/namespaces/default/cogs';
    await untilServed(chain, cogs);
    const cog = (name: string, n?: number) => ({ ...widget(name), kind: 'Cog', spec: n === undefined ? {} : { n } });
    assert.equal((await ask('POST', cogs, cog('one', 1))).code, 201);
    assert.equal((await ask('POST', cogs, cog('none'))).code, 201);
    const negative = await ask('PATCH', `${cogs}/one/scale`, { spec: { replicas: -1 } }, merge);
    assert.deepEqual(negative.causes, [
      '.spec.n: Invalid value: -1: should be a non-negative integer',
      'spec: Invalid value: failed rule: !has(self.n) || self.n >= 0',
    ]);
    const unset = await ask('PATCH', `${cogs}/none/scale`, {}, merge);
    assert.equal(unset.message, 'the spec replicas field ".spec.n" cannot be empty');
    const other = await ask('PATCH', `${cogs}/one/scale`, { kind: 'Other' }, merge);
    const scheme =
      /no kind "Other" is registered for version "autoscaling\/v1" in scheme "k8s.io\/client-go\/scale\/util.go:146"$/;
    assert.match(other.message ?? '', scheme);
  });

  it('track no manager for an object whose ignored status does not match its type', async () => {
    const { code, metadata } = await ask('POST', widgets, widget('unfit', { spec: { n: 2 }, status: 'text' }));
    assert.deepEqual({ code, managedFields: metadata.managedFields }, { code: 201, managedFields: undefined });
    const list = await ask('POST', widgets, widget('list', { spec: { at: ['x'] } }));
    assert.deepEqual(
      { code: list.code, managedFields: list.metadata.managedFields },
      { code: 201, managedFields: undefined },
    );
  });

  it('parse URLs as Go does, and accept sets of lists', async () => {
    const { causes } = await ask('POST', widgets, widget('x', { spec: { at: 'http://[' } }));
    assert.match(causes[0] ?? '', /spec.at in body must be of type uri/);
    const inner = { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'atomic' };
    const sets = crd('sets', 'Set', { type: 'array', items: inner, 'x-kubernetes-list-type': 'set' });
    const { code, warnings } = await ask('POST', `${crds}?dryRun=All`, sets);
    assert.deepEqual({ code, warnings }, { code: 201, warnings: '' });
  });

  it('count storage versions by name, and print nested schemas like outer ones', async () => {
    const { spec, ...rest } = crd('gadgets', 'Gadget', { type: 'object', properties: { b: { type: 'string' } } });
    const twice = { ...rest, spec: { ...spec, versions: [...spec.versions, ...spec.versions] } };
    const { causes } = await ask('POST', crds, twice);
    assert.equal(causes.at(-1), 'status.storedVersions: Invalid value: ["v1"]: must have the storage version v1');
    const other = spec.versions.map((version) => ({ ...version, schema: { openAPIV3Schema: { type: 'object' } } }));
    const differing = { ...rest, spec: { ...spec, versions: [...spec.versions, ...other] } };
    assert.match((await ask('POST', crds, differing)).causes[0] ?? '', /"Properties":\{"spec":\{"ID":"","Schema":""/);
  });

  it('list the objects of a deletecollection with a limit, so that a resourceVersion is exact', async () => {
    assert.equal((await ask('POST', configMaps, configMap('kept'))).code, 201);
    assert.equal((await ask('DELETE', `${configMaps}?resourceVersion=1`)).code, 200);
    assert.equal((await ask('GET', `${configMaps}/kept`)).code, 200);
  });

  it('show empty maps and lists that the client gave', async () => {
    const template = (labels: unknown) => ({ metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } });
    const deployment = (labels: unknown) => ({
      ...configMap('d'),
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      spec: { selector: { matchLabels: { a: 'b' } }, template: template(labels) },
    });
    const deployments = '/apis/apps/v1/namespaces/default/deployments';
    const mismatch = '`selector` does not match template `labels`';
    for (const [given, shown] of [
      [{}, '{}'],
      [null, 'null'],
    ] as const)
      assert.deepEqual((await ask('POST', deployments, deployment(given))).causes, [
        `spec.template.metadata.labels: Invalid value: ${shown}: ${mismatch}`,
      ]);
    const rules = { ...configMap('i'), apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', spec: { rules: [] } };
    const ingress = await ask('POST', '/apis/networking.k8s.io/v1/namespaces/default/ingresses', rules);
    assert.deepEqual(ingress.causes, ['spec: Invalid value: []: either `defaultBackend` or `rules` must be specified']);
    const volume = {
      ...configMap('v'),
      kind: 'PersistentVolume',
      spec: { capacity: {}, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
    };
    assert.equal(
      (await ask('POST', '/api/v1/persistentvolumes', volume)).causes[1],
      'spec.capacity: Unsupported value: {}: supported values: "storage"',
    );
  });

  it('give policies objects as in JSON, and deletes of collections without a name', async () => {
    const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
    const resourceRules = [
      { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'DELETE'], resources: ['configmaps'] },
    ];
    const kind = 'ValidatingAdmissionPolicy';
    const policy = (expression: string) => ({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind,
      metadata: { name: 'p' },
      spec: { matchConstraints: { resourceRules }, validations: [{ expression }] },
    });
    const uninstantiable = await ask('POST', policies, policy("int('abc') == 1"));
    assert.deepEqual(uninstantiable.causes, [
      "spec.validations[0].expression: Internal error: program instantiation failed: type conversion error from 'string' to 'int'",
    ]);
    assert.equal((await ask('POST', policies, policy('has((object == null ? oldObject : object).data.a)'))).code, 201);
    const binding = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: `${kind}Binding`,
      metadata: { name: 'p' },
      spec: {
        policyName: 'p',
        validationActions: ['Deny'],
        matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } } },
      },
    };
    const bindings = policies.replace('policies', 'policybindings');
    assert.equal((await ask('POST', configMaps, { ...configMap('no-a'), data: { b: '2' } })).code, 201);
    assert.equal((await ask('POST', bindings, binding)).code, 201);
    // The policy is in force a moment later.
    const tried = () => ask('POST', `${configMaps}?dryRun=All`, configMap('no-data'));
    let noData = await tried();
    await waitFor(
      async () => {
        noData = await tried();
        return noData.code !== 201;
      },
      60_000,
      () => 'the policy is not in force',
    );
    assert.match(noData.message ?? '', /resulted in error: no such key: data$/);
    const all = await ask('DELETE', `${configMaps}?fieldSelector=metadata.name=no-a`);
    assert.match(all.message ?? '', /^configmaps "Unknown" is forbidden: /);
    await ask('DELETE', `${bindings}/p`);
  });
});
