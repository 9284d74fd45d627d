import assert from 'node:assert/strict';
import type { CacheEvent, WatchQueue } from '@apichain/storage';
import { WatcherSet } from './watcher-set.ts';

/** A watcher that counts the events it is visited for. */
function watcherOf(directory: string, exactFields: Readonly<Record<string, string>> = {}) {
  const visits = { count: 0 };
  const queue = { directory, predicate: { exactFields }, offer: () => visits.count++ };
  return { visits, queue: queue as unknown as WatchQueue };
}

/** A change of a pod on a node. */
const changeOf = (namespace: string, name: string, node = 'n1'): CacheEvent => {
  const attributes = { name, namespace, labels: {}, fields: { 'metadata.name': name, 'spec.nodeName': node } };
  return { key: `/registry/pods/${namespace}/${name}`, object: { attributes } } as unknown as CacheEvent;
};

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
    set.dispatch(changeOf('a', 'x'));
    assert.deepEqual(visited(), ['all', 'inA', 'named', 'onNode']);
    set.dispatch(changeOf('ab', 'y', 'n2'));
    assert.deepEqual(visited(), ['all', 'inAb', 'onOtherNode']);
    set.delete(watchers.inA.queue);
    set.delete(watchers.named.queue);
    set.dispatch(changeOf('a', 'x', 'n3'));
    assert.deepEqual(visited(), ['all']);
    assert.equal([...set].length, 5);
  });

  it('visits the watchers of a cluster-scoped resource once', () => {
    const set = new WatcherSet(['metadata.name']);
    const { queue, visits } = watcherOf('/registry/nodes/');
    set.add(queue);
    set.dispatch({ key: '/registry/nodes/n1' } as CacheEvent);
    assert.equal(visits.count, 1);
  });
});
