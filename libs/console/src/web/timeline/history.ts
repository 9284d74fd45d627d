import type { Kind } from '../api/kinds.ts';
import { controllerUidOf, fields, text, type StoredObject } from '../api/stored-object.ts';
import type { WatchEvent } from '../api/watch.ts';
import { HiddenValues } from '../object/secret-values.ts';
import { nameOf } from '../shell/kind-groups.ts';
import type { Shelf } from '../workloads/live-objects.ts';
import { fieldChanges, type FieldChange } from './field-changes.ts';
import { newWriters, writersOf, type Writer } from './writers.ts';

/** What an Event is about, and says. */
interface Report {
  readonly uid: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly reason: string;
  readonly message: string;
  readonly isWarning: boolean;
}

/** A write of an object, or an Event that was reported. */
export interface Change {
  /** `deployments.apps@1234`: the same in every browser that has seen it. */
  readonly id: string;
  readonly kind: Kind;
  readonly type: 'added' | 'changed' | 'deleted' | 'event';
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** The uids of its owners. */
  readonly owners: readonly string[];
  /** When this page learned of it, in milliseconds since the epoch. */
  readonly seenAt: number;
  readonly writers: readonly Writer[];
  readonly fields: readonly FieldChange[];
  /** The states before and after it, as JSON without managed fields; `before` is undefined when it is not known. */
  readonly before: string | undefined;
  readonly after: string;
  /** Learned of a list: there may have been other writes before it. */
  readonly isFromList: boolean;
  /** Of an Event. */
  readonly report?: Report | undefined;
}

/** The newest state of an object. */
interface Known {
  readonly kind: Kind;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly owners: readonly string[];
  readonly writers: readonly Writer[];
  /** JSON without managed fields; undefined when there was no room for it. */
  readonly state: string | undefined;
}

/** Characters, nearly all of them a byte each: of the changes, and of the newest states with which the next change is compared. */
const limits = { changes: 32_000_000, states: 32_000_000 } as const;
/** What a change takes besides its states. */
const perChange = 500;

const keyIn = (kind: Kind, namespace: string, name: string): string => `${nameOf(kind)}/${namespace}/${name}`;
const isSecret = ({ group, resource }: Kind): boolean => group === '' && resource === 'secrets';
export const isEvent = ({ resource, group }: Kind): boolean => group === '' && resource === 'events';

/** What changed since the page began to follow: bounded in bytes, the oldest changes make room. It takes lists and the events of watches. */
export class History {
  readonly #limits: { readonly changes: number; readonly states: number };
  readonly #known = new Map<string, Known>();
  /** The owners of all objects, also of those that are deleted. */
  readonly #owners = new Map<string, readonly string[]>();
  /** Kinds with the namespaces of which lists were read. */
  readonly #listed = new Set<string>();
  /** Of each Secret. */
  readonly #hidden = new Map<string, HiddenValues>();
  /** In the order of their resourceVersions, as far as they arrive together. */
  #changes: Change[] = [];
  #new: Change[] = [];
  #bytes = 0;
  #stateBytes = 0;
  #dropped = 0;
  /** Whether there was room for the newest state. */
  #hasRoom = true;

  constructor(atMost: { readonly changes: number; readonly states: number } = limits) {
    this.#limits = atMost;
  }

  /** The changes that were added since the last call. */
  takeNew(): readonly Change[] {
    return this.#new.splice(0);
  }

  /** Oldest first. */
  get changes(): readonly Change[] {
    return this.#changes;
  }

  /** What the changes take, nearly. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The number of changes that have made room. */
  get dropped(): number {
    return this.#dropped;
  }

  ownersOf(uid: string): readonly string[] {
    return this.#owners.get(uid) ?? [];
  }

  /** Whether the objects of a kind were listed before: what is new in another list was made meanwhile. */
  hasListed(kind: Kind, namespace: string): boolean {
    return ['', namespace].some((scope) => this.#listed.has(`${nameOf(kind)}/${scope}`));
  }

  /** The newest state of the object with this uid, as JSON; undefined when it is deleted or not known. */
  stateOf({ kind, namespace, name, uid }: Change): string | undefined {
    const known = this.#known.get(keyIn(kind, namespace, name));
    return known?.uid === uid ? known.state : undefined;
  }

  /** Takes the objects of a kind, in a namespace or in all. */
  shelfOf(kind: Kind, namespace: string): Shelf {
    let listed: Set<string> | undefined;
    let isFirst = true;
    return {
      beginList: () => {
        listed = new Set();
        isFirst = !this.hasListed(kind, namespace);
      },
      list: (objects) => {
        for (const object of objects) {
          listed?.add(keyIn(kind, object.metadata.namespace ?? '', object.metadata.name));
          this.#list(kind, object, isFirst);
        }
        return this.#hasRoom;
      },
      endList: (more) => {
        if (more === 0 && listed !== undefined) this.#forgetOthers(kind, namespace, listed);
        listed = undefined;
        this.#listed.add(`${nameOf(kind)}/${namespace}`);
      },
      apply: (event) => this.#apply(kind, event),
    };
  }

  /** What is in a list was there before, or was written while nobody watched. */
  #list(kind: Kind, object: StoredObject, isFirst: boolean): void {
    const { namespace = '', name, resourceVersion } = object.metadata;
    const known = this.#known.get(keyIn(kind, namespace, name));
    if (known?.resourceVersion === resourceVersion) return;
    if (known === undefined && (isFirst || isEvent(kind))) this.#keep(kind, object, this.#stateIn(kind, object));
    else this.#add(kind, object, known === undefined ? 'added' : 'changed', true);
  }

  /** Objects of the kind that a list does not have are gone. */
  #forgetOthers(kind: Kind, scope: string, listed: ReadonlySet<string>): void {
    for (const [key, known] of this.#known) {
      if (nameOf(known.kind) !== nameOf(kind) || listed.has(key)) continue;
      if (scope !== '' && known.namespace !== scope) continue;
      if (!isEvent(kind)) this.#addDeleted(key, known);
      this.#forget(key);
    }
  }

  #addDeleted(key: string, { kind, namespace, uid, resourceVersion, owners, state }: Known): void {
    const name = key.slice(key.lastIndexOf('/') + 1);
    this.#push({
      id: `${nameOf(kind)}@${resourceVersion}-deleted`,
      ...{ kind, type: 'deleted', namespace, name, uid, resourceVersion, owners, seenAt: Date.now() },
      ...{ writers: [], fields: [], before: state, after: state ?? '{}', isFromList: true },
    });
  }

  #apply(kind: Kind, { type, object }: WatchEvent<StoredObject>): void {
    if (isEvent(kind)) {
      if (type !== 'DELETED') this.#add(kind, object, 'event', false);
    } else if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') {
      this.#add(kind, object, ({ ADDED: 'added', MODIFIED: 'changed', DELETED: 'deleted' } as const)[type], false);
    }
  }

  #add(kind: Kind, object: StoredObject, type: Change['type'], isFromList: boolean): void {
    const { namespace = '', name, uid = '', resourceVersion = '' } = object.metadata;
    const key = keyIn(kind, namespace, name);
    const known = this.#known.get(key);
    // A watch that begins again may repeat what a list had.
    if (known?.resourceVersion === resourceVersion && type !== 'deleted') return;
    const state = this.#stateIn(kind, object);
    const before = known?.uid === uid ? known : undefined;
    const isCompared = type === 'changed' && before?.state !== undefined;
    const changed = isCompared ? fieldChanges(JSON.parse(before?.state ?? '{}'), JSON.parse(state)) : [];
    this.#push({
      id: `${nameOf(kind)}@${resourceVersion}`,
      ...{ kind, type, namespace, name, uid, resourceVersion, owners: ownersIn(object), seenAt: Date.now() },
      writers: type === 'deleted' ? [] : newWriters(before?.writers ?? [], object, changed),
      fields: changed,
      ...{ before: type === 'added' ? undefined : before?.state, after: state, isFromList },
      report: type === 'event' ? reportOf(object) : undefined,
    });
    if (type === 'deleted') this.#forget(key);
    else this.#keep(kind, object, state);
  }

  /** The state as it is kept: without what nobody reads, and without the values of a Secret. */
  #stateIn(kind: Kind, object: StoredObject): string {
    const { apiVersion, kind: _kind, metadata, ...rest } = object;
    const { managedFields: _managed, ...shown } = metadata;
    const group = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
    const whole = { apiVersion: apiVersion ?? group, kind: kind.kind, metadata: shown, ...rest };
    if (!isSecret(kind)) return JSON.stringify(whole);
    const { uid = '' } = metadata;
    const hidden = this.#hidden.get(uid) ?? new HiddenValues();
    this.#hidden.set(uid, hidden);
    return JSON.stringify(hidden.hideIn(whole));
  }

  #keep(kind: Kind, object: StoredObject, state: string): void {
    const { namespace = '', name, uid = '', resourceVersion = '' } = object.metadata;
    const key = keyIn(kind, namespace, name);
    const owners = ownersIn(object);
    this.#stateBytes -= this.#known.get(key)?.state?.length ?? 0;
    // Events are not compared.
    const isKept = !isEvent(kind) && this.#stateBytes + state.length <= this.#limits.states;
    if (!isEvent(kind)) this.#hasRoom = isKept;
    if (isKept) this.#stateBytes += state.length;
    if (owners.length > 0) this.#owners.set(uid, owners);
    const writers = isEvent(kind) ? [] : writersOf(object);
    const kept = { kind, namespace, uid, resourceVersion, owners, writers };
    this.#known.set(key, { ...kept, state: isKept ? state : undefined });
  }

  #forget(key: string): void {
    const known = this.#known.get(key);
    this.#stateBytes -= known?.state?.length ?? 0;
    this.#known.delete(key);
    this.#hidden.delete(known?.uid ?? '');
  }

  /**
   * Watches of several kinds arrive in any order. The resourceVersions of one etcd tell which change was first; those of an extension API server that has
   * its own say nothing, which is why only changes that arrive together are put in order.
   */
  #placeOf({ resourceVersion, seenAt }: Change): number {
    const revision = Number(resourceVersion);
    let place = this.#changes.length;
    for (; place > 0; place--) {
      const before = this.#changes[place - 1];
      if (before === undefined || seenAt - before.seenAt > together) break;
      if (!(Number(before.resourceVersion) > revision)) break;
    }
    return place;
  }

  #push(change: Change): void {
    this.#new.push(change);
    this.#changes.splice(this.#placeOf(change), 0, change);
    this.#bytes += sizeOf(change);
    if (this.#bytes <= this.#limits.changes) return;
    // A tenth at once, so that a change costs no copy of the others.
    let dropped = 0;
    for (const old of this.#changes) {
      if (this.#bytes <= this.#limits.changes * 0.9) break;
      this.#bytes -= sizeOf(old);
      if (old.type === 'deleted') this.#owners.delete(old.uid);
      dropped++;
    }
    this.#changes = this.#changes.slice(dropped);
    this.#dropped += dropped;
  }
}

/** Milliseconds within which changes of different watches arrive in another order than they were made. */
const together = 5000;

const sizeOf = ({ after, fields: changed }: Change): number => after.length + perChange + changed.length * 100;

const ownersIn = ({ metadata }: StoredObject): readonly string[] => {
  const controller = controllerUidOf(metadata);
  const others = (metadata.ownerReferences ?? []).map(({ uid }) => uid).filter((uid) => uid !== controller);
  return controller === '' ? others : [controller, ...others];
};

function reportOf(object: StoredObject): Report {
  const { involvedObject, reason, message, type } = object;
  const { uid, kind, namespace, name } = fields(involvedObject);
  return {
    ...{ uid: text(uid), kind: text(kind), namespace: text(namespace), name: text(name) },
    ...{ reason: text(reason), message: text(message), isWarning: type === 'Warning' },
  };
}
