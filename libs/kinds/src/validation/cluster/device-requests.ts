import { compileExpression, deviceEnvironment, deviceSelectorResult } from '@apichain/cel';
import {
  byteLength,
  field,
  isCIdentifier,
  isDNS1123Label,
  isDNS1123Subdomain,
  isQualifiedName,
  isValidLabelValue,
  JsonSyntaxError,
  parseJson,
  stringifyJson,
} from '@apichain/meta';
import { integer, isRecord, isSet, type Plain, record, records, text, texts } from '../../fields.ts';
import { csiDriverName } from '../common/formats.ts';
import { choice, invalidEach, type Out, requiredChoice, requiredName } from '../common/rules.ts';

const most = 32;
const mostSubrequests = 8;
const longestExpression = 10 * 1024;
const longestParameters = 10 * 1024;
const longestIdentifier = 32;

/** A list that is not too long; false when it is, and its items are not looked at then. */
export function withinLimit(out: Out, path: string, list: readonly unknown[], limit: number): boolean {
  if (list.length <= limit) return true;
  out.push(field.tooMany(path, list.length, limit));
  return false;
}

/** `domain/identifier` or, where a domain is not needed, an identifier alone. */
export function attributeName(out: Out, path: string, name: string, needsDomain: boolean): void {
  if (name === '') {
    out.push(field.required(path));
    return;
  }
  const slash = name.indexOf('/');
  if (slash < 0) {
    if (needsDomain) {
      const detail = 'a fully qualified name must be a domain and a name separated by a slash';
      out.push(field.invalid(path, name, detail));
    } else identifier(out, path, name);
    return;
  }
  const domain = name.slice(0, slash);
  const rest = name.slice(slash + 1);
  if (domain === '') out.push(field.invalid(path, '', 'the domain must not be empty'));
  else csiDriverName(out, path, domain);
  if (rest === '') out.push(field.invalid(path, '', 'the name must not be empty'));
  else identifier(out, path, rest);
}

function identifier(out: Out, path: string, name: string): void {
  if (byteLength(name) > longestIdentifier) out.push(field.tooLong(path, longestIdentifier));
  invalidEach(out, path, name, isCIdentifier(name));
}

/** Selectors need an expression that compiles. */
export function selectorErrors(out: Out, path: string, value: unknown): void {
  const selectors = records(value);
  if (!withinLimit(out, path, selectors, most)) return;
  for (const [k, selector] of selectors.entries()) {
    const at = `${path}[${k}].cel`;
    if (!isSet(selector.cel)) out.push(field.required(at));
    else expressionErrors(out, `${at}.expression`, text(record(selector.cel).expression));
  }
}

function expressionErrors(out: Out, path: string, expression: string): void {
  if (byteLength(expression) > longestExpression) {
    out.push(field.tooLong(path, longestExpression));
    return;
  }
  const compiled = compileExpression(expression, deviceEnvironment, deviceSelectorResult);
  if ('error' in compiled) out.push(field.invalid(path, expression, compiled.error));
}

const effects = ['NoExecute', 'NoSchedule', 'None'];

function tolerationErrors(out: Out, path: string, value: unknown): void {
  for (const [k, toleration] of records(value).entries()) {
    const at = `${path}[${k}]`;
    const key = text(toleration.key);
    const given = text(toleration.value);
    if (key !== '') invalidEach(out, `${at}.key`, key, isQualifiedName(key));
    if (toleration.operator === 'Exists') {
      if (given !== '') out.push(field.invalid(`${at}.value`, given, 'must be empty for operator `Exists`'));
    } else if (toleration.operator === 'Equal') invalidEach(out, `${at}.value`, given, isValidLabelValue(given));
    else requiredChoice(out, `${at}.operator`, toleration.operator, ['Equal', 'Exists']);
    if (text(toleration.effect) !== '') choice(out, `${at}.effect`, toleration.effect, effects);
  }
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
  const subrequests = records(value);
  if (!withinLimit(out, path, subrequests, mostSubrequests)) return;
  const names = new Set<string>();
  for (const [j, subrequest] of subrequests.entries()) {
    const at = `${path}[${j}]`;
    const name = text(subrequest.name);
    if (names.has(name)) out.push(field.duplicate(at, name));
    names.add(name);
    invalidEach(out, `${at}.name`, name, isDNS1123Label(name));
    deviceErrors(out, at, subrequest);
  }
}

function requestErrors(out: Out, path: string, request: Plain): void {
  const name = text(request.name);
  const hasExact = isSet(request.exactly);
  const hasFirst = records(request.firstAvailable).length > 0;
  invalidEach(out, `${path}.name`, name, isDNS1123Label(name));
  const oneOf = 'exactly one of `exactly` or `firstAvailable` is required';
  if (hasExact && hasFirst) out.push(field.invalid(path, null, `${oneOf}, but multiple fields are set`));
  else if (!hasExact && !hasFirst) out.push(field.required(path, oneOf));
  if (hasExact) deviceErrors(out, `${path}.exactly`, record(request.exactly));
  if (hasFirst) subrequestErrors(out, `${path}.firstAvailable`, request.firstAvailable);
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

function requestReferences(out: Out, path: string, value: unknown, known: ReadonlySet<string>): void {
  const names = texts(value);
  if (!withinLimit(out, path, names, most)) return;
  for (const [j, name] of names.entries()) {
    if (names.indexOf(name) < j) out.push(field.duplicate(`${path}[${j}]`, name));
    if (known.has(name)) continue;
    const detail =
      "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
    out.push(field.invalid(`${path}[${j}]`, name, detail));
  }
}

function constraintErrors(out: Out, path: string, constraint: Plain, known: ReadonlySet<string>): void {
  requestReferences(out, `${path}.requests`, constraint.requests, known);
  const given = ['matchAttribute', 'distinctAttribute'].filter((name) => isSet(constraint[name]));
  for (const name of given) attributeName(out, `${path}.${name}`, text(constraint[name]), true);
  if (given.length === 0) {
    const detail = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
    out.push(field.required(path, detail));
  }
}

/** Raw JSON of limited size. */
function rawObject(out: Out, path: string, value: unknown): void {
  if (!isSet(value)) {
    out.push(field.required(path));
    return;
  }
  if (byteLength(stringifyJson(value)) > longestParameters) {
    out.push(field.tooLong(path, longestParameters));
    return;
  }
  const omitted = '<value omitted>';
  try {
    const parsed = typeof value === 'string' ? parseJson(value) : value;
    if (!isRecord(parsed)) out.push(field.invalid(path, omitted, 'must be a valid JSON object'));
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    out.push(field.invalid(path, omitted, `error parsing data as JSON: ${error.message}`));
  }
}

/** Configuration for drivers. `known` = requests it may be for; absent for classes. */
export function configurationErrors(out: Out, path: string, value: unknown, known?: ReadonlySet<string>): void {
  const entries = records(value);
  if (!withinLimit(out, path, entries, most)) return;
  for (const [i, entry] of entries.entries()) {
    const at = `${path}[${i}]`;
    if (known !== undefined) requestReferences(out, `${at}.requests`, entry.requests, known);
    if (!isSet(entry.opaque)) {
      out.push(field.required(`${at}.opaque`));
      continue;
    }
    const { driver, parameters } = record(entry.opaque);
    csiDriverName(out, `${at}.opaque.driver`, driver);
    rawObject(out, `${at}.opaque.parameters`, parameters);
  }
}

/** What a claim asks for; `path` is that of `devices`. */
export function deviceClaimErrors(out: Out, path: string, value: unknown): void {
  const devices = record(value);
  const requests = records(devices.requests);
  const known = requestNames(requests);
  if (withinLimit(out, `${path}.requests`, requests, most)) {
    const names = new Set<string>();
    for (const [i, request] of requests.entries()) {
      const name = text(request.name);
      if (names.has(name)) out.push(field.duplicate(`${path}.requests[${i}]`, name));
      names.add(name);
      requestErrors(out, `${path}.requests[${i}]`, request);
    }
  }
  const constraints = records(devices.constraints);
  if (withinLimit(out, `${path}.constraints`, constraints, most)) {
    for (const [i, constraint] of constraints.entries()) {
      constraintErrors(out, `${path}.constraints[${i}]`, constraint, known);
    }
  }
  configurationErrors(out, `${path}.config`, devices.config, known);
}
