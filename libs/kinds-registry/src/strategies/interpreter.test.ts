import assert from 'node:assert/strict';
import { pause, type KubeObject } from '@apichain/meta';
import type { RequestContext } from '@apichain/request';
import { decodeObject } from '@apichain/scheme';
import { requireType } from '@apichain/kinds';
import { builtinGroupVersions } from '@apichain/kinds';
import { validationOf } from '@apichain/kinds-validation';
import { strategyFor, subresourceStrategyFor } from './interpreter.ts';
import { behaviourOf } from './table.ts';

// Validation checks read only the objects.
const ctx = {} as RequestContext;

const resourceNamed = (group: string, plural: string) => {
  const resource = builtinGroupVersions
    .flatMap(({ resources }) => resources)
    .find(({ info, group: own }) => own === group && info.plural === plural);
  assert.ok(resource !== undefined, plural);
  return resource;
};

/** An object of any kind with an invalid label, which both metadata validation and the kind's own checks report. */
const mislabelled: KubeObject = {
  apiVersion: 'v1',
  kind: 'X',
  metadata: { name: 'a', namespace: 'default', resourceVersion: '1', labels: { 'not a label': '' } },
};

describe('strategyFor', () => {
  it('uses the settings of its server, also in a later turn of the event loop', async () => {
    const pods = resourceNamed('', 'pods');
    const type = requireType(pods.info.kind);
    const container = { name: 'c', image: 'i', securityContext: { privileged: true } };
    const pod: KubeObject = {
      ...mislabelled,
      metadata: { name: 'a', namespace: 'default' },
      spec: { containers: [container] },
    };
    const complaints = async (allowPrivileged: boolean) => {
      const { validate } = strategyFor(pods, type, ['v1'], { capabilities: { allowPrivileged } });
      // Uses up the time slice of this turn of the event loop, so that the checks continue in later turns.
      while (pause() === undefined);
      const errors = (await validate?.(ctx, pod)) ?? [];
      return errors.filter(({ field }) => field.endsWith('.privileged')).length;
    };
    assert.deepEqual(await Promise.all([true, false, true].map(complaints)), [0, 1, 0]);
  });

  it('checks the name of a certificate request only in the common validation', async () => {
    const resource = resourceNamed('certificates.k8s.io', 'certificatesigningrequests');
    const { validate } = strategyFor(resource, requireType(resource.info.kind), ['v1']);
    const errors = (await validate?.(ctx, { ...mislabelled, metadata: { name: 'a%' } })) ?? [];
    assert.deepEqual(
      errors.filter(({ field }) => field === 'metadata.name'),
      [],
    );
  });

  const complaintsOf = async (
    object: KubeObject,
    path: string,
    [group, plural, subresource]: [group: string, plural: string, subresource?: string],
  ): Promise<number> => {
    const resource = resourceNamed(group, plural);
    const main = strategyFor(resource, requireType(resource.info.kind), ['v1']);
    const strategy = subresource === undefined ? main : subresourceStrategyFor(resource, subresource, main, ['v1']);
    const errors = (await strategy?.validateUpdate?.(ctx, object, mislabelled)) ?? [];
    return errors.filter(({ field }) => field === path).length;
  };
  const complaints = (...where: [group: string, plural: string, subresource?: string]): Promise<number> =>
    complaintsOf(mislabelled, 'metadata.labels', where);

  it('reports metadata errors of an update as often as Kubernetes does', async () => {
    assert.equal(await complaints('', 'configmaps'), 2);
    assert.equal(await complaints('', 'endpoints'), 2);
    assert.equal(await complaints('', 'replicationcontrollers'), 1);
    assert.equal(await complaints('', 'namespaces'), 2);
    assert.equal(await complaints('', 'persistentvolumeclaims'), 2);
    assert.equal(await complaints('', 'resourcequotas'), 1);
    assert.equal(await complaints('', 'limitranges'), 1);
    assert.equal(await complaints('', 'events'), 0);
    assert.equal(await complaints('certificates.k8s.io', 'certificatesigningrequests'), 2);
    assert.equal(await complaints('policy', 'poddisruptionbudgets'), 0);
    assert.equal(await complaints('storage.k8s.io', 'csidrivers'), 1);
    assert.equal(await complaints('storage.k8s.io', 'csinodes'), 1);
    assert.equal(await complaints('storage.k8s.io', 'volumeattributesclasses'), 2);
  });

  it('checks the involved object of an event before its metadata', async () => {
    const resource = resourceNamed('events.k8s.io', 'events');
    const { validate, validateUpdate } = strategyFor(resource, requireType(resource.info.kind), ['v1']);
    const event: KubeObject = { ...mislabelled, metadata: { ...mislabelled.metadata, namespace: 'x' }, type: 'Normal' };
    const fields = ['involvedObject.namespace', 'metadata.labels'];
    const created = (await validate?.(ctx, event)) ?? [];
    assert.deepEqual(
      created.map(({ field }) => field),
      [...fields, 'eventTime'],
    );
    const changed = (await validateUpdate?.(ctx, event, event)) ?? [];
    assert.deepEqual(
      changed.map(({ field }) => field),
      fields,
    );
  });

  it('checks a changed secret or claim after the immutable fields', async () => {
    const resource = resourceNamed('', 'secrets');
    const { validateUpdate } = strategyFor(resource, requireType(resource.info.kind), ['v1']);
    const secret = (type: string, data: object): KubeObject => ({ ...mislabelled, type, data });
    const errors =
      (await validateUpdate?.(ctx, secret('kubernetes.io/tls', { 'a b': '' }), secret('Opaque', {}))) ?? [];
    assert.deepEqual(
      errors.map(({ field }) => field),
      ['metadata.labels', 'type', 'metadata.labels', 'data[a b]', 'data[tls.crt]', 'data[tls.key]'],
    );
  });

  it('counts dropped fields of an EndpointSlice as a change', () => {
    const resource = resourceNamed('discovery.k8s.io', 'endpointslices');
    const strategy = strategyFor(resource, requireType(resource.info.kind), ['v1']);
    const slice = (endpoint: object): KubeObject => ({
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 's', generation: 1 },
      endpoints: [{ addresses: ['192.0.2.1'], ...endpoint }],
    });
    const changed = slice({ deprecatedTopology: { a: 'b' } });
    void strategy.prepareForUpdate?.(ctx, changed, slice({}));
    assert.equal(changed.metadata.generation, 2);
    assert.deepEqual(changed['endpoints'], slice({})['endpoints']);
  });

  it('checks a changed template of claims like a new one too', async () => {
    const changed = { ...mislabelled, spec: { spec: { devices: { requests: [{}] } } } };
    const template = ['resource.k8s.io', 'resourceclaimtemplates'] as const;
    assert.equal(await complaintsOf(changed, 'spec.spec.devices.requests[0].name', [...template]), 1);
    assert.equal(await complaintsOf(changed, 'spec', [...template]), 1);
  });

  it('checks the metadata of a certificate request through its subresources too, as new and as changed', async () => {
    const hurried = { ...mislabelled, metadata: { ...mislabelled.metadata, deletionGracePeriodSeconds: 5 } };
    for (const subresource of ['status', 'approval']) {
      const where = ['certificates.k8s.io', 'certificatesigningrequests', subresource] as const;
      assert.equal(await complaintsOf(hurried, 'metadata.labels', [...where]), 2);
      assert.equal(await complaintsOf(hurried, 'metadata.deletionGracePeriodSeconds', [...where]), 1);
    }
  });

  it('checks a changed role or binding once', async () => {
    const changed = { ...mislabelled, rules: [{}], subjects: [{}] };
    for (const plural of ['roles', 'clusterroles']) {
      assert.equal(await complaintsOf(changed, 'metadata.labels', ['rbac.authorization.k8s.io', plural]), 2);
      assert.equal(await complaintsOf(changed, 'rules[0].verbs', ['rbac.authorization.k8s.io', plural]), 1);
    }
    for (const plural of ['rolebindings', 'clusterrolebindings']) {
      assert.equal(await complaintsOf(changed, 'metadata.labels', ['rbac.authorization.k8s.io', plural]), 2);
      assert.equal(await complaintsOf(changed, 'subjects[0].name', ['rbac.authorization.k8s.io', plural]), 1);
    }
  });

  it('checks immutable metadata in the common validation for kinds without update rules', async () => {
    const hurried = { ...mislabelled, metadata: { ...mislabelled.metadata, deletionGracePeriodSeconds: 5 } };
    const changes = (...where: [group: string, plural: string, subresource?: string]): Promise<number> =>
      complaintsOf(hurried, 'metadata.deletionGracePeriodSeconds', where);
    assert.equal(await changes('', 'configmaps'), 1);
    assert.equal(await changes('', 'persistentvolumes'), 0);
    assert.equal(await changes('', 'persistentvolumes', 'status'), 1);
    assert.equal(await changes('discovery.k8s.io', 'endpointslices'), 0);
    assert.equal(await changes('storage.k8s.io', 'volumeattachments'), 0);
    assert.equal(await changes('storage.k8s.io', 'volumeattachments', 'status'), 0);
    assert.equal(await changes('storage.k8s.io', 'csinodes'), 0);
    for (const plural of ['flowschemas', 'prioritylevelconfigurations']) {
      assert.equal(await changes('flowcontrol.apiserver.k8s.io', plural), 0);
      assert.equal(await complaints('flowcontrol.apiserver.k8s.io', plural, 'status'), 0);
    }
    for (const plural of ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations']) {
      assert.equal(await changes('admissionregistration.k8s.io', plural), 0);
      assert.equal(await complaints('admissionregistration.k8s.io', plural), 1);
    }
    assert.equal(await complaints('admissionregistration.k8s.io', 'validatingadmissionpolicies', 'status'), 0);
  });

  it('counts an empty list as a change where Go compares deeply', () => {
    const generationAfter = (group: string, plural: string, given: Record<string, unknown>): unknown => {
      const resource = resourceNamed(group, plural);
      const type = requireType(resource.info.kind);
      const old: KubeObject = { ...mislabelled, metadata: { name: 'a', generation: 1 }, spec: { podSelector: {} } };
      const { object } = decodeObject({ spec: { podSelector: {} }, ...given }, type);
      const changed = { ...old, ...object, metadata: { ...old.metadata } };
      void strategyFor(resource, type, ['v1']).prepareForUpdate?.(ctx, changed, old);
      return changed.metadata.generation;
    };
    const policies = ['networking.k8s.io', 'networkpolicies'] as const;
    assert.equal(generationAfter(...policies, { spec: { podSelector: {}, ingress: [] } }), 2);
    assert.equal(generationAfter(...policies, { spec: { podSelector: { matchLabels: {} } } }), 2);
    assert.equal(generationAfter(...policies, { spec: { podSelector: {}, ingress: null } }), 1);
    const hooks = ['admissionregistration.k8s.io', 'validatingwebhookconfigurations'] as const;
    assert.equal(generationAfter(...hooks, { webhooks: [] }), 2);
    assert.equal(generationAfter(...hooks, {}), 1);
  });

  it('does not delete a pod by a status update', () => {
    const pods = resourceNamed('', 'pods');
    const status = subresourceStrategyFor(pods, 'status', strategyFor(pods, requireType(pods.info.kind), ['v1']), [
      'v1',
    ]);
    const pod = { ...mislabelled, metadata: { name: 'a', deletionTimestamp: '2001-01-01T00:00:00Z' } };
    void status?.prepareForUpdate?.(ctx, pod, mislabelled);
    assert.equal(pod.metadata.deletionTimestamp, undefined);
  });

  it('does so through subresources', async () => {
    assert.equal(await complaints('', 'namespaces', 'status'), 1);
    assert.equal(await complaints('', 'namespaces', 'finalize'), 1);
    assert.equal(await complaints('', 'services', 'status'), 1);
    assert.equal(await complaints('batch', 'cronjobs', 'status'), 0);
    assert.equal(await complaints('networking.k8s.io', 'servicecidrs', 'status'), 1);
    assert.equal(await complaints('policy', 'poddisruptionbudgets', 'status'), 0);
  });

  it('repeats metadata errors in the order of the kind', async () => {
    const order = async (group: string, plural: string, old: object, fresh: object): Promise<string[]> => {
      const resource = resourceNamed(group, plural);
      const strategy = strategyFor(resource, requireType(resource.info.kind), ['v1']);
      const errors = await strategy.validateUpdate?.(ctx, { ...mislabelled, ...fresh }, { ...mislabelled, ...old });
      return (errors ?? []).map(({ field }) => field);
    };
    const label = 'metadata.labels';
    assert.deepEqual(await order('apps', 'controllerrevisions', { data: { a: 1 } }, { data: {} }), [
      label,
      label,
      'data',
    ]);
    const handlers = await order('node.k8s.io', 'runtimeclasses', { handler: 'a' }, { handler: 'B' });
    assert.deepEqual(handlers, ['metadata.namespace', label, 'handler', label, 'handler']);
  });

  it('has every subresource with validation', () => {
    for (const { group, resources } of builtinGroupVersions) {
      for (const { info } of resources) {
        const known = Object.keys(behaviourOf(group, info.plural).subresources ?? {});
        const checked = Object.keys(validationOf(group, info.plural).subresources ?? {});
        assert.deepEqual(
          checked.filter((name) => !known.includes(name)),
          [],
          `${info.plural}.${group}`,
        );
      }
    }
  });

  it('creates a service by a status update, and no other kind', () => {
    const creators = builtinGroupVersions.flatMap(({ group, resources }) =>
      resources
        .filter(({ info }) => {
          const resource = resourceNamed(group, info.plural);
          const main = strategyFor(resource, requireType(resource.info.kind), ['v1']);
          return subresourceStrategyFor(resource, 'status', main, ['v1'])?.allowCreateOnUpdate === true;
        })
        .map(({ info }) => info.plural),
    );
    assert.deepEqual(creators, ['services']);
  });
});
