import type { Event } from '@apichain/api/core/v1';
import { byteLength, field, isDNS1123Subdomain, isQualifiedName, type FieldError } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { semanticEqual } from '@apichain/meta';
import { goValue } from '../common/go-value.ts';
import { collect, immutable, immutableDetail, invalidEach, type Out } from '../common/rules.ts';

const longestWord = 128;
const longestMessage = 1024;

function word(out: Out, path: string, value = ''): void {
  if (value === '') out.push(field.required(path));
  if (byteLength(value) > longestWord) {
    out.push(field.invalid(path, '', `can have at most ${longestWord} characters`));
  }
}

/** An event must be in the namespace of its involved object. */
function namespaceErrors(out: Out, event: Event): void {
  const path = 'involvedObject.namespace';
  const involved = event.involvedObject?.namespace ?? '';
  const { namespace = '' } = event.metadata;
  const mismatch = () => out.push(field.invalid(path, involved, 'does not match event.namespace'));
  if (isSet(event.eventTime)) {
    if (involved === '' && namespace !== 'default' && namespace !== 'kube-system') mismatch();
  } else if (involved === '') {
    if (namespace !== '' && namespace !== 'default') mismatch();
  } else if (involved !== namespace) mismatch();
}

function legacyErrors(out: Out, event: Event, controllerField: string): void {
  namespaceErrors(out, event);
  if (isSet(event.eventTime)) {
    const controller = event.reportingComponent ?? '';
    if (controller === '') out.push(field.required(controllerField));
    invalidEach(out, controllerField, controller, isQualifiedName(controller));
    word(out, 'reportingInstance', event.reportingInstance);
    word(out, 'action', event.action);
    word(out, 'reason', event.reason);
    if (byteLength(event.message ?? '') > longestMessage) {
      out.push(field.invalid('message', '', `can have at most ${longestMessage} characters`));
    }
  }
  const { namespace = '' } = event.metadata;
  invalidEach(out, 'namespace', namespace, isDNS1123Subdomain(namespace));
}

/** Checks an event of core/v1: https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/ */
export const validateEvent = (event: Event): FieldError[] =>
  collect((out) => legacyErrors(out, event, 'reportingComponent'));

/** The same for an event of events.k8s.io, in which the name of the controller field differs. */
export const validateNamedEvent = (event: Event): FieldError[] =>
  collect((out) => legacyErrors(out, event, 'reportingController'));

function seriesErrors(out: Out, event: Event): void {
  if (!isSet(event.series)) return;
  const { count = 0, lastObservedTime } = event.series;
  if (count < 2) out.push(field.invalid('series.count', '', 'should be at least 2'));
  if (!isSet(lastObservedTime)) out.push(field.required('series.lastObservedTime'));
}

/** Additional checks of events.k8s.io. The object is in the form of core/v1. */
export function validateStrictEvent(event: Event): FieldError[] {
  return collect((out) => {
    seriesErrors(out, event);
    if (!isSet(event.eventTime)) out.push(field.required('eventTime'));
    const type = event.type ?? '';
    if (type !== 'Normal' && type !== 'Warning') {
      out.push(field.invalid('type', '', `has invalid value: ${type}`));
    }
    for (const name of ['firstTimestamp', 'lastTimestamp'] as const) {
      if (isSet(event[name])) out.push(field.invalid(name, '', 'needs to be unset'));
    }
    if ((event.count ?? 0) !== 0) out.push(field.invalid('count', '', 'needs to be unset'));
    const { component = '', host = '' } = event.source ?? {};
    if (component !== '' || host !== '') out.push(field.invalid('source', '', 'needs to be unset'));
  });
}

/** Immutable fields, in the order of the checks; events.k8s.io calls `reportingComponent` `reportingController`. */
const fixed = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'reason',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingController',
  'reportingInstance',
] as const;
type Fixed = (typeof fixed)[number];
/** How fields of other types than string print when they are not set. */
const zeros: Readonly<Partial<Record<Fixed, number | null>>> = {
  firstTimestamp: null,
  lastTimestamp: null,
  count: 0,
  eventTime: null,
};
const structs: Readonly<Partial<Record<Fixed, string>>> = {
  involvedObject: 'core.v1.ObjectReference',
  related: 'core.v1.ObjectReference',
  source: 'core.v1.EventSource',
};

const member = (event: Event, name: Fixed): unknown =>
  event[name === 'reportingController' ? 'reportingComponent' : name];

export function validateStrictEventUpdate(event: Event, old: Event): FieldError[] {
  return collect((out) => {
    if (!semanticEqual(event.series, old.series)) seriesErrors(out, event);
    for (const name of fixed) {
      const value = member(event, name);
      const type = structs[name];
      const isNil = !isSet(value) && (type === undefined || name === 'related');
      const zero = name === 'related' ? null : name in zeros ? zeros[name] : '';
      const shown = isNil ? zero : type === undefined ? value : goValue(type, value);
      const before = member(old, name);
      if (name === 'related' && isSet(value) !== isSet(before)) out.push(field.invalid(name, shown, immutableDetail));
      else immutable(out, name, value, before, shown);
    }
  });
}
