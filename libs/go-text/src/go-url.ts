import { goQuote } from './go-quote.ts';

/** The parts of a URL that validation checks, in their escaped form. */
interface GoUrl {
  readonly scheme: string;
  readonly host: string;
  /** `name` or `name:password`; undefined if the URL has no user information, an empty string if that is empty. */
  readonly user: string | undefined;
  readonly query: string;
  readonly fragment: string;
}

const cut = (value: string, separator: string): [string, string] => {
  const at = value.indexOf(separator);
  return at < 0 ? [value, ''] : [value.slice(0, at), value.slice(at + separator.length)];
};

function hostProblem(host: string): string | undefined {
  const isLiteral = host.startsWith('[');
  if (isLiteral && !host.includes(']')) return "missing ']' in host";
  const afterAddress = isLiteral ? host.slice(host.lastIndexOf(']') + 1) : (/:[^:]*$/.exec(host)?.[0] ?? '');
  if (!/^(:\d*)?$/.test(afterAddress)) return `invalid port ${goQuote(afterAddress)} after host`;
  const escape = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(host)?.[0];
  if (escape !== undefined) return `invalid URL escape ${goQuote(escape)}`;
  const odd = /[ \\^`{}|]/.exec(host)?.[0];
  return odd === undefined ? undefined : `invalid character ${goQuote(odd)} in host name`;
}

/**
 * Go's net/url.Parse: returns the parts of a URL, or the error. It accepts more than the URL class does, e.g. text without scheme or
 * host.
 */
export function parseGoUrl(value: string): GoUrl | { readonly error: string } {
  const [text, fragment] = cut(value, '#');
  const fail = (why: string) => ({ error: `parse ${goQuote(text)}: ${why}` });
  if (/[\u0000-\u001f\u007f]/.test(text)) return fail('net/url: invalid control character in URL');
  if (text.startsWith(':')) return fail('missing protocol scheme');
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*(?=:)/.exec(text)?.[0] ?? '';
  const [rest, query] = cut(scheme === '' ? text : text.slice(scheme.length + 1), '?');
  const parts = { scheme: scheme.toLowerCase(), host: '', user: undefined, query, fragment };
  if (!rest.startsWith('/')) {
    if (scheme !== '') return parts;
    if (cut(rest, '/')[0].includes(':')) return fail('first path segment in URL cannot contain colon');
  }
  const hasAuthority = rest.startsWith('//') && (scheme !== '' || !rest.startsWith('///'));
  const authority = hasAuthority ? cut(rest.slice(2), '/')[0] : '';
  const path = hasAuthority ? rest.slice(2 + authority.length) : rest;
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  const problem = hostProblem(host);
  if (problem !== undefined) return fail(problem);
  if (at >= 0 && !/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(authority.slice(0, at))) {
    return fail('net/url: invalid userinfo');
  }
  const escape = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(path)?.[0];
  if (escape !== undefined) return fail(`invalid URL escape ${goQuote(escape)}`);
  return { ...parts, host, user: at < 0 ? undefined : authority.slice(0, at) };
}

/** Whether Go's net/url.ParseRequestURI accepts a text: a path, `*`, or a URL with a scheme. `#` has no special meaning. */
export function isRequestUri(text: string): boolean {
  if (text === '*') return true;
  // A path may begin with two slashes. `#` is replaced by `^`, which is equally invalid in a host.
  const parsed = parseGoUrl((text.startsWith('//') ? `/${text}` : text).replaceAll('#', '^'));
  return !('error' in parsed) && (text.startsWith('/') || parsed.scheme !== '');
}
