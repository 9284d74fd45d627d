import assert from 'node:assert/strict';
import { CacheEvent, EncodedObject, everything, jsonCodec, WatchQueue } from '@apichain/storage';
import { watchOptions } from '@apichain/storage/store.fixture';
import { WatcherSet } from './watcher-set.ts';

const codec = jsonCodec();

/** A watcher that counts the events it is visited for. */
function watcherOf(directory: string, exactFields: Readonly<Record<string, string>> = {}) {
  const visits = { count: 0 };
  const options = watchOptions({ predicate: { ...everything, exactFields } });
  const queue = new WatchQueue(directory, options, 0, () => undefined);
  queue.offer = () => void visits.count++;
  return { visits, queue };
}

function changeOf(key: string, fields: Readonly<Record<string, string>>): CacheEvent {
  const attributes = { name: fields['metadata.name'] ?? '', namespace: '', labels: {}, fields };
  return new CacheEvent(key, 1, new EncodedObject(codec, key, 1, Buffer.of(), attributes), undefined);
}

/** A change of a pod on a node. */
const podChange = (namespace: string, name: string, node = 'n1'): CacheEvent =>
  changeOf(`/registry/pods/${namespace}/${name}`, { 'metadata.name': name, 'spec.nodeName': node });

describe('WatcherSet', () => {
  it('visits the watchers of the namespace and of the field value of an event, and no others', () => {
    const set = new WatcherSet(['metadata.name', 'spec.nodeName']);
    const watchers = {
      all: watcherOf('/registry/pods/'),
      inA: watcherOf('/registry/pods/a/'),
      inAb: watcherOf('/registry/pods/ab/'),
      named: watcherOf('/registry/pods/a/', { 'metadata.name': 'x' }),
      namedElsewhere: watcherOf('/registry/pods/b/', { 'metadata.name': 'x' }),
      onNode: watcherOf('/registry/pods/', { 'spec.nodeName': 'n1' }),
      onOtherNode: watcherOf('/registry/pods/', { 'spec.nodeName': 'n2' }),
    };
    for (const { queue } of Object.values(watchers)) set.add(queue);
    const visited = () => {
      const names = Object.entries(watchers).flatMap(([name, { visits }]) => (visits.count > 0 ? [name] : []));
      for (const { visits } of Object.values(watchers)) visits.count = 0;
      return names;
    };
    set.dispatch(podChange('a', 'x'));
    assert.deepEqual(visited(), ['all', 'inA', 'named', 'onNode']);
    set.dispatch(podChange('ab', 'y', 'n2'));
    assert.deepEqual(visited(), ['all', 'inAb', 'onOtherNode']);
    set.delete(watchers.inA.queue);
    set.delete(watchers.named.queue);
    set.dispatch(podChange('a', 'x', 'n3'));
    assert.deepEqual(visited(), ['all']);
    assert.equal([...set].length, 5);
  });

  it('visits the watchers of a cluster-scoped resource once', () => {
    const set = new WatcherSet(['metadata.name']);
    const { queue, visits } = watcherOf('/registry/nodes/');
    set.add(queue);
    set.dispatch(changeOf('/registry/nodes/n1', { 'metadata.name': 'n1' }));
    assert.equal(visits.count, 1);
  });
});
