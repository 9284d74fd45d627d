import type { KubeObject } from '@apichain/meta';
import { rejection, type Scenario } from './scenario.ts';
import type { Stage } from './stage.ts';

const storageClass = (name: string, volumeBindingMode: string, provisioner = 'example.com/disks'): KubeObject => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name },
  provisioner,
  volumeBindingMode,
});

const claim = (stage: Stage, name: string, storageClassName: string, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: stage.namespace },
  spec: { storageClassName, accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...more },
});

const volume = (name: string, storageClassName: string, node: string, storage = '1Gi'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: {
    storageClassName,
    capacity: { storage },
    accessModes: ['ReadWriteOnce'],
    persistentVolumeReclaimPolicy: 'Retain',
    local: { path: '/mnt' },
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }] }],
      },
    },
  },
  status: { phase: 'Available' },
});

const using = (claimName: string) => ({
  spec: {
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
    containers: [{ name: 'main', image: 'example.com/main:1' }],
  },
});

/** What the controller of volumes does when it has found a volume for a claim. */
async function completeBinding(stage: Stage, claimName: string, volumeName: string): Promise<void> {
  await stage.patch('', 'persistentvolumeclaims', claimName, {
    metadata: { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
    spec: { volumeName },
  });
  await stage.patch('', 'persistentvolumeclaims', claimName, { status: { phase: 'Bound' } }, 'status');
}

/** What schedulers do about volumes. */
export const volumeScenarios: readonly Scenario[] = [
  rejection('a claim that does not exist', async (stage) => {
    await stage.node('n1');
    await stage.pod('subject', using('none'));
  }),
  rejection('a claim that is bound immediately, and is not yet', async (stage) => {
    await stage.node('n1');
    await stage.create('storage.k8s.io', 'storageclasses', storageClass('immediate', 'Immediate'));
    await stage.create('', 'persistentvolumeclaims', claim(stage, 'data', 'immediate'));
    await stage.pod('subject', using('data'));
  }),
  rejection('a volume on another node, and a class without provisioner', async (stage) => {
    await stage.node('n1');
    await stage.node('n2', { unschedulable: true });
    await stage.create(
      'storage.k8s.io',
      'storageclasses',
      storageClass('local', 'WaitForFirstConsumer', 'kubernetes.io/no-provisioner'),
    );
    await stage.create('', 'persistentvolumes', volume('pv1', 'local', 'n2'));
    await stage.create('', 'persistentvolumeclaims', claim(stage, 'data', 'local'));
    await stage.pod('subject', using('data'));
  }),
  rejection('a bound volume that the node cannot reach', async (stage) => {
    await stage.node('n1');
    await stage.create(
      'storage.k8s.io',
      'storageclasses',
      storageClass('local', 'WaitForFirstConsumer', 'kubernetes.io/no-provisioner'),
    );
    await stage.create('', 'persistentvolumes', volume('pv1', 'local', 'n9'));
    await stage.create('', 'persistentvolumeclaims', claim(stage, 'data', 'local'));
    await completeBinding(stage, 'data', 'pv1');
    await stage.pod('subject', using('data'));
  }),
  rejection('an ephemeral volume whose claim was not made', async (stage) => {
    await stage.node('n1');
    const { spec } = claim(stage, 'any', 'immediate') as { spec?: object };
    await stage.pod('subject', {
      spec: {
        volumes: [{ name: 'data', ephemeral: { volumeClaimTemplate: { spec: spec ?? {} } } }],
        containers: [{ name: 'main', image: 'example.com/main:1' }],
      },
    });
  }),
  rejection('a claim for one pod that another one uses', async (stage) => {
    await stage.node('n1');
    await stage.create(
      'storage.k8s.io',
      'storageclasses',
      storageClass('local', 'WaitForFirstConsumer', 'kubernetes.io/no-provisioner'),
    );
    await stage.create('', 'persistentvolumes', {
      ...volume('pv1', 'local', 'n1'),
    });
    await stage.create(
      '',
      'persistentvolumeclaims',
      claim(stage, 'data', 'local', { accessModes: ['ReadWriteOncePod'] }),
    );
    await completeBinding(stage, 'data', 'pv1');
    await stage.pod('first', using('data'));
    await stage.bound('first');
    await stage.pod('subject', using('data'));
  }),
  rejection('a volume in another zone', async (stage) => {
    await stage.node('n1', { labels: { 'topology.kubernetes.io/zone': 'a' } });
    await stage.create('storage.k8s.io', 'storageclasses', storageClass('dynamic', 'Immediate'));
    const { spec, ...zonal } = volume('pv1', 'dynamic', 'n1') as KubeObject & { spec: { nodeAffinity?: unknown } };
    delete spec.nodeAffinity;
    const labels = { 'topology.kubernetes.io/zone': 'b' };
    await stage.create('', 'persistentvolumes', {
      ...zonal,
      metadata: { ...zonal.metadata, labels },
      spec: { ...spec, local: null, hostPath: { path: '/mnt' } },
    });
    await stage.create('', 'persistentvolumeclaims', claim(stage, 'data', 'dynamic'));
    await completeBinding(stage, 'data', 'pv1');
    await stage.pod('subject', using('data'));
  }),
  rejection('more volumes than a driver can attach', async (stage) => {
    await stage.node('n1');
    await stage.create('storage.k8s.io', 'csinodes', {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: { name: 'n1' },
      spec: { drivers: [{ name: 'disks.example.com', nodeID: 'n1', topologyKeys: [], allocatable: { count: 1 } }] },
    });
    await stage.create('storage.k8s.io', 'storageclasses', storageClass('csi', 'Immediate', 'disks.example.com'));
    for (const number of [1, 2]) {
      const { spec, ...rest } = volume(`pv${number}`, 'csi', 'n1') as KubeObject & { spec: object };
      const csi = { driver: 'disks.example.com', volumeHandle: `disk-${number}` };
      await stage.create('', 'persistentvolumes', { ...rest, spec: { ...spec, local: null, csi } });
      await stage.create('', 'persistentvolumeclaims', claim(stage, `data${number}`, 'csi'));
      await completeBinding(stage, `data${number}`, `pv${number}`);
    }
    await stage.pod('first', using('data1'));
    await stage.bound('first');
    await stage.pod('subject', using('data2'));
  }),
  {
    name: 'a volume on one of two nodes',
    async run(stage) {
      await stage.node('n1', { cpu: '16', memory: '64Gi' });
      await stage.node('n2');
      await stage.create(
        'storage.k8s.io',
        'storageclasses',
        storageClass('local', 'WaitForFirstConsumer', 'kubernetes.io/no-provisioner'),
      );
      await stage.create('', 'persistentvolumes', volume('pv1', 'local', 'n2', '5Gi'));
      await stage.create('', 'persistentvolumes', volume('pv2', 'local', 'n2', '2Gi'));
      await stage.create('', 'persistentvolumeclaims', claim(stage, 'data', 'local'));
      await stage.pod('subject', using('data'));
      const reference = await stage.claimRef('pv2');
      await completeBinding(stage, 'data', 'pv2');
      await stage.bound('subject');
      await stage.recorded('subject', / Scheduled /);
      const result = await stage.result('subject');
      return { subject: { ...result, events: [...result.events, reference] } };
    },
  },
  {
    name: 'a volume that is to be provisioned',
    async run(stage) {
      await stage.node('n1');
      await stage.create('storage.k8s.io', 'storageclasses', storageClass('dynamic', 'WaitForFirstConsumer'));
      await stage.create('', 'persistentvolumeclaims', claim(stage, 'data', 'dynamic'));
      await stage.pod('subject', using('data'));
      const node = await stage.selectedNode('data');
      await stage.create('', 'persistentvolumes', volume('pv1', 'dynamic', 'n1'));
      await completeBinding(stage, 'data', 'pv1');
      await stage.bound('subject');
      await stage.recorded('subject', / Scheduled /);
      const result = await stage.result('subject');
      return { subject: { ...result, events: [...result.events, node] } };
    },
  },
];
