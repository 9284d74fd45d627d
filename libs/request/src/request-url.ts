import { isUtf8 } from 'node:buffer';
import { ownText } from '@apichain/meta';
import { parseQuery, type Query } from './negotiation/query.ts';

/** Characters from which on the parts of a text that are kept must be copies. */
export const longText = 2_048;

interface RequestUrl {
  /** Decoded. */
  readonly path: string;
  readonly query: Query;
}

/** The default limit of url.ParseQuery of Go (`urlmaxqueryparams`). */
const maxParameters = 10_000;

function hasTooManyParameters(target: string, mark: number): boolean {
  let parameters = 1;
  for (let at = target.indexOf('&', mark + 1); at >= 0; at = target.indexOf('&', at + 1))
    if (++parameters > maxParameters) return true;
  return false;
}

/** Parses a request target. Undefined when its percent-encoding is invalid, or when its query has too many parameters. */
export function splitUrl(target: string): RequestUrl | undefined {
  const mark = target.indexOf('?');
  if (mark >= 0 && hasTooManyParameters(target, mark)) return undefined;
  const raw = mark < 0 ? target : target.slice(0, mark);
  const path = raw.startsWith('/') || raw === '*' ? raw : withoutOrigin(raw);
  if (path === undefined) return undefined;
  const query = parseQuery(target);
  // The path outlives the query in what is kept of a request.
  if (!path.includes('%')) return { path: target.length > longText ? ownText(path) : path, query };
  if (/%(?![0-9a-fA-F]{2})/.test(path)) return undefined;
  return { path: path.replace(/(?:%[0-9a-fA-F]{2})+/g, decodeOctets), query };
}

/** Decodes octets. Those that are not UTF-8 become the lone surrogate U+DC00 + octet each, so that errors can show them. */
function decodeOctets(escapes: string): string {
  const bytes = Buffer.from(escapes.replaceAll('%', ''), 'hex');
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let text = '';
  for (let i = 0; i < bytes.length;) {
    const lead = bytes[i] ?? 0;
    const length = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    const sequence = bytes.subarray(i, i + length);
    const valid = isUtf8(sequence);
    text += valid ? sequence.toString('utf8') : String.fromCharCode(0xdc00 + lead);
    i += valid ? length : 1;
  }
  return text;
}

/**
 * A request target without scheme and host, which proxies may send: `GET http://host/path`. Path and query are not normalized, dots included, so
 * that what is authorized is also what is forwarded. Undefined for a text that is not an absolute URL.
 */
export function withoutOrigin(target: string): string | undefined {
  const [origin] = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i.exec(target) ?? [];
  if (origin === undefined) return undefined;
  const rest = target.slice(origin.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}
