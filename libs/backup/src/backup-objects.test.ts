import assert from 'node:assert/strict';
import { encodeCbor } from '@apichain/scheme';
import { BackupObjects } from './backup-objects.ts';
import { EncryptedValues } from './encrypted-values.ts';
import { configMap, crdKey, inCbor, inJson, inProtobuf, stored, widgetCrd } from './objects.fixture.ts';
import { chooseObjects, labelsMatch } from './selection.ts';
import { resourceName } from './stored-resources.ts';

/** The protobuf envelope of an object whose message is empty. */
function envelopeOf(apiVersion: string, kind: string): Buffer {
  const field = (number: number, content: Buffer) =>
    Buffer.concat([Buffer.from([(number << 3) | 2, content.length]), content]);
  const typeMeta = Buffer.concat([field(1, Buffer.from(apiVersion)), field(2, Buffer.from(kind))]);
  return Buffer.concat([Buffer.from('k8s\0'), field(1, typeMeta), field(2, Buffer.alloc(0))]);
}

const object = (backup: BackupObjects, key: string) => {
  const entry = backup.entries.get(key);
  assert.ok(entry !== undefined, key);
  return backup.object(entry);
};

describe('the objects of a backup', () => {
  it('are those of built-in and of custom resources, wherever their keys are', async () => {
    const backup = await BackupObjects.of([
      inJson('/configmaps/shop/a', configMap('a', {})),
      inJson('/services/specs/shop/web', { apiVersion: 'v1', kind: 'Service', metadata: {} }),
      inJson('/services/endpoints/shop/web', { apiVersion: 'v1', kind: 'Endpoints', metadata: {} }),
      inJson('/minions/n1', { apiVersion: 'v1', kind: 'Node', metadata: {} }),
      inJson('/apiregistration.k8s.io/apiservices/v1.', { metadata: {} }),
      inJson(crdKey, widgetCrd),
      inJson('/example.com/widgets/shop/w', { apiVersion: 'example.com/v1', kind: 'Widget', metadata: {} }),
      ...['/ranges/serviceips', '/masterleases/10.0.0.1', '/example.com/gadgets/shop/g', '/pods/no-namespace'].map(
        (key) => stored(key, 'x'),
      ),
      { key: Buffer.from('compact_rev_key'), value: Buffer.from('1'), modRevision: 1 },
    ]);
    const places = [...backup.entries.values()].map(({ place: { resource, namespace, name } }) =>
      [resourceName(resource), resource.version, namespace, name].join(' '),
    );
    assert.deepEqual(places, [
      'configmaps v1 shop a',
      'services v1 shop web',
      'endpoints v1 shop web',
      'nodes v1  n1',
      'apiservices.apiregistration.k8s.io v1  v1.',
      'customresourcedefinitions.apiextensions.k8s.io v1  widgets.example.com',
      'widgets.example.com v1 shop w',
    ]);
  });

  it('are equal in JSON and in protobuf, and definitions in v1beta1 are read in v1', async () => {
    const beta = {
      ...{ apiVersion: 'apiextensions.k8s.io/v1beta1', kind: 'CustomResourceDefinition', metadata: { name: 'a' } },
      spec: { group: 'example.com', version: 'v1', names: { plural: 'widgets' }, scope: 'Namespaced' },
    };
    const a = configMap('a', { b: 'c' });
    const backup = await BackupObjects.of([
      inProtobuf('/configmaps/shop/a', a),
      inJson('/configmaps/shop/b', { ...a, metadata: { ...a.metadata, creationTimestamp: null } }),
      inJson(crdKey, beta),
    ]);
    const proto = await object(backup, '/configmaps/shop/a');
    assert.deepEqual(proto.data, { b: 'c' });
    assert.deepEqual(JSON.parse(JSON.stringify(proto)), { ...a });
    const crd = await object(backup, crdKey);
    assert.equal(crd.apiVersion, 'apiextensions.k8s.io/v1');
    assert.equal(backup.resources.named('widgets')[0]?.version, 'v1');
  });

  it('are equal in JSON and in CBOR, and CBOR that is cut off is told apart', async () => {
    const widget = {
      ...{ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'shop' } },
      spec: { number: 1.5, list: [], big: 9007199254740993n },
    };
    const backup = await BackupObjects.of([
      inJson(crdKey, widgetCrd),
      inCbor('/example.com/widgets/shop/w', widget),
      stored('/example.com/widgets/shop/cut', inCbor('/x', widget).value.subarray(0, -1)),
      stored('/example.com/widgets/shop/list', encodeCbor([])),
      inCbor('/gone.example.com/gadgets/shop/a', { ...widget, apiVersion: 'gone.example.com/v1', kind: 'Gadget' }),
    ]);
    assert.deepEqual(await object(backup, '/example.com/widgets/shop/w'), widget);
    await assert.rejects(object(backup, '/example.com/widgets/shop/cut'), /cannot be decoded: unexpected EOF/);
    await assert.rejects(object(backup, '/example.com/widgets/shop/list'), /cannot be decoded: it is no object/);
    assert.deepEqual(backup.unserved, [{ kind: 'gone.example.com/v1 Gadget', count: 1 }]);
  });

  it('that cannot be read are told apart, and disturb no others', async () => {
    const values = [
      stored('/secrets/shop/a', 'k8s:enc:aescbc:v1:key1:xyz'),
      stored('/configmaps/shop/b', 'no json'),
      stored('/configmaps/shop/c', '"text"'),
      stored(crdKey, 'k8s:enc:aescbc:v1:key1:xyz'),
      stored('/example.com/widgets/shop/w', 'k8s:enc:aescbc:v1:key1:xyz'),
      inJson('/configmaps/shop/d', configMap('d', {})),
    ];
    const backup = await BackupObjects.of(values);
    const unreadable = (key: string, message: RegExp) =>
      assert.rejects(object(backup, key), { name: 'UnreadableError', message });
    await unreadable(
      '/secrets/shop/a',
      /^it is encrypted at rest \(aescbc, key "key1"\): use the --encryption-provider/,
    );
    await unreadable('/configmaps/shop/b', /^it cannot be decoded: /);
    await unreadable('/configmaps/shop/c', /^it cannot be decoded: it is no object with metadata$/);
    assert.equal((await object(backup, '/configmaps/shop/d')).metadata.name, 'd');
    const encrypted = new EncryptedValues('/registry');
    for (const value of values) encrypted.add(value);
    assert.deepEqual(Object.fromEntries(encrypted.counts), {
      secrets: 1,
      'customresourcedefinitions.apiextensions.k8s.io': 1,
      'widgets.example.com': 1,
    });
  });

  it('are told apart from those of APIs that are not served', async () => {
    const policy = { apiVersion: 'policy/v1beta1', kind: 'PodSecurityPolicy', metadata: { name: 'restricted' } };
    const gone = { apiVersion: 'gone.example.com/v1', kind: 'Gadget', metadata: { name: 'a' } };
    const remote = { group: 'metrics.example.com', version: 'v1', service: { namespace: 'default', name: 'metrics' } };
    const apiService = (name: string, spec: object) =>
      inJson(`/apiregistration.k8s.io/apiservices/${name}`, {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name },
        spec,
      });
    const backup = await BackupObjects.of([
      inProtobuf('/configmaps/shop/a', configMap('a', {})),
      stored('/podsecuritypolicy/restricted', envelopeOf(policy.apiVersion, policy.kind)),
      inJson('/podsecuritypolicy/open', policy),
      ...['a', 'b', 'c'].map((name) => inJson(`/gone.example.com/gadgets/shop/${name}`, gone)),
      stored('/broken/a', '{'),
      ...['/ranges/serviceips', '/masterleases/10.0.0.1', '/peerserverleases/x'].map((key) => stored(key, 'x')),
      apiService('v1.metrics.example.com', remote),
      apiService('v1.apps', { group: 'apps', version: 'v1' }),
    ]);
    assert.deepEqual(backup.unserved, [
      { kind: 'gone.example.com/v1 Gadget', count: 3 },
      { kind: 'policy/v1beta1 PodSecurityPolicy', count: 2 },
      { kind: 'broken', count: 1 },
    ]);
    assert.deepEqual(await backup.ofExtensionServers(), ['metrics.example.com/v1']);
  });

  it('are chosen by kind, name and namespace as with kubectl, and by label', async () => {
    const backup = await BackupObjects.of([
      inJson(crdKey, widgetCrd),
      ...['/configmaps/shop/a', '/configmaps/shop/b', '/configmaps/home/a', '/deployments/shop/a', '/minions/a'].map(
        (key) => stored(key, 'x'),
      ),
      stored('/example.com/widgets/shop/a', 'x'),
    ]);
    const chosen = (resources: string[], namespaces: string[] = []) => {
      const { includes } = chooseObjects([backup], { resources, namespaces });
      return [...backup.entries].filter(([, { place }]) => includes(place)).map(([key]) => key);
    };
    assert.equal(chosen([]).length, 7);
    assert.deepEqual(chosen(['cm/a']), ['/configmaps/shop/a', '/configmaps/home/a']);
    assert.deepEqual(chosen(['cm/a', 'configmap/b'], ['shop']), ['/configmaps/shop/a', '/configmaps/shop/b']);
    assert.deepEqual(chosen(['ConfigMap', 'cm/a'], ['home']), ['/configmaps/home/a']);
    assert.deepEqual(chosen(['deployments.apps', 'wi', 'nodes']).length, 3);
    assert.throws(() => chosen(['gadgets']), { message: 'there is no resource "gadgets" in it' });
    const matches = labelsMatch('app=web,tier!=db');
    assert.equal(matches(configMap('a', {}, { labels: { app: 'web' } })), true);
    assert.equal(matches(configMap('a', {}, { labels: { app: 'web', tier: 'db' } })), false);
    assert.throws(() => labelsMatch('app='.repeat(3)));
  });
});
