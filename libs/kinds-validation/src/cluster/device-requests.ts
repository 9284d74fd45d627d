import { compileExpression, deviceEnvironment, deviceSelectorResult } from '@apichain/cel';
import {
  byteLength,
  field,
  isCIdentifier,
  isDNS1123Label,
  isDNS1123Subdomain,
  isQualifiedName,
  isValidLabelValue,
  stringifyJson,
} from '@apichain/meta';
import { at as memberAt, integer, isRecord, isSet, type Plain, record, records, text, texts } from '@apichain/kinds';
import { sameText } from '@apichain/kinds';
import { compileErrors } from '../common/expressions.ts';
import { csiDriverName } from '../common/formats.ts';
import { checkEach, choice, invalidEach, type Out, requiredChoice, requiredName } from '../common/rules.ts';

const most = 32;
const mostSubrequests = 8;
const longestExpression = 10 * 1024;
const highestCost = 1_000_000;
const longestParameters = 10 * 1024;
const longestIdentifier = 32;

/** A list that is not too long; false when it is, and its items are not looked at then. */
export function withinLimit(out: Out, path: string, list: readonly unknown[], limit: number): boolean {
  if (list.length <= limit) return true;
  out.push(field.tooMany(path, list.length, limit));
  return false;
}

/**
 * The items of a list, each by its own check, then the keys that come again: `path[i]: Duplicate value`. Nothing of a list that is too
 * long is looked at.
 */
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

/** `domain/identifier` or an identifier alone. A name of more parts passes, as it does in the API server. */
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

/** An attribute's name where the domain is not the driver's own by default. */
function fullAttributeName(out: Out, path: string, name: string): void {
  attributeName(out, path, name);
  if (name.includes('/')) return;
  out.push(field.invalid(path, name, 'a fully qualified name must be a domain and a name separated by a slash'));
}

function identifier(out: Out, path: string, name: string): void {
  if (byteLength(name) > longestIdentifier) out.push(field.tooLong(path, longestIdentifier));
  invalidEach(out, path, name, isCIdentifier(name));
}

/** Selectors need an expression that compiles. */
export function selectorErrors(out: Out, path: string, value: unknown): void {
  const selectors = records(value);
  if (!withinLimit(out, path, selectors, most)) return;
  checkEach(out, selectors, (out, selector, k) => {
    const at = `${path}[${k}].cel`;
    if (!isSet(selector.cel)) out.push(field.required(at));
    else expressionErrors(out, `${at}.expression`, text(record(selector.cel).expression));
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

export function tolerationErrors(out: Out, path: string, value: unknown): void {
  checkEach(out, records(value), (out, toleration, k) => {
    const at = `${path}[${k}]`;
    const key = text(toleration.key);
    const given = text(toleration.value);
    if (key !== '') invalidEach(out, `${at}.key`, key, isQualifiedName(key));
    if (toleration.operator === 'Exists') {
      if (given !== '') out.push(field.invalid(`${at}.value`, given, 'must be empty for operator `Exists`'));
    } else if (toleration.operator === 'Equal') invalidEach(out, `${at}.value`, given, isValidLabelValue(given));
    else requiredChoice(out, `${at}.operator`, toleration.operator, ['Equal', 'Exists']);
    if (text(toleration.effect) !== '') choice(out, `${at}.effect`, toleration.effect, effects);
  });
}

function countErrors(out: Out, path: string, request: Plain): void {
  const mode = text(request.allocationMode);
  const count = integer(request.count);
  if (mode === 'All') {
    if (count !== 0) {
      out.push(field.invalid(`${path}.count`, count, "must not be specified when allocationMode is 'All'"));
    }
  } else if (mode === 'ExactCount') {
    if (count <= 0) out.push(field.invalid(`${path}.count`, count, 'must be greater than zero'));
  } else out.push(field.notSupported(`${path}.allocationMode`, mode, ['All', 'ExactCount']));
}

function deviceErrors(out: Out, path: string, request: Plain): void {
  requiredName(out, `${path}.deviceClassName`, request.deviceClassName, isDNS1123Subdomain);
  selectorErrors(out, `${path}.selectors`, request.selectors);
  countErrors(out, path, request);
  tolerationErrors(out, `${path}.tolerations`, request.tolerations);
}

function subrequestErrors(out: Out, path: string, value: unknown): void {
  uniqueItems(out, path, records(value), mostSubrequests, nameOf, (at, subrequest) => {
    requestName(out, `${at}.name`, nameOf(subrequest));
    deviceErrors(out, at, subrequest);
  });
}

const nameOf = (item: Plain): string => text(item.name);

const requestName = (out: Out, path: string, name: string): void => invalidEach(out, path, name, isDNS1123Label(name));

function requestErrors(out: Out, path: string, request: Plain): void {
  const hasExact = isSet(request.exactly);
  const hasFirst = records(request.firstAvailable).length > 0;
  requestName(out, `${path}.name`, nameOf(request));
  const oneOf = 'exactly one of `exactly` or `firstAvailable` is required';
  if (hasExact && hasFirst) out.push(field.invalid(path, null, `${oneOf}, but multiple fields are set`));
  else if (hasFirst) subrequestErrors(out, `${path}.firstAvailable`, request.firstAvailable);
  else if (hasExact) deviceErrors(out, `${path}.exactly`, record(request.exactly));
  else out.push(field.required(path, oneOf));
}

/** Names of requests, and of their alternatives after a slash. */
export function requestNames(requests: readonly Plain[]): Set<string> {
  const names = new Set<string>();
  for (const request of requests) {
    const name = text(request.name);
    names.add(name);
    for (const subrequest of records(request.firstAvailable)) names.add(`${name}/${text(subrequest.name)}`);
  }
  return names;
}

const unknownRequest =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

/** The name of a request of the claim, or `request/subrequest`. */
export function requestReference(out: Out, path: string, name: string, known: ReadonlySet<string>): void {
  const segments = name.split('/');
  if (segments.length <= 2) for (const segment of segments) requestName(out, path, segment);
  if (!known.has(name)) out.push(field.invalid(path, name, unknownRequest));
}

export function requestReferences(out: Out, path: string, value: unknown, known: ReadonlySet<string>): void {
  uniqueItems(
    out,
    path,
    texts(value),
    most,
    (name) => name,
    (at, name) => requestReference(out, at, name, known),
  );
}

function constraintErrors(out: Out, path: string, constraint: Plain, known: ReadonlySet<string>): void {
  requestReferences(out, `${path}.requests`, constraint.requests, known);
  const given = ['matchAttribute', 'distinctAttribute'].find((name) => isSet(constraint[name]));
  if (given !== undefined) fullAttributeName(out, `${path}.${given}`, text(constraint[given]));
  else {
    const detail = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
    out.push(field.required(path, detail));
  }
}

/** An object of the driver's own making, of limited size. */
export function rawObject(out: Out, path: string, value: unknown): void {
  if (!isSet(value)) out.push(field.required(path));
  else if (byteLength(stringifyJson(value)) > longestParameters) out.push(field.tooLong(path, longestParameters));
  else if (!isRecord(value)) out.push(field.invalid(path, '<value omitted>', 'must be a valid JSON object'));
}

/** The driver that a configuration is for, and what it shall do. */
export function driverConfiguration(out: Out, path: string, entry: Plain): void {
  if (!isSet(entry.opaque)) {
    out.push(field.required(`${path}.opaque`));
    return;
  }
  const { driver, parameters } = record(entry.opaque);
  csiDriverName(out, `${path}.opaque.driver`, driver);
  rawObject(out, `${path}.opaque.parameters`, parameters);
}

/** Configuration for drivers. `known` = requests it may be for; absent for classes. */
export function configurationErrors(out: Out, path: string, value: unknown, known?: ReadonlySet<string>): void {
  const entries = records(value);
  if (!withinLimit(out, path, entries, most)) return;
  checkEach(out, entries, (out, entry, i) => {
    const at = `${path}[${i}]`;
    if (known !== undefined) requestReferences(out, `${at}.requests`, entry.requests, known);
    driverConfiguration(out, at, entry);
  });
}

/** Whether two claims, alike but for texts, give drivers their parameters in the same text. */
export function sameParameters(devices: unknown, old: unknown): boolean {
  const parameters = (of: unknown) =>
    records(record(of).config).map((entry) => memberAt(entry, 'opaque', 'parameters'));
  return sameText(parameters(devices), parameters(old));
}

/** What a claim asks for; `path` is that of `devices`. */
export function deviceClaimErrors(out: Out, path: string, value: unknown): void {
  const devices = record(value);
  const requests = records(devices.requests);
  const known = requestNames(requests);
  uniqueItems(out, `${path}.requests`, requests, most, nameOf, (at, request) => requestErrors(out, at, request));
  const constraints = records(devices.constraints);
  if (withinLimit(out, `${path}.constraints`, constraints, most)) {
    checkEach(out, constraints, (out, constraint, i) => {
      constraintErrors(out, `${path}.constraints[${i}]`, constraint, known);
    });
  }
  configurationErrors(out, `${path}.config`, devices.config, known);
}
