import assert from 'node:assert/strict';
import { isEnabled } from '@apichain/admission';
import { apiSet, apiSetOf, serviceRouting } from './api-sets.ts';
import { FlagError } from './flag.ts';

describe('the sets of --apis', () => {
  const minimal = apiSet('minimal');

  it('are all, by default, and minimal', () => {
    assert.equal(apiSetOf(['--v=2']).serves({ group: '', resource: 'pods' }), true);
    assert.equal(apiSetOf(['--apis=all', '--apis=minimal']), minimal);
    assert.throws(() => apiSet('some'), new FlagError('--apis: "some" is not one of all, minimal'));
    assert.throws(() => apiSet('toString'), FlagError);
  });

  it('minimal has what a control plane without pods needs', () => {
    const served = ['namespaces', 'secrets', 'configmaps', 'serviceaccounts', 'events', 'resourcequotas'];
    for (const resource of served) assert.ok(minimal.serves({ group: '', resource }), resource);
    const absent = ['pods', 'nodes', 'services', 'endpoints', 'persistentvolumes', 'limitranges', 'podtemplates'];
    for (const resource of absent) assert.ok(!minimal.serves({ group: '', resource }), resource);
    assert.ok(minimal.serves({ group: 'rbac.authorization.k8s.io', resource: 'roles' }));
    for (const group of ['apps', 'batch', 'networking.k8s.io', 'storage.k8s.io', 'toString'])
      assert.ok(!minimal.servesGroup(group), group);
  });

  it('minimal turns off plugins that are on by default', () => {
    for (const name of minimal.idlePlugins) assert.ok(isEnabled(name, { enable: [], disable: [] }), name);
    for (const name of ['NamespaceLifecycle', 'ResourceQuota', 'ValidatingAdmissionWebhook'])
      assert.ok(!minimal.idlePlugins.includes(name), name);
  });

  it('say how services are reached', () => {
    assert.equal(serviceRouting(apiSet('all'), false), 'cluster-ip');
    assert.equal(serviceRouting(apiSet('all'), true), 'endpoints');
    assert.equal(serviceRouting(minimal, true), 'dns');
  });
});
