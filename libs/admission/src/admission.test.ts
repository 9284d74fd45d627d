import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { isStatusError } from '@apichain/meta';
import { AdmissionChain } from './chain.ts';
import { NamespaceLifecycle, type NamespaceState } from './namespace-lifecycle.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './plugin.ts';
import { composeAdmission } from './registry.ts';

const attributes = (more: Partial<AdmissionAttributes> = {}): AdmissionAttributes => ({
  operation: 'CREATE',
  kind: { group: '', version: 'v1', kind: 'ConfigMap' },
  resource: { group: '', version: 'v1', resource: 'configmaps' },
  subresource: '',
  namespace: 'ns',
  name: 'a',
  object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } },
  dryRun: false,
  user: { name: 'u', uid: '', groups: [], extra: {} },
  warn: () => undefined,
  ...more,
});

describe('AdmissionChain', () => {
  it('runs every mutating plugin before the first validating one', async () => {
    const order: string[] = [];
    const plugin = (name: string): AdmissionPlugin => ({
      name,
      handles: new Set(['CREATE']),
      admit: () => void order.push(`admit ${name}`),
      validate: () => void order.push(`validate ${name}`),
    });
    const chain = new AdmissionChain([plugin('a'), plugin('b')]);
    await chain.admit(attributes());
    await chain.validate(attributes());
    await chain.admit(attributes({ operation: 'UPDATE' }));
    assert.deepEqual(order, ['admit a', 'admit b', 'validate a', 'validate b']);
    assert.equal(chain.mutates('DELETE'), false);
  });
});

describe('composeAdmission', () => {
  const built = { NamespaceLifecycle: () => ({ name: 'NamespaceLifecycle', handles: new Set<never>() }) };

  it('enables the default plugins, without the disabled ones', () => {
    assert.deepEqual(
      composeAdmission(built).chain.plugins.map(({ name }) => name),
      ['NamespaceLifecycle'],
    );
    const none = composeAdmission(built, { enable: [], disable: ['NamespaceLifecycle'] });
    assert.equal(none.chain.plugins.length, 0);
  });

  it('refuses unknown plugins and warns of plugins that are not implemented', () => {
    assert.throws(
      () => composeAdmission(built, { enable: ['Nope'], disable: [] }),
      /^Error: enable-admission-plugins plugin "Nope" is unknown$/,
    );
    assert.equal(composeAdmission(built, { enable: ['EventRateLimit'], disable: [] }).warnings.length, 1);
  });
});

describe('NamespaceLifecycle', () => {
  const plugin = (live: Record<string, NamespaceState>, cached: Record<string, NamespaceState> = {}) =>
    new NamespaceLifecycle({ cached: (name) => cached[name], live: (name) => Promise.resolve(live[name]) });

  it('admits objects in a namespace that only the store has, without waiting for the cache', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      await plugin({ ns: { terminating: false } }).admit(attributes());
    } finally {
      mock.timers.reset();
    }
  });

  it('answers 404 when the namespace does not exist', async () => {
    await assert.rejects(
      plugin({}).admit(attributes()),
      (error) => isStatusError(error, 'NotFound') && error.message === 'namespaces "ns" not found',
    );
  });

  it('refuses new objects in a terminating namespace', async () => {
    await assert.rejects(plugin({}, { ns: { terminating: true } }).admit(attributes()), (error) => {
      assert.ok(isStatusError(error, 'Forbidden'));
      assert.equal(
        error.message,
        'configmaps "a" is forbidden: unable to create new content in namespace ns because it is being terminated',
      );
      assert.deepEqual(error.status.details?.causes, [
        { reason: 'NamespaceTerminating', message: 'namespace ns is being terminated', field: 'metadata.namespace' },
      ]);
      return true;
    });
  });

  it('calls what has no name yet unknown', async () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} };
    await assert.rejects(
      plugin({}, { ns: { terminating: true } }).admit(attributes({ name: '', object })),
      (error) => isStatusError(error, 'Forbidden') && error.status.details?.name === 'Unknown',
    );
  });

  it('admits updates, cluster-scoped objects and local access reviews', async () => {
    const lifecycle = plugin({});
    await lifecycle.admit(attributes({ operation: 'UPDATE' }));
    await lifecycle.admit(attributes({ namespace: '' }));
    await lifecycle.admit(
      attributes({ resource: { group: 'authorization.k8s.io', version: 'v1', resource: 'localsubjectaccessreviews' } }),
    );
  });

  it('refuses the deletion of system namespaces', async () => {
    const namespace = { kind: { group: '', version: 'v1', kind: 'Namespace' }, operation: 'DELETE' as const };
    await assert.rejects(
      plugin({}).admit(attributes({ ...namespace, name: 'kube-system', namespace: '' })),
      (error) => isStatusError(error, 'Forbidden') && error.message.endsWith('this namespace may not be deleted'),
    );
    await plugin({}).admit(attributes({ ...namespace, name: 'mine', namespace: '' }));
  });

  it('does not trust the cache about a namespace that was deleted a moment ago', async () => {
    const lifecycle = plugin({ ns: { terminating: true } }, { ns: { terminating: false } });
    await lifecycle.admit(attributes());
    const namespace = { kind: { group: '', version: 'v1', kind: 'Namespace' }, operation: 'DELETE' as const };
    await lifecycle.admit(attributes({ ...namespace, name: 'ns', namespace: '' }));
    await assert.rejects(lifecycle.admit(attributes()), /being terminated/);
  });
});
