import type { Int64, IntOrString, MicroTime } from '@apichain/api/scalars';
import {
  byteLength,
  domainPrefixedPathErrors,
  field,
  integer,
  isDNS1123Label,
  isDNS1123Subdomain,
  isQualifiedName,
  isSet,
  isValidPercent,
  isValidPortName,
  isValidPortNum,
} from '@apichain/meta';
import { parseTime } from '@apichain/go-text';
import { invalidEach, nonNegativeDetail, type Out } from './rules.ts';

type Amount = IntOrString | null | undefined;

/** A port number or the name of a port. */
export function portOrName(out: Out, path: string, value: Amount): void {
  if (typeof value === 'string') invalidEach(out, path, value, isValidPortName(value));
  else invalidEach(out, path, value ?? 0, isValidPortNum(value ?? 0));
}

const isPercent = (value: Amount): value is string => typeof value === 'string' && isValidPercent(value).length === 0;

/** A number of pods: a non-negative integer or a percentage. */
export function intOrPercent(out: Out, path: string, value: Amount): void {
  if (typeof value === 'string') invalidEach(out, path, value, isValidPercent(value));
  else if ((value ?? 0) < 0) out.push(field.invalid(path, value, nonNegativeDetail));
}

/** The number of a percentage, or undefined when the value is not a percentage. */
const percentOf = (value: Amount): number | undefined => (isPercent(value) ? Number(value.slice(0, -1)) : undefined);

/** The number in an IntOrString: of a percentage without the sign, and also of an integer in quotes. */
export function amountOf(value: Amount): number {
  if (typeof value !== 'string') return value ?? 0;
  return /^[+-]?\d+$/.test(value) ? Number(value) : (percentOf(value) ?? 0);
}

export function notMoreThan100Percent(out: Out, path: string, value: Amount): void {
  if ((percentOf(value) ?? 0) > 100) out.push(field.invalid(path, value, 'must not be greater than 100%'));
}

const longestDriverName = 63;

/** The name of a CSI driver. */
export function csiDriverName(out: Out, path: string, name = ''): void {
  if (name === '') out.push(field.required(path));
  if (byteLength(name) > longestDriverName) out.push(field.tooLong(path, longestDriverName));
  if (name !== '') invalidEach(out, path, name, isDNS1123Subdomain(name.toLowerCase()));
}

/** `acme.io/foo` */
export function domainPrefixedPath(out: Out, path: string, value = ''): void {
  out.push(...domainPrefixedPathErrors(path, value));
}

/** A key with a domain prefix. */
export function domainPrefixedKey(out: Out, path: string, key: string): void {
  if (key === '') {
    out.push(field.required(path));
    return;
  }
  const messages = isQualifiedName(key);
  invalidEach(out, path, key, messages);
  if (messages.length === 0 && key.split('/').length !== 2) {
    out.push(field.invalid(path, key, 'must be a domain-prefixed key (such as "acme.io/foo")'));
  }
}

/** A name of at least three parts separated by dots, as webhooks need. */
export function fullyQualifiedName(out: Out, path: string, name = ''): void {
  if (name === '') {
    out.push(field.required(path));
    return;
  }
  const messages = isDNS1123Subdomain(name);
  if (messages.length > 0) out.push(field.invalid(path, name, messages.join(',')));
  else if (name.split('.').length < 3) {
    out.push(field.invalid(path, name, 'should be a domain with at least three segments separated by dots'));
  }
}

/** A host name of at least two parts; a trailing dot is allowed. */
export function fullyQualifiedDomainName(out: Out, path: string, name = ''): void {
  if (name === '') {
    out.push(field.required(path));
    return;
  }
  const host = name.replace(/\.$/, '');
  const messages = isDNS1123Subdomain(host);
  const labels = host.split('.');
  if (messages.length > 0) out.push(field.invalid(path, name, messages.join(',')));
  else if (labels.length < 2) {
    out.push(field.invalid(path, name, 'should be a domain with at least two segments separated by dots'));
  } else {
    const bad = labels.find((label) => isDNS1123Label(label).length > 0);
    if (bad !== undefined) out.push(field.invalid(path, bad, isDNS1123Label(bad).join(',')));
  }
}

const longestSignerDomain = 253;
const longestSignerName = 571;

/** The name of a certificate signer: a domain and a path. */
export function signerName(out: Out, path: string, name = ''): void {
  if (name === '') {
    out.push(field.required(path));
    return;
  }
  const [domain = '', rest, ...more] = name.split('/');
  if (rest === undefined || more.length > 0) {
    out.push(
      field.invalid(path, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'"),
    );
    return;
  }
  if (byteLength(domain) > longestSignerDomain) out.push(field.tooLong(path, longestSignerDomain));
  labelled(out, path, domain, isDNS1123Label);
  if (domain.split('.').length < 2) {
    out.push(field.invalid(path, domain, 'should be a domain with at least two segments separated by dots'));
  }
  labelled(out, path, rest, isDNS1123Subdomain);
  if (byteLength(name) > longestSignerName) out.push(field.tooLong(path, longestSignerName));
}

/** Reports the first part between dots that violates the rule. */
function labelled(out: Out, path: string, value: string, rule: (part: string) => string[]): void {
  for (const label of value.split('.')) {
    const [message] = rule(label);
    if (message === undefined) continue;
    out.push(field.invalid(path, value, `validating label ${JSON.stringify(label)}: ${message}`));
    return;
  }
}

const shortestToken = 10 * 60;
const longestToken = 2 ** 32;

/** The lifetime of a service account token, in seconds. */
export function tokenSeconds(out: Out, path: string, value: Int64 | null | undefined): void {
  if (!isSet(value)) return;
  const seconds = integer(value);
  if (seconds < shortestToken) out.push(field.invalid(path, value, 'may not specify a duration less than 10 minutes'));
  if (seconds > longestToken)
    out.push(field.invalid(path, value, 'may not specify a duration larger than 2^32 seconds'));
}

/** The path of a file below a directory: relative and without `..`. */
export function localPath(out: Out, path: string, value: string): void {
  if (value.startsWith('/')) out.push(field.invalid(path, value, 'must be a relative path'));
  const before = out.length;
  noBacksteps(out, path, value);
  if (out.length === before && value.startsWith('..')) {
    out.push(field.invalid(path, value, "must not start with '..'"));
  }
}

/** A relative path without `..`. */
export function localDescendingPath(out: Out, path: string, value: string): void {
  if (value.startsWith('/')) out.push(field.invalid(path, value, 'must be a relative path'));
  noBacksteps(out, path, value);
}

export function noBacksteps(out: Out, path: string, value: string): void {
  if (value.split('/').includes('..')) out.push(field.invalid(path, value, "must not contain '..'"));
}

/** Whether one RFC 3339 time is before another; false when either is absent. */
export function isBefore(a: MicroTime | null | undefined, b: MicroTime | null | undefined): boolean {
  const [first, second] = [parseTime(a ?? ''), parseTime(b ?? '')];
  return first !== undefined && second !== undefined && first < second;
}
