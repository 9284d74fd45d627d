import assert from 'node:assert/strict';
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from '@apichain/api/core/v1';
import type { VolumeAttachment } from '@apichain/api/storage/v1';
import { RestClient, httpTransport } from '@apichain/client';
import { startChain } from '@apichain/testing';
import { eventually } from './workload-objects.ts';
import { addClaim, addClass, addVolume, binder, claimOf, simulated, volumeOf } from './volume-objects.ts';
import { WorkloadChain } from './workload-chain.ts';

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
