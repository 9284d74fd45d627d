import type { ObjectReference } from '@apichain/api/core/v1';
import { type KubeObject, isDNS1123Subdomain, random } from '@apichain/meta';

/** What happened to an object, before it becomes an Event of some version. */
export interface Occurrence {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly regarding: ObjectReference;
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  readonly action: string | undefined;
  readonly related: ObjectReference | undefined;
}

export type EventType = 'Normal' | 'Warning';

/** Who reports. `instance` is the node for a component that runs on each, otherwise empty or unique to the process. */
export interface EventReporter {
  readonly component: string;
  readonly instance: string;
}

/** The request that records an occurrence. */
export interface EventWrite {
  readonly namespace: string;
  /** The new Event. If there is a patch, it is created only when the Event to patch has been deleted. */
  readonly event: KubeObject;
  /** A strategic merge patch of an Event that counts this occurrence too. */
  readonly patch?: { readonly name: string; readonly body: Record<string, unknown> } | undefined;
}

/** A reference as Events contain it. */
export function referenceTo({ apiVersion, kind, metadata }: KubeObject, fieldPath?: string): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    kind,
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(uid !== undefined && { uid }),
    apiVersion,
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(fieldPath !== undefined && { fieldPath }),
  };
}

/** The namespace of Events about an object. Those about cluster-scoped objects are in `default`. */
export const eventNamespace = ({ namespace = '' }: ObjectReference): string =>
  namespace === '' ? 'default' : namespace;

/**
 * A name for an Event: the object's name and a time in nanoseconds. The digits below a millisecond are random, because the clock of a test may stand
 * still.
 */
export function eventName({ name = '' }: ObjectReference, time: number): string {
  const nanoseconds = BigInt(Math.trunc(time)) * 1_000_000n + BigInt(Math.floor(random() * 1e6));
  const full = `${name}.${nanoseconds.toString(16)}`;
  return isDNS1123Subdomain(full) ? full : nanoseconds.toString(16);
}

/** A text that is equal for equal lists of texts. */
export const joinKey = (...parts: readonly (string | undefined)[]): string => parts.join('\0');
