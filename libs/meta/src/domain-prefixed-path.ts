import { invalid, required, type FieldError } from './field-error.ts';
import { isDNS1123Subdomain, isHTTPPath } from './names.ts';

/** The errors in the value of a field that must be a domain-prefixed path, such as `acme.io/foo`. */
export function domainPrefixedPathErrors(path: string, value: string): FieldError[] {
  if (value === '') return [required(path)];
  const slash = value.indexOf('/');
  const host = value.slice(0, slash);
  const rest = value.slice(slash + 1);
  if (slash <= 0 || rest === '')
    return [invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  return [
    ...isDNS1123Subdomain(host).map((problem) => invalid(path, host, problem)),
    ...isHTTPPath(rest).map((problem) => invalid(path, rest, problem)),
  ];
}
