import type { WatchEvent } from '../api/watch.ts';
import { Collection } from './collection.ts';
import { EventLog, eventOf } from './event.ts';
import { nodeOf } from './node.ts';
import { podOf } from './pod.ts';
import { keyOf, type StoredObject } from '../api/stored-object.ts';
import { workloadOf, type WorkloadResource } from './workload.ts';

/** Where the objects of one resource are kept: it takes lists, and the events of the watch that follows. */
export interface Shelf {
  beginList(): void;
  /** Takes a page of the list. False when there is no room for another one. */
  list(objects: readonly StoredObject[]): boolean;
  /** `more` = the objects that were not listed. */
  endList(more: number): void;
  apply(event: WatchEvent<StoredObject>): void;
}

function shelfOf<Item>(collection: Collection<Item>, itemOf: (object: StoredObject) => Item): Shelf {
  return {
    beginList: () => collection.beginList(),
    list: (objects) => {
      for (const object of objects) collection.list(keyOf(object), itemOf(object));
      return collection.hasRoom;
    },
    endList: (more) => collection.endList(more),
    apply: ({ type, object }) => {
      if (type === 'DELETED') collection.delete(keyOf(object));
      else collection.put(keyOf(object), itemOf(object), type === 'ADDED');
    },
  };
}

/** A new list of events leaves those that are known: most of what it lacks has only expired. */
const shelfOfEvents = (log: EventLog): Shelf => ({
  beginList: () => undefined,
  list: (objects) => {
    for (const object of objects) log.put(eventOf(object));
    return true;
  },
  endList: () => undefined,
  apply: ({ type, object }) => {
    const event = eventOf(object);
    if (type === 'DELETED') log.delete(event.key);
    else log.put(event);
  },
});

const collectionOf = (resource: WorkloadResource) => {
  const collection = new Collection<ReturnType<typeof workloadOf>>();
  return { collection, shelf: shelfOf(collection, (object) => workloadOf(resource, object)) };
};

/** The objects that the page shows, as records without what it does not show. */
export class LiveObjects {
  readonly nodes = new Collection<ReturnType<typeof nodeOf>>();
  readonly pods = new Collection<ReturnType<typeof podOf>>();
  readonly events = new EventLog();
  readonly workloads = {
    deployments: collectionOf('deployments'),
    statefulsets: collectionOf('statefulsets'),
    daemonsets: collectionOf('daemonsets'),
    jobs: collectionOf('jobs'),
    replicasets: collectionOf('replicasets'),
  } as const satisfies Readonly<Record<WorkloadResource, ReturnType<typeof collectionOf>>>;

  readonly shelves = {
    nodes: shelfOf(this.nodes, nodeOf),
    pods: shelfOf(this.pods, podOf),
    ...{ deployments: this.workloads.deployments.shelf, statefulsets: this.workloads.statefulsets.shelf },
    ...{ daemonsets: this.workloads.daemonsets.shelf, jobs: this.workloads.jobs.shelf },
    replicasets: this.workloads.replicasets.shelf,
    events: shelfOfEvents(this.events),
  } as const;
}

/** The resources that the page follows. */
export type ShownResource = keyof LiveObjects['shelves'];
