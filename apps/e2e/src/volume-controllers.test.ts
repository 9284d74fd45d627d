import assert from 'node:assert/strict';
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from '@apichain/api/core/v1';
import type { StorageClass, VolumeAttachment } from '@apichain/api/storage/v1';
import { RestClient, httpTransport } from '@apichain/client';
import { startChain } from '@apichain/testing';
import { WorkloadChain } from './workload-chain.ts';
import { eventually } from './conditions.ts';

const binder = ['persistentvolume-binder', 'pv-protection', 'pvc-protection'];
const simulated = 'simulate.apichain.dev/volumes';

function addClass(chain: WorkloadChain, name: string, provisioner: string, more: Partial<StorageClass> = {}) {
  return chain.create<StorageClass>('storageclasses', {
    kind: 'StorageClass',
    metadata: { name },
    provisioner,
    ...more,
  });
}

function addClaim(
  chain: WorkloadChain,
  name: string,
  storage: string,
  more: PersistentVolumeClaim['spec'] = {},
  metadata: Partial<PersistentVolumeClaim['metadata']> = {},
) {
  return chain.create<PersistentVolumeClaim>('persistentvolumeclaims', {
    kind: 'PersistentVolumeClaim',
    metadata: { name, ...metadata },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } }, ...more },
  });
}

function addVolume(chain: WorkloadChain, name: string, storage: string, more: PersistentVolume['spec'] = {}) {
  return chain.create<PersistentVolume>('persistentvolumes', {
    kind: 'PersistentVolume',
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage }, hostPath: { path: `/data/${name}` }, ...more },
  });
}

const claimOf = (chain: WorkloadChain, name: string) =>
  chain.get<PersistentVolumeClaim>('persistentvolumeclaims', name);
const volumeOf = (chain: WorkloadChain, name: string) => chain.get<PersistentVolume>('persistentvolumes', name);

async function phasesOf(chain: WorkloadChain): Promise<string[]> {
  const all = [...(await chain.list('persistentvolumes')), ...(await chain.list('persistentvolumeclaims'))];
  return all.map(({ metadata, status }) => `${metadata.name} ${(status as { phase?: string }).phase}`);
}

describe('persistent volume binder', function () {
  this.timeout(480_000);

  it('binds claims to the smallest volumes that fit, and gives the volumes back', async () => {
    await using chain = await WorkloadChain.start(binder);
    await addVolume(chain, 'large', '10Gi');
    await addVolume(chain, 'small', '1Gi');
    await addVolume(chain, 'shared', '5Gi', { accessModes: ['ReadWriteOnce', 'ReadWriteMany'] });
    await addVolume(chain, 'temporary', '2Gi', {
      persistentVolumeReclaimPolicy: 'Delete',
      hostPath: { path: '/tmp/temporary' },
      claimRef: { namespace: 'default', name: 'kept-for' },
    });
    await eventually(async () =>
      assert.deepEqual(await phasesOf(chain), [
        'large Available',
        'shared Available',
        'small Available',
        'temporary Available',
      ]),
    );
    await addClaim(chain, 'many', '1Gi', { accessModes: ['ReadWriteMany'], storageClassName: '' });
    await addClaim(chain, 'two', '2Gi', { storageClassName: '' });
    await addClaim(chain, 'kept-for', '1Gi', { storageClassName: '' });
    await addClaim(chain, 'huge', '1Ti');
    await eventually(async () =>
      assert.deepEqual(await phasesOf(chain), [
        'large Bound',
        'shared Bound',
        'small Available',
        'temporary Bound',
        'huge Pending',
        'kept-for Bound',
        'many Bound',
        'two Bound',
      ]),
    );
    const { metadata, spec, status } = await claimOf(chain, 'two');
    assert.equal(spec?.volumeName, 'large');
    assert.deepEqual(status, { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '10Gi' } });
    const annotations = {
      'pv.kubernetes.io/bind-completed': 'yes',
      'pv.kubernetes.io/bound-by-controller': 'yes',
    };
    assert.deepEqual(metadata.annotations, annotations);
    const large = await volumeOf(chain, 'large');
    assert.deepEqual(large.metadata.annotations, { 'pv.kubernetes.io/bound-by-controller': 'yes' });
    const { resourceVersion: _, ...reference } = large.spec?.claimRef ?? {};
    assert.deepEqual(reference, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      namespace: 'default',
      name: 'two',
      uid: metadata.uid,
    });
    assert.equal((await volumeOf(chain, 'temporary')).metadata.annotations, undefined);
    await eventually(async () =>
      assert.deepEqual(await chain.events('huge'), [
        'FailedBinding: no persistent volumes available for this claim and no storage class is set',
      ]),
    );
    for (const name of ['two', 'kept-for']) await chain.delete('persistentvolumeclaims', name);
    await eventually(async () =>
      assert.deepEqual(await phasesOf(chain), [
        'large Released',
        'shared Bound',
        'small Available',
        'huge Pending',
        'many Bound',
      ]),
    );
    await addVolume(chain, 'vast', '2Ti');
    await eventually(async () => assert.equal((await claimOf(chain, 'huge')).spec?.volumeName, 'vast'));
    await chain.delete('persistentvolumes', 'vast');
    await chain.patch('persistentvolumes', 'vast', { metadata: { finalizers: null } });
    await eventually(async () => {
      assert.equal((await claimOf(chain, 'huge')).status?.phase, 'Lost');
      assert.ok(
        (await chain.events('huge')).includes(
          'ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!',
        ),
      );
    });
  });

  it('makes and deletes volumes of the simulated provisioner, and leaves others to their drivers', async () => {
    await using chain = await WorkloadChain.start(binder);
    await addClass(chain, 'simulated', simulated, {
      metadata: { name: 'simulated', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    });
    await addClass(chain, 'foreign', 'csi.example.com');
    await addClass(chain, 'manual', 'kubernetes.io/no-provisioner');
    await addClass(chain, 'later', simulated, { volumeBindingMode: 'WaitForFirstConsumer', reclaimPolicy: 'Retain' });
    const metadata = { labels: { app: 'db' } };
    const { metadata: made } = await addClaim(chain, 'data-db-0', '1Gi', {}, metadata);
    await addClaim(chain, 'external', '1Gi', { storageClassName: 'foreign' });
    await addClaim(chain, 'manual', '1Gi', { storageClassName: 'manual' });
    await addClaim(chain, 'missing', '1Gi', { storageClassName: 'missing' });
    await addClaim(chain, 'delayed', '1Gi', { storageClassName: 'later' });
    const name = `pvc-${made.uid}`;
    await eventually(async () =>
      assert.deepEqual(await phasesOf(chain), [
        `${name} Bound`,
        'data-db-0 Bound',
        'delayed Pending',
        'external Pending',
        'manual Pending',
        'missing Pending',
      ]),
    );
    const waiting = (provisioner: string) =>
      `ExternalProvisioning: Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`;
    await eventually(async () => {
      assert.deepEqual(
        new Set(await chain.events('data-db-0')),
        new Set([
          waiting(simulated),
          'Provisioning: External provisioner is provisioning volume for claim "default/data-db-0"',
          `ProvisioningSucceeded: Successfully provisioned volume ${name}`,
        ]),
      );
      assert.deepEqual(await chain.events('external'), [waiting('csi.example.com')]);
      assert.deepEqual(await chain.events('manual'), [
        'ProvisioningFailed: no volume plugin matched name: kubernetes.io/no-provisioner',
      ]);
      assert.deepEqual(await chain.events('missing'), [
        'ProvisioningFailed: storageclass.storage.k8s.io "missing" not found',
      ]);
      assert.deepEqual(await chain.events('delayed'), [
        'WaitForFirstConsumer: waiting for first consumer to be created before binding',
      ]);
    });
    const { spec, metadata: volume } = await volumeOf(chain, name);
    assert.equal(spec?.persistentVolumeReclaimPolicy, 'Delete');
    assert.equal(spec.storageClassName, 'simulated');
    assert.equal(volume.annotations?.['pv.kubernetes.io/provisioned-by'], simulated);
    const { annotations } = (await claimOf(chain, 'external')).metadata;
    assert.equal(annotations?.['volume.kubernetes.io/storage-provisioner'], 'csi.example.com');

    await chain.patch('persistentvolumeclaims', 'delayed', {
      metadata: { annotations: { 'volume.kubernetes.io/selected-node': 'node-1' } },
    });
    await eventually(async () => assert.equal((await claimOf(chain, 'delayed')).status?.phase, 'Bound'));
    await chain.delete('persistentvolumeclaims', 'data-db-0');
    await eventually(async () => {
      const [left, ...others] = await chain.list<PersistentVolume>('persistentvolumes');
      assert.deepEqual([left?.spec?.claimRef?.name, others], ['delayed', []]);
    });
    await chain.delete('persistentvolumeclaims', 'delayed');
    await eventually(async () => {
      const [left] = await chain.list<PersistentVolume>('persistentvolumes');
      assert.equal(left?.status?.phase, 'Released');
    });
  });
});

const container = { name: 'a', image: 'a' };

describe('the other controllers of volumes', function () {
  this.timeout(480_000);

  it('make the claims of ephemeral volumes, which the binder gives volumes that grow with them', async () => {
    await using chain = await WorkloadChain.start([
      ...binder,
      'ephemeral-volume',
      'persistentvolume-expander',
      'garbagecollector',
    ]);
    await addClass(chain, 'simulated', simulated, { allowVolumeExpansion: true });
    const template = (name: string, className: string): NonNullable<Pod['spec']>['volumes'] => [
      {
        name,
        ephemeral: {
          volumeClaimTemplate: {
            metadata: { labels: { of: 'template' } },
            spec: {
              accessModes: ['ReadWriteOnce'],
              storageClassName: className,
              resources: { requests: { storage: '1Gi' } },
            },
          },
        },
      },
    ];
    const { metadata } = await chain.create<Pod>('pods', {
      kind: 'Pod',
      metadata: { name: 'web' },
      spec: { containers: [container], volumes: template('scratch', 'simulated') ?? [] },
    });
    await eventually(async () => {
      const claim = await claimOf(chain, 'web-scratch');
      assert.equal(claim.status?.phase, 'Bound');
      assert.deepEqual(claim.metadata.labels, { of: 'template' });
      assert.deepEqual(claim.metadata.ownerReferences, [
        { apiVersion: 'v1', kind: 'Pod', name: 'web', uid: metadata.uid, controller: true, blockOwnerDeletion: true },
      ]);
    });
    await addClaim(chain, 'other-scratch', '1Gi', { storageClassName: 'simulated' });
    await chain.create<Pod>('pods', {
      kind: 'Pod',
      metadata: { name: 'other' },
      spec: { containers: [container], volumes: template('scratch', 'simulated') ?? [] },
    });
    await eventually(async () =>
      assert.deepEqual(await chain.events('other'), [
        'FailedBinding: ephemeral volume scratch: PVC default/other-scratch was not created for pod default/other (pod is not owner)',
      ]),
    );

    await chain.patch('persistentvolumeclaims', 'web-scratch', {
      spec: { resources: { requests: { storage: '3Gi' } } },
    });
    await eventually(async () => {
      const { status, spec } = await claimOf(chain, 'web-scratch');
      assert.deepEqual(status?.capacity, { storage: '3Gi' });
      assert.deepEqual((await volumeOf(chain, spec?.volumeName ?? '')).spec?.capacity, { storage: '3Gi' });
    });
    await chain.delete('pods', 'web');
    await eventually(async () => {
      const claims = await chain.list<PersistentVolumeClaim>('persistentvolumeclaims');
      assert.deepEqual(
        claims.map((claim) => claim.metadata.name),
        ['other-scratch'],
      );
    });
  });

  it('leave it to drivers to expand their volumes', async () => {
    await using chain = await WorkloadChain.start([...binder, 'persistentvolume-expander']);
    await addClass(chain, 'foreign', 'csi.example.com', { allowVolumeExpansion: true });
    const csi = { driver: 'csi.example.com', volumeHandle: 'h' };
    await addVolume(chain, 'v', '1Gi', { storageClassName: 'foreign', csi, hostPath: undefined });
    await addClaim(chain, 'c', '1Gi', { storageClassName: 'foreign' });
    await eventually(async () => assert.equal((await claimOf(chain, 'c')).status?.phase, 'Bound'));
    await chain.patch('persistentvolumeclaims', 'c', { spec: { resources: { requests: { storage: '2Gi' } } } });
    await eventually(async () =>
      assert.ok(
        (await chain.events('c')).includes('ExternalExpanding: waiting for an external controller to expand this PVC'),
      ),
    );
    assert.deepEqual((await claimOf(chain, 'c')).status?.capacity, { storage: '1Gi' });
  });

  it('attach volumes of drivers to the nodes of pods, and detach them', async () => {
    await using chain = await WorkloadChain.start([...binder, 'attachdetach']);
    for (const name of ['node-1', 'node-2'])
      await chain.create<Node>('nodes', {
        kind: 'Node',
        metadata: { name, annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' } },
      });
    const csi = { driver: 'csi.example.com', volumeHandle: 'h' };
    await addVolume(chain, 'v', '1Gi', { csi, hostPath: undefined });
    await addClaim(chain, 'c', '1Gi');
    const addPod = (name: string, nodeName: string) =>
      chain.create<Pod>('pods', {
        kind: 'Pod',
        metadata: { name },
        spec: {
          nodeName,
          containers: [container],
          volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }],
        },
      });
    await addPod('a', 'node-1');
    const attachments = async () => {
      const found = await chain.list<VolumeAttachment>('volumeattachments');
      return found.map(({ spec }) => `${spec?.source?.persistentVolumeName} to ${spec?.nodeName} by ${spec?.attacher}`);
    };
    await eventually(async () => assert.deepEqual(await attachments(), ['v to node-1 by csi.example.com']));
    const [attachment] = await chain.list<VolumeAttachment>('volumeattachments');
    assert.equal(attachment?.metadata.name, 'csi-5ba758327391e73da0457b5588ac7475102f465c188198d224888c2b67b302ce');
    await chain.setStatus('volumeattachments', attachment.metadata.name ?? '', { attached: true });
    const attached = async (node: string) => (await chain.get<Node>('nodes', node)).status?.volumesAttached;
    await eventually(async () => {
      assert.deepEqual(await attached('node-1'), [{ name: 'kubernetes.io/csi/csi.example.com^h', devicePath: '' }]);
      assert.deepEqual(await chain.events('a'), [
        'SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume "v" ',
      ]);
    });
    await addPod('b', 'node-2');
    await eventually(async () =>
      assert.deepEqual(await chain.events('b'), [
        'FailedAttachVolume: Multi-Attach error for volume "v" Volume is already used by pod(s) a',
      ]),
    );
    await chain.client.delete({ group: '', version: 'v1', resource: 'pods', namespace: 'default' }, 'a', {
      gracePeriodSeconds: 0,
    });
    await eventually(async () => {
      assert.deepEqual(await attachments(), ['v to node-2 by csi.example.com']);
      assert.equal(await attached('node-1'), undefined);
    });
  });

  it('give the pods of a StatefulSet their volumes, where nodes are simulated', async () => {
    await using chain = await startChain({
      workloads: true,
      manifests: [
        {
          apiVersion: 'storage.k8s.io/v1',
          kind: 'StorageClass',
          metadata: { name: 'later' },
          provisioner: simulated,
          volumeBindingMode: 'WaitForFirstConsumer',
        },
        {
          apiVersion: 'apps/v1',
          kind: 'StatefulSet',
          metadata: { name: 'db', namespace: 'default' },
          spec: {
            replicas: 2,
            serviceName: 'db',
            selector: { matchLabels: { app: 'db' } },
            template: {
              metadata: { labels: { app: 'db' } },
              spec: { containers: [{ ...container, volumeMounts: [{ name: 'data', mountPath: '/data' }] }] },
            },
            volumeClaimTemplates: [
              {
                metadata: { name: 'data' },
                spec: {
                  accessModes: ['ReadWriteOnce'],
                  storageClassName: 'later',
                  resources: { requests: { storage: '1Gi' } },
                },
              },
            ],
          },
        },
      ],
    });
    await chain.workloads.ready('statefulset/db');
    await chain.settle();
    const { url, admin } = chain;
    const client = new RestClient(httpTransport({ url, ca: admin.ca, cert: admin.cert, key: admin.key }));
    const claims = await client.list<PersistentVolumeClaim>({
      group: '',
      version: 'v1',
      resource: 'persistentvolumeclaims',
      namespace: 'default',
    });
    const volumes = await client.list<PersistentVolume>({ group: '', version: 'v1', resource: 'persistentvolumes' });
    await client.close();
    assert.deepEqual(
      claims.items.map(({ metadata, status }) => `${metadata.name} ${status?.phase}`),
      ['data-db-0 Bound', 'data-db-1 Bound'],
    );
    assert.deepEqual(volumes.items.map(({ spec }) => spec?.claimRef?.name).sort(), ['data-db-0', 'data-db-1']);
  });
});
