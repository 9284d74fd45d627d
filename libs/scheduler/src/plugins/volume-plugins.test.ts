import assert from 'node:assert/strict';
import type { PersistentVolume, PersistentVolumeClaim, PodSpec } from '@apichain/api/core/v1';
import type { Cluster } from '../cluster/cluster.ts';
import { testCluster, testPodInfo } from '../cluster/objects.fixture.ts';
import { isRejection, type Plugin, type Reservation } from '../framework/plugin.ts';
import type { VolumePlan } from '../volumes/pod-volumes.ts';
import { dynamicResources } from './dynamic-resources.ts';
import { nodeVolumeLimits } from './node-volume-limits.ts';
import { rejectionsOf } from './plugins.fixture.ts';
import { volumeBinding } from './volume-binding.ts';
import { volumeRestrictions } from './volume-restrictions.ts';
import { volumeZone } from './volume-zone.ts';

const reserved: VolumePlan[] = [];
const reservation: Reservation = {
  plugin: 'VolumeBinding',
  release: () => undefined,
  write: async () => undefined,
  settled: async () => undefined,
};
const binding = volumeBinding({
  reserve: (_pod, _node, plan) => {
    reserved.push(plan);
    return reservation;
  },
});

interface ClaimOptions {
  readonly className?: string;
  readonly volumeName?: string;
  readonly annotations?: Record<string, string>;
  readonly storage?: string;
  readonly mode?: string;
  readonly phase?: string;
}

const claim = (name: string, options: ClaimOptions = {}): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: {
    name,
    namespace: 'default',
    uid: name,
    annotations: {
      ...(options.volumeName === undefined ? {} : { 'pv.kubernetes.io/bind-completed': 'yes' }),
      ...options.annotations,
    },
  },
  spec: {
    storageClassName: options.className ?? 'delayed',
    accessModes: [options.mode ?? 'ReadWriteOnce'],
    resources: { requests: { storage: options.storage ?? '1Gi' } },
    ...(options.volumeName === undefined ? {} : { volumeName: options.volumeName }),
  },
  status: { phase: options.phase ?? 'Pending' },
});

const volume = (
  name: string,
  node: string | undefined,
  storage = '1Gi',
  more: Partial<PersistentVolume> = {},
): PersistentVolume => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  status: { phase: 'Available' },
  ...more,
  spec: {
    storageClassName: 'delayed',
    capacity: { storage },
    accessModes: ['ReadWriteOnce', 'ReadWriteOncePod'],
    ...(node === undefined
      ? {}
      : {
          nodeAffinity: {
            required: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }] },
              ],
            },
          },
        }),
    ...more.spec,
  },
});

/** A cluster of n1 and n2 with claims, volumes and three classes. */
function storageCluster(claims: readonly PersistentVolumeClaim[], volumes: readonly PersistentVolume[] = []): Cluster {
  const cluster = testCluster({
    n1: { labels: { 'topology.kubernetes.io/zone': 'a' } },
    n2: { labels: { 'topology.kubernetes.io/zone': 'b' } },
  });
  const { storageClasses, persistentVolumeClaims, persistentVolumes } = cluster.objects;
  for (const [name, provisioner, volumeBindingMode] of [
    ['delayed', 'kubernetes.io/no-provisioner', 'WaitForFirstConsumer'],
    ['dynamic', 'disks.example.com', 'WaitForFirstConsumer'],
    ['immediate', 'disks.example.com', 'Immediate'],
  ] as const)
    storageClasses.set({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name },
      provisioner,
      volumeBindingMode,
    });
  for (const each of claims) persistentVolumeClaims.set(each);
  for (const each of volumes) persistentVolumes.set(each);
  return cluster;
}

const using = (...names: string[]): PodSpec => ({
  volumes: names.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
});
const subject = (...names: string[]) => testPodInfo('subject', { spec: using(...names) });
const check = (plugin: Plugin, cluster: Cluster, ...names: string[]) =>
  rejectionsOf(plugin, subject(...names), cluster);

const noVolume = "X node(s) didn't find available persistent volumes to bind";
const both = (text: string) => ({ n1: text, n2: text });

describe('VolumeBinding', () => {
  const preFilterCases: readonly (readonly [string, readonly PersistentVolumeClaim[], string])[] = [
    ['a claim that does not exist', [], 'X persistentvolumeclaim "data" not found'],
    [
      'an unbound claim of a class that binds immediately',
      [claim('data', { className: 'immediate' })],
      'X pod has unbound immediate PersistentVolumeClaims',
    ],
    ['a claim without class', [claim('data', { className: '' })], 'X pod has unbound immediate PersistentVolumeClaims'],
    [
      'a claim whose volume is lost',
      [claim('data', { volumeName: 'pv1', phase: 'Lost' })],
      'X persistentvolumeclaim "data" bound to non-existent persistentvolume "pv1"',
    ],
  ];
  for (const [title, claims, expected] of preFilterCases)
    it(`rejects ${title}`, () => assert.deepEqual(check(binding, storageCluster(claims), 'data'), both(expected)));

  it('rejects an ephemeral volume whose claim was not made, or was made for another pod', () => {
    const spec = { volumes: [{ name: 'data', ephemeral: {} }] };
    const ephemeral = (claims: readonly PersistentVolumeClaim[]) =>
      rejectionsOf(binding, testPodInfo('subject', { spec }), storageCluster(claims));
    assert.deepEqual(
      ephemeral([]),
      both('X waiting for ephemeral volume controller to create the persistentvolumeclaim "subject-data"'),
    );
    assert.deepEqual(
      ephemeral([claim('subject-data')]),
      both('X PVC default/subject-data was not created for pod default/subject (pod is not owner)'),
    );
  });

  it('rejects nodes that a bound volume is not on', () => {
    const cluster = storageCluster([claim('data', { volumeName: 'pv1' })], [volume('pv1', 'n2')]);
    assert.deepEqual(check(binding, cluster, 'data'), {
      n1: "X node(s) didn't match PersistentVolume's node affinity",
      n2: '',
    });
  });

  it('rejects a bound volume that does not exist', () => {
    const cluster = storageCluster([claim('data', { volumeName: 'pv1' })]);
    assert.deepEqual(
      check(binding, cluster, 'data'),
      both('X node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)'),
    );
  });

  /** The volumes that are chosen on a node, and the claims that are to be provisioned. */
  function plan(cluster: Cluster, node: string, ...names: string[]): string {
    const pod = subject(...names);
    const filter = binding.preFilter?.(pod, cluster);
    assert.ok(filter !== undefined && !isRejection(filter));
    for (const each of cluster.nodes) filter.filter?.(each);
    reserved.length = 0;
    assert.equal(filter.reserve?.(node), reservation);
    const [{ bindings, provisions } = { bindings: [], provisions: [] }] = reserved;
    const pairs = bindings.map((each) => `${each.claim.metadata.name ?? ''}=${each.volume.metadata.name ?? ''}`);
    return [...pairs, ...provisions.map(({ metadata }) => `provision ${metadata.name ?? ''}`)].join(' ');
  }

  it('gives a claim the smallest volume on the node that is large enough', () => {
    const volumes = [
      volume('large', 'n1', '9Gi'),
      volume('right', 'n1', '2Gi'),
      volume('small', 'n1', '500Mi'),
      volume('other', 'n2'),
    ];
    const cluster = storageCluster([claim('data', { storage: '1Gi' })], volumes);
    assert.deepEqual(check(binding, cluster, 'data'), both(''));
    assert.equal(plan(cluster, 'n1', 'data'), 'data=right');
    assert.equal(plan(cluster, 'n2', 'data'), 'data=other');
  });

  it('gives each claim a volume of its own', () => {
    const claims = [claim('big', { storage: '2Gi' }), claim('little')];
    const cluster = storageCluster(claims, [volume('pv1', 'n1', '2Gi'), volume('pv2', 'n1', '3Gi')]);
    assert.equal(plan(cluster, 'n1', 'big', 'little'), 'little=pv1 big=pv2');
    assert.deepEqual(check(binding, cluster, 'big', 'little'), { n1: '', n2: noVolume });
  });

  it('takes no volume that is reserved for another claim, and that of its own claim first', () => {
    const claimRef = (name: string) => ({ spec: { claimRef: { namespace: 'default', name } } });
    const cluster = storageCluster(
      [claim('data')],
      [
        volume('foreign', 'n1', '1Gi', claimRef('else')),
        volume('own', 'n1', '9Gi', claimRef('data')),
        volume('free', 'n1'),
      ],
    );
    assert.equal(plan(cluster, 'n1', 'data'), 'data=own');
    assert.deepEqual(check(binding, cluster, 'data'), { n1: '', n2: noVolume });
  });

  it('has a volume provisioned where none is there, on the selected node only', () => {
    const cluster = storageCluster([claim('data', { className: 'dynamic' })]);
    assert.equal(plan(cluster, 'n2', 'data'), 'provision data');
    const selected = claim('data', {
      className: 'dynamic',
      annotations: { 'volume.kubernetes.io/selected-node': 'n2' },
    });
    assert.deepEqual(check(binding, storageCluster([selected]), 'data'), { n1: noVolume, n2: '' });
  });

  it('asks drivers for their capacity', () => {
    const cluster = storageCluster([claim('data', { className: 'dynamic', storage: '5Gi' })]);
    const { csiDrivers, csiStorageCapacities } = cluster.objects;
    csiDrivers.set({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: 'disks.example.com' },
      spec: { storageCapacity: true },
    });
    const capacity = (name: string, amount: string, zone: string) =>
      csiStorageCapacities.set({
        apiVersion: 'storage.k8s.io/v1',
        kind: 'CSIStorageCapacity',
        metadata: { name, namespace: 'default' },
        storageClassName: 'dynamic',
        capacity: amount,
        nodeTopology: { matchLabels: { 'topology.kubernetes.io/zone': zone } },
      });
    capacity('a', '4Gi', 'a');
    capacity('b', '5Gi', 'b');
    assert.deepEqual(check(binding, cluster, 'data'), { n1: 'X node(s) did not have enough free storage', n2: '' });
  });
});

describe('plugins about volumes', () => {
  it('VolumeZone keeps pods in the zones of their volumes', () => {
    const labels = { 'topology.kubernetes.io/zone': 'b__c' };
    const zonal = volume('pv1', undefined, '1Gi', { metadata: { name: 'pv1', labels } });
    const cluster = storageCluster([claim('data', { volumeName: 'pv1' })], [zonal]);
    assert.deepEqual(check(volumeZone, cluster, 'data'), { n1: 'X node(s) had no available volume zone', n2: '' });
    assert.deepEqual(
      check(volumeZone, storageCluster([claim('data', { className: '' })]), 'data'),
      both('X PersistentVolumeClaim had no pv name and storageClass name'),
    );
  });

  it('VolumeRestrictions lets one pod use a claim with ReadWriteOncePod', () => {
    const cluster = storageCluster([claim('data', { mode: 'ReadWriteOncePod' })]);
    assert.deepEqual(check(volumeRestrictions, cluster, 'data'), both(''));
    cluster.assume(testPodInfo('other', { spec: using('data') }), 'n1');
    const inUse =
      'U node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod';
    assert.deepEqual(check(volumeRestrictions, cluster, 'data'), both(inUse));
    cluster.forget('other');
    assert.deepEqual(check(volumeRestrictions, cluster, 'data'), both(''));
  });

  it('VolumeRestrictions keeps a disk from being mounted twice, unless it is read only', () => {
    const disk = (readOnly: boolean) => ({
      spec: { volumes: [{ name: 'd', gcePersistentDisk: { pdName: 'disk', readOnly } }] },
    });
    const result = (readOnly: boolean) =>
      rejectionsOf(
        volumeRestrictions,
        testPodInfo('subject', disk(readOnly)),
        testCluster({ n1: {}, n2: {} }, { n1: { other: disk(readOnly) } }),
      );
    assert.deepEqual(result(false), { n1: 'U node(s) had no available disk', n2: '' });
    assert.deepEqual(result(true), both(''));
  });

  it('NodeVolumeLimits counts the volumes of a driver on a node', () => {
    const csi = (name: string) =>
      volume(name, undefined, '1Gi', { spec: { csi: { driver: 'disks.example.com', volumeHandle: name } } });
    const cluster = storageCluster(
      [claim('a', { volumeName: 'pv1' }), claim('b', { volumeName: 'pv2' }), claim('c', { className: 'dynamic' })],
      [csi('pv1'), csi('pv2')],
    );
    cluster.objects.csiNodes.set({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: { name: 'n1' },
      spec: { drivers: [{ name: 'disks.example.com', nodeID: 'n1', topologyKeys: [], allocatable: { count: 1 } }] },
    });
    cluster.assume(testPodInfo('other', { spec: using('a') }), 'n1');
    const full = { n1: 'U node(s) exceed max volume count', n2: '' };
    assert.deepEqual(check(nodeVolumeLimits, cluster, 'a'), both(''));
    assert.deepEqual(check(nodeVolumeLimits, cluster, 'b'), full);
    assert.deepEqual(check(nodeVolumeLimits, cluster, 'c'), full);
  });

  it('DynamicResources leaves pods waiting for their claims', () => {
    const cluster = testCluster({ n1: {} });
    const pod = testPodInfo('subject', { spec: { resourceClaims: [{ name: 'gpu', resourceClaimName: 'mine' }] } });
    const made = testPodInfo('subject', {
      spec: { resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 't' }] },
    });
    assert.deepEqual(dynamicResources.preEnqueue?.(made, cluster)?.reasons, [
      'pod "default/subject": ResourceClaim not created yet',
    ]);
    assert.deepEqual(dynamicResources.preEnqueue?.(pod, cluster)?.reasons, [
      'resourceclaim.resource.k8s.io "mine" not found',
    ]);
    cluster.objects.resourceClaims.set({
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: { name: 'mine', namespace: 'default' },
    });
    assert.equal(dynamicResources.preEnqueue?.(pod, cluster), undefined);
    assert.deepEqual(rejectionsOf(dynamicResources, pod, cluster), { n1: 'X cannot allocate all claims' });
  });
});
