import type {
  DeviceClaim,
  DeviceClaimConfiguration,
  DeviceConfiguration,
  DeviceConstraint,
  DeviceRequest,
  DeviceSelector,
  DeviceSubRequest,
  DeviceToleration,
  ExactDeviceRequest,
} from '@apichain/api/resource/v1';
import type { RawExtension } from '@apichain/api/scalars';
import { compileExpression, deviceEnvironment, deviceSelectorResult } from '@apichain/cel';
import {
  byteLength,
  field,
  integer,
  isCIdentifier,
  isDNS1123Label,
  isDNS1123Subdomain,
  isQualifiedName,
  isValidLabelValue,
  stringifyJson,
} from '@apichain/meta';
import { isRecord, isSet, sameText } from '@apichain/kinds';
import { compileErrors } from '../common/compiled-expressions.ts';
import { csiDriverName } from '../common/formats.ts';
import { checkEach, choice, invalidEach, type Out, requiredChoice, requiredName } from '../common/rules.ts';

const most = 32;
const mostSubrequests = 8;
const longestExpression = 10 * 1024;
const highestCost = 1_000_000;
const longestParameters = 10 * 1024;
const longestIdentifier = 32;

/** Whether the list has at most `limit` items; if not, adds an error, and the items are not checked. */
export function withinLimit(out: Out, path: string, list: readonly unknown[], limit: number): boolean {
  if (list.length <= limit) return true;
  out.push(field.tooMany(path, list.length, limit));
  return false;
}

/** Checks each item of a list, then reports duplicate keys: `path[i]: Duplicate value`. If the list is too long, its items are not checked. */
export function uniqueItems<T>(
  out: Out,
  path: string,
  items: readonly T[],
  limit: number,
  key: (item: T) => string,
  check: (at: string, item: T) => void,
  shown: (item: T) => unknown = key,
): void {
  if (!withinLimit(out, path, items, limit)) return;
  for (const [i, item] of items.entries()) check(`${path}[${i}]`, item);
  const keys = new Set<string>();
  for (const [i, item] of items.entries()) {
    if (keys.has(key(item))) out.push(field.duplicate(`${path}[${i}]`, shown(item)));
    keys.add(key(item));
  }
}

/** `domain/identifier` or only an identifier. As in the API server, a name with more parts is accepted. */
export function attributeName(out: Out, path: string, name: string): void {
  const [first = '', second, ...more] = name.split('/');
  if (second === undefined) {
    identifier(out, path, first);
    return;
  }
  if (more.length > 0) return;
  if (first === '') out.push(field.invalid(path, '', 'the domain must not be empty'));
  else csiDriverName(out, path, first);
  if (second === '') out.push(field.invalid(path, '', 'the name must not be empty'));
  else identifier(out, path, second);
}

/** The name of an attribute, which must contain a domain because there is no driver whose domain would be the default. */
function fullAttributeName(out: Out, path: string, name: string): void {
  attributeName(out, path, name);
  if (name.includes('/')) return;
  out.push(field.invalid(path, name, 'a fully qualified name must be a domain and a name separated by a slash'));
}

function identifier(out: Out, path: string, name: string): void {
  if (byteLength(name) > longestIdentifier) out.push(field.tooLong(path, longestIdentifier));
  invalidEach(out, path, name, isCIdentifier(name));
}

/** Each selector needs an expression that compiles. */
export function selectorErrors(out: Out, path: string, selectors: readonly DeviceSelector[]): void {
  if (!withinLimit(out, path, selectors, most)) return;
  checkEach(out, selectors, (out, selector, k) => {
    const at = `${path}[${k}].cel`;
    if (!isSet(selector.cel)) out.push(field.required(at));
    else expressionErrors(out, `${at}.expression`, selector.cel.expression ?? '');
  });
}

function expressionErrors(out: Out, path: string, expression: string): void {
  if (byteLength(expression) > longestExpression) {
    out.push(field.tooLong(path, longestExpression));
    return;
  }
  const compiled = compileExpression(expression, deviceEnvironment, deviceSelectorResult);
  out.push(...compileErrors(path, expression, compiled));
  if ('cost' in compiled && (compiled.cost ?? 0) > highestCost)
    out.push(field.forbidden(path, 'too complex, exceeds cost limit'));
}

const effects = ['NoExecute', 'NoSchedule', 'None'];

function tolerationErrors(out: Out, path: string, tolerations: readonly DeviceToleration[]): void {
  checkEach(out, tolerations, (out, toleration, k) => {
    const at = `${path}[${k}]`;
    const { key = '', value: given = '' } = toleration;
    if (key !== '') invalidEach(out, `${at}.key`, key, isQualifiedName(key));
    if (toleration.operator === 'Exists') {
      if (given !== '') out.push(field.invalid(`${at}.value`, given, 'must be empty for operator `Exists`'));
    } else if (toleration.operator === 'Equal') invalidEach(out, `${at}.value`, given, isValidLabelValue(given));
    else requiredChoice(out, `${at}.operator`, toleration.operator, ['Equal', 'Exists']);
    if ((toleration.effect ?? '') !== '') choice(out, `${at}.effect`, toleration.effect, effects);
  });
}

function countErrors(out: Out, path: string, request: ExactDeviceRequest | DeviceSubRequest): void {
  const mode = request.allocationMode ?? '';
  const count = integer(request.count);
  if (mode === 'All') {
    if (count !== 0) {
      out.push(field.invalid(`${path}.count`, count, "must not be specified when allocationMode is 'All'"));
    }
  } else if (mode === 'ExactCount') {
    if (count <= 0) out.push(field.invalid(`${path}.count`, count, 'must be greater than zero'));
  } else out.push(field.notSupported(`${path}.allocationMode`, mode, ['All', 'ExactCount']));
}

function deviceErrors(out: Out, path: string, request: ExactDeviceRequest | DeviceSubRequest): void {
  requiredName(out, `${path}.deviceClassName`, request.deviceClassName, isDNS1123Subdomain);
  selectorErrors(out, `${path}.selectors`, request.selectors ?? []);
  countErrors(out, path, request);
  tolerationErrors(out, `${path}.tolerations`, request.tolerations ?? []);
}

function subrequestErrors(out: Out, path: string, subrequests: readonly DeviceSubRequest[]): void {
  uniqueItems(out, path, subrequests, mostSubrequests, nameOf, (at, subrequest) => {
    requestName(out, `${at}.name`, nameOf(subrequest));
    deviceErrors(out, at, subrequest);
  });
}

const nameOf = (request: DeviceRequest | DeviceSubRequest): string => request.name ?? '';

const requestName = (out: Out, path: string, name: string): void => invalidEach(out, path, name, isDNS1123Label(name));

function requestErrors(out: Out, path: string, request: DeviceRequest): void {
  const subrequests = request.firstAvailable ?? [];
  const hasExact = isSet(request.exactly);
  const hasFirst = subrequests.length > 0;
  requestName(out, `${path}.name`, nameOf(request));
  const oneOf = 'exactly one of `exactly` or `firstAvailable` is required';
  if (hasExact && hasFirst) out.push(field.invalid(path, null, `${oneOf}, but multiple fields are set`));
  else if (hasFirst) subrequestErrors(out, `${path}.firstAvailable`, subrequests);
  else if (hasExact) deviceErrors(out, `${path}.exactly`, request.exactly ?? {});
  else out.push(field.required(path, oneOf));
}

/** The names of requests, and of their alternatives as `request/alternative`. */
export function requestNames(requests: readonly DeviceRequest[]): Set<string> {
  const names = new Set<string>();
  for (const request of requests) {
    const name = nameOf(request);
    names.add(name);
    for (const subrequest of request.firstAvailable ?? []) names.add(`${name}/${nameOf(subrequest)}`);
  }
  return names;
}

const unknownRequest =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

/** Checks a reference to a request of the claim: its name, or `request/subrequest`. */
export function requestReference(out: Out, path: string, name: string, known: ReadonlySet<string>): void {
  const segments = name.split('/');
  if (segments.length <= 2) for (const segment of segments) requestName(out, path, segment);
  if (!known.has(name)) out.push(field.invalid(path, name, unknownRequest));
}

/** Checks references to requests of the claim. */
export function requestReferences(out: Out, path: string, names: readonly string[], known: ReadonlySet<string>): void {
  uniqueItems(
    out,
    path,
    names,
    most,
    (name) => name,
    (at, name) => requestReference(out, at, name, known),
  );
}

function constraintErrors(out: Out, path: string, constraint: DeviceConstraint, known: ReadonlySet<string>): void {
  requestReferences(out, `${path}.requests`, constraint.requests ?? [], known);
  const given = (['matchAttribute', 'distinctAttribute'] as const).find((name) => isSet(constraint[name]));
  if (given !== undefined) fullAttributeName(out, `${path}.${given}`, constraint[given] ?? '');
  else {
    const detail = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
    out.push(field.required(path, detail));
  }
}

/** Checks a driver-specific object, whose size is limited. */
export function rawObject(out: Out, path: string, value: RawExtension | undefined): void {
  if (!isSet(value)) out.push(field.required(path));
  else if (byteLength(stringifyJson(value)) > longestParameters) out.push(field.tooLong(path, longestParameters));
  else if (!isRecord(value)) out.push(field.invalid(path, '<value omitted>', 'must be a valid JSON object'));
}

/** Checks the driver of a configuration, and its parameters. */
export function driverConfiguration(out: Out, path: string, entry: DeviceConfiguration): void {
  if (!isSet(entry.opaque)) {
    out.push(field.required(`${path}.opaque`));
    return;
  }
  const { driver, parameters } = entry.opaque;
  csiDriverName(out, `${path}.opaque.driver`, driver);
  rawObject(out, `${path}.opaque.parameters`, parameters);
}

/** Checks configuration for drivers. `known` are the requests that it may refer to; undefined for classes, whose entries have no `requests`. */
export function configurationErrors(
  out: Out,
  path: string,
  entries: readonly DeviceClaimConfiguration[],
  known?: ReadonlySet<string>,
): void {
  if (!withinLimit(out, path, entries, most)) return;
  checkEach(out, entries, (out, entry, i) => {
    const at = `${path}[${i}]`;
    if (known !== undefined) requestReferences(out, `${at}.requests`, entry.requests ?? [], known);
    driverConfiguration(out, at, entry);
  });
}

/** A claim or an allocation, both of which contain configuration for drivers. */
interface Configured {
  readonly config?: readonly DeviceConfiguration[];
}

/** Whether two otherwise equal claims have the same JSON text in the parameters for drivers. */
export function sameParameters(devices: Configured | undefined, old: Configured | undefined): boolean {
  const parameters = (of: Configured | undefined) => (of?.config ?? []).map((entry) => entry.opaque?.parameters);
  return sameText(parameters(devices), parameters(old));
}

/** Checks the device requests of a claim; `path` is that of `devices`. */
export function deviceClaimErrors(out: Out, path: string, devices: DeviceClaim): void {
  const requests = devices.requests ?? [];
  const known = requestNames(requests);
  uniqueItems(out, `${path}.requests`, requests, most, nameOf, (at, request) => requestErrors(out, at, request));
  const constraints = devices.constraints ?? [];
  if (withinLimit(out, `${path}.constraints`, constraints, most)) {
    checkEach(out, constraints, (out, constraint, i) => {
      constraintErrors(out, `${path}.constraints[${i}]`, constraint, known);
    });
  }
  configurationErrors(out, `${path}.config`, devices.config ?? [], known);
}
