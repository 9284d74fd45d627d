import { goQuote } from '@apichain/go-text';
import { asText, asUrl, global, member, type Library } from '../overload.ts';
import * as types from '../types.ts';
import { ArrayList, EntryMap, EvaluationError } from '../values.ts';
import { Url } from './extension-values.ts';

const urlType = types.opaque('kubernetes.URL');

/** Why Go's url.ParseRequestURI rejects a text; undefined if it does not. */
export function requestUriProblem(text: string): string | undefined {
  const fail = (why: string) => `parse ${goQuote(text)}: ${why}`;
  if (text === '') return fail('empty url');
  if (/[\u0000-\u001f\u007f]/.test(text)) return fail('net/url: invalid control character in URL');
  const beforeQuery = text.split('?')[0] ?? '';
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*:/.exec(beforeQuery)?.[0];
  if (beforeQuery.startsWith(':')) return fail('missing protocol scheme');
  const rest = beforeQuery.slice(scheme?.length ?? 0);
  if (!rest.startsWith('/')) return scheme !== undefined || text === '*' ? undefined : fail('invalid URI for request');
  const escape = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(beforeQuery)?.[0];
  if (escape !== undefined) return fail(`invalid URL escape ${goQuote(escape)}`);
  const authority = scheme === undefined ? '' : (/^\/\/([^/]*)/.exec(rest)?.[1] ?? '');
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const odd = /[ #\\^`{}|]/.exec(host)?.[0];
  if (odd !== undefined) return fail(`invalid character ${goQuote(odd)} in host name`);
  if (host.startsWith('[') && !host.includes(']')) return fail("missing ']' in host");
  const port = host.slice(host.lastIndexOf(']') + 1).split(':')[1];
  if (port !== undefined && !/^\d*$/.test(port)) return fail(`invalid port ${goQuote(`:${port}`)} after host`);
  return undefined;
}

function parseUrl(text: string): Url {
  const problem = requestUriProblem(text);
  if (problem !== undefined) throw new EvaluationError(`URL parse error during conversion from string: ${problem}`);
  const hash = text.indexOf('#');
  const clean = hash < 0 ? text : text.slice(0, hash);
  const question = clean.indexOf('?');
  const main = question < 0 ? clean : clean.slice(0, question);
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*(?=:)/.exec(main)?.[0] ?? '';
  const rest = scheme === '' ? main : main.slice(scheme.length + 1);
  const authority = scheme !== '' && rest.startsWith('//') ? (/^\/\/([^/]*)/.exec(rest)?.[1] ?? '') : undefined;
  return new Url(text, {
    scheme: scheme.toLowerCase(),
    host: authority?.slice(authority.lastIndexOf('@') + 1) ?? '',
    path:
      authority !== undefined ? rest.slice(2 + authority.length) : scheme === '' || rest.startsWith('/') ? rest : '',
    query: question < 0 ? '' : clean.slice(question + 1),
  });
}

const hostname = (host: string) => /^\[([^\]]*)\]/.exec(host)?.[1] ?? host.replace(/:\d*$/, '');
const port = (host: string) => /:(\d*)$/.exec(host.replace(/^\[[^\]]*\]/, ''))?.[1] ?? '';
/** The path as sent in a request: characters that are not allowed are escaped, existing escapes are preserved. */
const escapedPath = (path: string) =>
  path.replaceAll(/[^A-Za-z0-9\-_.~$&+,/:;=@%!'()*[\]]/gu, (c) => encodeURIComponent(c));

function query(text: string): EntryMap {
  const found = new Map<string, string[]>();
  const decode = (part: string): string | undefined => {
    try {
      return decodeURIComponent(part.replaceAll('+', ' '));
    } catch (error) {
      if (error instanceof URIError) return undefined;
      throw error;
    }
  };
  for (const pair of text.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const equals = pair.indexOf('=');
    const key = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = decode(equals < 0 ? '' : pair.slice(equals + 1));
    if (key !== undefined && value !== undefined) found.set(key, [...(found.get(key) ?? []), value]);
  }
  return new EntryMap([...found].map(([k, v]) => [k, new ArrayList(v)]));
}

const part = (id: string, read: (url: Url) => string) => [
  member(id, [urlType], types.string, (url) => read(asUrl(url))),
];

/** https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-url-library */
export const urlLibrary: Library = {
  url: [global('string_to_url', [types.string], urlType, (v) => parseUrl(asText(v)))],
  isURL: [global('is_url_string', [types.string], types.bool, (v) => requestUriProblem(asText(v)) === undefined)],
  getScheme: part('url_get_scheme', (url) => url.scheme),
  getHost: part('url_get_host', (url) => url.host),
  getHostname: part('url_get_hostname', (url) => hostname(url.host)),
  getPort: part('url_get_port', (url) => port(url.host)),
  getEscapedPath: part('url_get_escaped_path', (url) => escapedPath(url.path)),
  getQuery: [
    member('url_get_query', [urlType], types.map(types.string, types.list(types.string)), (url) =>
      query(asUrl(url).query),
    ),
  ],
};
