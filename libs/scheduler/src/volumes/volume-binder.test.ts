import assert from 'node:assert/strict';
import type { PersistentVolume, PersistentVolumeClaim } from '@apichain/api/core/v1';
import { RestClient, type Transport } from '@apichain/client';
import { type Clock, withClock } from '@apichain/meta';
import { Cluster } from '../cluster/cluster.ts';
import { testNode, testPodInfo } from '../cluster/objects.fixture.ts';
import { VolumeBinder } from './volume-binder.ts';

/** Returns what is sent, in a new revision. */
class Echo implements Transport {
  readonly written: unknown[] = [];

  async send({ body }: Parameters<Transport['send']>[0]): ReturnType<Transport['send']> {
    const object = JSON.parse(String(body)) as { metadata: { resourceVersion?: string } };
    this.written.push(object);
    object.metadata.resourceVersion = '2';
    const bytes = Buffer.from(JSON.stringify(object));
    return {
      status: 200,
      headers: {},
      body: {
        async *[Symbol.asyncIterator]() {
          yield bytes;
        },
        async dump() {},
      },
    };
  }
  async close(): Promise<void> {}
}

const claim = (more: Partial<PersistentVolumeClaim['metadata']> = {}, volumeName?: string): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data', namespace: 'default', uid: 'claim', resourceVersion: '1', ...more },
  spec: { storageClassName: 'c', ...(volumeName === undefined ? {} : { volumeName }) },
});
const volume = (more: Partial<PersistentVolume> = {}): PersistentVolume => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'pv1', resourceVersion: '1' },
  spec: { storageClassName: 'c' },
  ...more,
});
const selected = { 'volume.kubernetes.io/selected-node': 'n1' };
const completed = { 'pv.kubernetes.io/bind-completed': 'yes' };

/** A binder, and a pod that is assumed to be on n1. */
function start() {
  const cluster = new Cluster();
  const { persistentVolumes, persistentVolumeClaims } = cluster.objects;
  cluster.setNode(testNode('n1'));
  const pod = testPodInfo('subject');
  cluster.assume(pod, 'n1');
  persistentVolumeClaims.set(claim());
  persistentVolumes.set(volume());
  const transport = new Echo();
  const binder = new VolumeBinder(new RestClient(transport), cluster);
  const see = (object: PersistentVolumeClaim | PersistentVolume) => {
    if (object.kind === 'PersistentVolume') persistentVolumes.set(object);
    else persistentVolumeClaims.set(object);
    binder.recheck();
  };
  return { cluster, pod, binder, transport, see };
}

const never = new AbortController().signal;

describe('VolumeBinder', () => {
  it('gives a volume to the claim, and waits until the controller of volumes has done its part', async () => {
    const { cluster, pod, binder, transport, see } = start();
    const { persistentVolumes } = cluster.objects;
    const reservation = binder.reserve(pod, 'n1', { bindings: [{ volume: volume(), claim: claim() }], provisions: [] });
    assert.equal(persistentVolumes.get('pv1')?.spec?.claimRef?.name, 'data');
    await reservation.write();
    const [written] = transport.written as PersistentVolume[];
    assert.deepEqual(written?.spec?.claimRef, {
      kind: 'PersistentVolumeClaim',
      namespace: 'default',
      name: 'data',
      uid: 'claim',
      apiVersion: 'v1',
      resourceVersion: '1',
    });
    assert.deepEqual(written.metadata.annotations, { 'pv.kubernetes.io/bound-by-controller': 'yes' });
    let isSettled = false;
    const settled = reservation.settled(never).then(() => (isSettled = true));
    see({ ...written, metadata: { ...written.metadata, resourceVersion: '2' } });
    await Promise.resolve();
    assert.equal(isSettled, false);
    see(claim({ resourceVersion: '3', annotations: completed }, 'pv1'));
    await settled;
  });

  it('has a volume provisioned for the node', async () => {
    const { pod, binder, transport, see } = start();
    const reservation = binder.reserve(pod, 'n1', { bindings: [], provisions: [claim()] });
    await reservation.write();
    const [written] = transport.written as PersistentVolumeClaim[];
    assert.deepEqual(written?.metadata.annotations, selected);
    const settled = reservation.settled(never);
    see(claim({ resourceVersion: '2', annotations: selected }));
    see(claim({ resourceVersion: '3', annotations: { ...selected, ...completed } }, 'pv1'));
    await settled;
  });

  it('fails when the provisioner gives the node back', async () => {
    const { pod, binder, see } = start();
    const reservation = binder.reserve(pod, 'n1', { bindings: [], provisions: [claim()] });
    await reservation.write();
    const settled = reservation.settled(never);
    see(claim({ resourceVersion: '3', annotations: { other: 'x' } }));
    await assert.rejects(settled, { message: 'binding volumes: provisioning failed for PVC "data"' });
  });

  it('fails when the pod is gone, when it is cancelled, and after ten minutes', async () => {
    const { cluster, pod, binder } = start();
    let elapse = () => undefined as void;
    const clock: Clock = {
      now: () => 0,
      setTimer(callback, delayMs) {
        assert.equal(delayMs, 600_000);
        elapse = callback;
        return () => undefined;
      },
    };
    const plan = { bindings: [], provisions: [claim()] };
    const wait = async (signal = never) => {
      const reservation = binder.reserve(pod, 'n1', plan);
      await reservation.write();
      return { settled: reservation.settled(signal), release: () => reservation.release() };
    };
    await withClock(clock, async () => {
      const { settled } = await wait();
      elapse();
      await assert.rejects(settled, { message: 'binding volumes: context deadline exceeded' });
    });
    const abort = new AbortController();
    const { settled } = await wait(abort.signal);
    abort.abort();
    await assert.rejects(settled, { message: 'binding volumes: context canceled' });
    const last = await wait();
    cluster.removePod(pod.uid);
    binder.recheck();
    await assert.rejects(last.settled, {
      message: 'binding volumes: pod does not exist any more: pod "subject" not found',
    });
  });

  it('gives up what it has assumed', () => {
    const { cluster, pod, binder } = start();
    const { persistentVolumes, persistentVolumeClaims } = cluster.objects;
    const plan = { bindings: [{ volume: volume(), claim: claim() }], provisions: [claim()] };
    const reservation = binder.reserve(pod, 'n1', plan);
    assert.deepEqual(persistentVolumeClaims.get('default/data')?.metadata.annotations, selected);
    reservation.release();
    assert.equal(persistentVolumeClaims.get('default/data')?.metadata.annotations, undefined);
    assert.equal(persistentVolumes.get('pv1')?.spec?.claimRef, undefined);
  });
});
