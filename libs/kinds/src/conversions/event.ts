import type { Event as CoreEvent } from '@apichain/api/core/v1';
import type { Event } from '@apichain/api/events/v1';

/** Converts an Event of events.k8s.io (https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/) to the core group. */
export function eventToCore(event: Event): CoreEvent {
  const {
    regarding,
    note,
    deprecatedSource,
    deprecatedFirstTimestamp,
    deprecatedLastTimestamp,
    deprecatedCount,
    reportingController,
    ...alike
  } = event;
  return withoutUndefined<CoreEvent>({
    ...alike,
    apiVersion: 'v1',
    message: note,
    count: deprecatedCount,
    // Written even when they are not set.
    involvedObject: regarding ?? {},
    source: deprecatedSource ?? {},
    firstTimestamp: deprecatedFirstTimestamp ?? null,
    lastTimestamp: deprecatedLastTimestamp ?? null,
    eventTime: event.eventTime ?? null,
    reportingComponent: reportingController ?? '',
    reportingInstance: event.reportingInstance ?? '',
  });
}

/** The inverse. The controller and its instance are left out when they are empty. */
export function eventFromCore(event: CoreEvent): Event {
  const { involvedObject, message, source, firstTimestamp, lastTimestamp, count, reportingComponent, ...alike } = event;
  return withoutUndefined<Event>({
    ...alike,
    apiVersion: 'events.k8s.io/v1',
    note: message,
    deprecatedCount: count,
    regarding: involvedObject ?? {},
    deprecatedSource: source ?? {},
    deprecatedFirstTimestamp: firstTimestamp ?? null,
    deprecatedLastTimestamp: lastTimestamp ?? null,
    eventTime: event.eventTime ?? null,
    reportingController: reportingComponent === '' ? undefined : reportingComponent,
    reportingInstance: event.reportingInstance === '' ? undefined : event.reportingInstance,
  });
}

/** Removes members that are undefined, in place. */
function withoutUndefined<T extends object>(object: T): T {
  for (const name of Object.keys(object) as (keyof T)[]) if (object[name] === undefined) delete object[name];
  return object;
}
