import assert from 'node:assert/strict';
import { BackupObjects } from './backup-objects.ts';
import { exportObjects } from './export.ts';
import { collected, configMap, crdKey, inJson, stored, widgetCrd } from './objects.fixture.ts';
import { chooseObjects } from './selection.ts';

async function exported(
  values: Parameters<typeof BackupObjects.of>[0],
  resources: string[] = [],
  options: { showSecrets?: boolean } = {},
) {
  const backup = await BackupObjects.of(values);
  const chosen = chooseObjects([backup], { resources, namespaces: [] });
  return collected(exportObjects(backup, { chosen, ...options }));
}

async function manifest(key: string, object: object): Promise<unknown> {
  const [only] = await exported(
    [inJson(key, object)],
    [key.split('/')[1] === 'services' ? 'services' : (key.split('/')[1] ?? '')],
  );
  assert.ok(only !== undefined && 'manifest' in only);
  return JSON.parse(JSON.stringify(only.manifest));
}

const metadata = {
  ...{ name: 'a', namespace: 'shop', uid: 'u', generation: 3, creationTimestamp: '2026-01-01T00:00:00Z' },
  ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'o' }],
  managedFields: [{ manager: 'm' }],
  annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
};
const kept = { name: 'a', namespace: 'shop' };

describe('exported objects', () => {
  it('have nothing of the cluster that they were in', async () => {
    const container = { name: 'c', image: 'i', resources: {} };
    const core = (kind: string, more: object) => ({ apiVersion: 'v1', kind, metadata, ...more });
    const clean = (kind: string, more: object = {}) => ({ apiVersion: 'v1', kind, metadata: kept, ...more });
    assert.deepEqual(
      await manifest(
        '/pods/shop/a',
        core('Pod', {
          spec: {
            containers: [container],
            nodeName: 'n',
            priority: 5,
            priorityClassName: 'high',
            preemptionPolicy: 'Never',
          },
          status: { phase: 'Running' },
        }),
      ),
      clean('Pod', { spec: { containers: [container], priorityClassName: 'high' } }),
    );
    const ports = [{ port: 80, nodePort: 30_080, targetPort: 80 }];
    assert.deepEqual(
      await manifest(
        '/services/specs/shop/a',
        core('Service', { spec: { clusterIP: '10.0.0.9', clusterIPs: ['10.0.0.9'], ports } }),
      ),
      clean('Service', { spec: { ports } }),
    );
    const headless = { spec: { clusterIP: 'None', clusterIPs: ['None'] } };
    assert.deepEqual(await manifest('/services/specs/shop/a', core('Service', headless)), clean('Service', headless));
    assert.deepEqual(
      await manifest(
        '/persistentvolumeclaims/shop/a',
        core('PersistentVolumeClaim', { spec: { volumeName: 'v', volumeMode: 'Block', resources: {} } }),
      ),
      clean('PersistentVolumeClaim', { spec: { volumeMode: 'Block', resources: {} } }),
    );
    assert.deepEqual(
      await manifest(
        '/serviceaccounts/shop/a',
        core('ServiceAccount', { secrets: [{ name: 'a-token-x1' }, { name: 'mine' }] }),
      ),
      clean('ServiceAccount', { secrets: [{ name: 'mine' }] }),
    );
    const job = (labels: object, more: object) => ({
      ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { ...kept, labels } },
      spec: { ...more, template: { metadata: { labels }, spec: { containers: [container] } } },
    });
    const labels = { 'controller-uid': 'u', 'batch.kubernetes.io/controller-uid': 'u', 'job-name': 'a' };
    assert.deepEqual(
      await manifest('/jobs/shop/a', job({ ...labels, app: 'web' }, { selector: { matchLabels: labels } })),
      job({ app: 'web' }, {}),
    );
  });

  it('are in an order in which they can be applied, without what a cluster makes itself', async () => {
    const named = (key: string, kind: string, more: object = {}) =>
      inJson(key, { apiVersion: 'v1', kind, metadata: { name: key.split('/').at(-1), ...more } });
    const owned = {
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: 'r', controller: true }],
    };
    const values = [
      inJson('/example.com/widgets/shop/w', { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } }),
      inJson('/configmaps/shop/a', configMap('a', {})),
      named('/pods/shop/p', 'Pod'),
      named('/pods/shop/owned', 'Pod', owned),
      named('/events/shop/e', 'Event'),
      named('/namespaces/shop', 'Namespace'),
      named('/namespaces/kube-system', 'Namespace'),
      named('/serviceaccounts/shop/default', 'ServiceAccount'),
      named('/configmaps/shop/kube-root-ca.crt', 'ConfigMap'),
      inJson(crdKey, widgetCrd),
      inJson('/clusterroles/admin', {
        ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' },
        metadata: { name: 'admin', labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' } },
      }),
    ];
    const names = async (resources?: string[]) =>
      (await exported(values, resources)).map(({ place }) => `${place.resource.kind} ${place.name}`);
    assert.deepEqual(await names(), [
      'Namespace shop',
      'CustomResourceDefinition widgets.example.com',
      'ConfigMap a',
      'Pod p',
      'Widget w',
    ]);
    // What is asked for by kind is not left out.
    assert.deepEqual(await names(['pods', 'ns/kube-system']), ['Namespace kube-system', 'Pod owned', 'Pod p']);
  });

  it('are masked Secrets unless the values are wanted, and say what cannot be read', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { a: 'aHVzaA==' } };
    const values = [inJson('/secrets/shop/s', secret), stored('/secrets/shop/t', 'k8s:enc:aesgcm:v1:k:x')];
    const [masked, unreadable] = await exported(values);
    assert.ok(masked !== undefined && 'manifest' in masked && masked.masked);
    assert.deepEqual(masked.manifest.data, { a: 'Kioq' });
    assert.ok(unreadable !== undefined && 'unreadable' in unreadable);
    assert.match(unreadable.unreadable, /^it is encrypted at rest \(aesgcm, key "k"\)/);
    const [open] = await exported(values, [], { showSecrets: true });
    assert.ok(open !== undefined && 'manifest' in open && !open.masked);
    assert.deepEqual(open.manifest.data, secret.data);
  });
});
