import type { KubeObject } from '@apichain/meta';
import { assign, type Plain } from '../fields.ts';

/** The names that differ between an event of the core group (left) and of events.k8s.io (right). */
const renamed: readonly (readonly [core: string, events: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];
const toCore = new Map(renamed.map(([core, events]) => [events, core]));
const toEvents = new Map(renamed);

/** What is written even when it was never set. */
const coreAlways: Plain = {
  involvedObject: {},
  source: {},
  firstTimestamp: null,
  lastTimestamp: null,
  eventTime: null,
  reportingComponent: '',
  reportingInstance: '',
};
const eventsAlways: Plain = {
  regarding: {},
  deprecatedSource: {},
  deprecatedFirstTimestamp: null,
  deprecatedLastTimestamp: null,
  eventTime: null,
};
/** Left out when empty in the other version. */
const emptyInEvents = new Set(['reportingController', 'reportingInstance']);

function rename(event: KubeObject, names: ReadonlyMap<string, string>, apiVersion: string, always: Plain): KubeObject {
  const { metadata } = event;
  const result: KubeObject = { apiVersion, kind: 'Event', metadata };
  for (const [name, value] of Object.entries(event)) {
    if (name === 'apiVersion' || name === 'kind' || name === 'metadata') continue;
    assign(result, names.get(name) ?? name, value);
  }
  for (const [name, value] of Object.entries(always)) {
    if (result[name] === undefined) result[name] = structuredClone(value);
  }
  return result;
}

/** https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/ as an event of the core group. */
export const eventToCore = (event: KubeObject): KubeObject => rename(event, toCore, 'v1', coreAlways);

export function eventFromCore(event: KubeObject): KubeObject {
  const result = rename(event, toEvents, 'events.k8s.io/v1', eventsAlways);
  for (const name of emptyInEvents) if (result[name] === '') delete result[name];
  return result;
}
