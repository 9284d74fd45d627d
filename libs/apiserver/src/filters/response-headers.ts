import type { Filter } from '@apichain/request';
import { re2Library } from '@apichain/schema';

/** Responses may not be cached, unless a handler sets another header. */
export const cacheControl: Filter = (_request, response, next) => {
  response.setHeader('Cache-Control', 'no-cache, private');
  next();
};

/** `--strict-transport-security-directives`: the header of RFC 6797. */
export function hsts(directives: readonly string[]): Filter {
  const value = directives.join('; ');
  return (_request, response, next) => {
    response.setHeader('Strict-Transport-Security', value);
    next();
  };
}

const methods = 'POST, GET, OPTIONS, PUT, DELETE, PATCH';
const headers =
  'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since';

/** `--cors-allowed-origins`: regular expressions (RE2) of the allowed origins. Throws Error on an invalid pattern. */
export function cors(allowedOrigins: readonly string[]): Filter {
  const patterns = allowedOrigins.map((pattern) => re2Library().RE2JS.compile(pattern));
  return (request, response, next) => {
    const { origin } = request.headers;
    if (origin === undefined || !patterns.some((pattern) => pattern.matcher(origin).find())) {
      next();
      return;
    }
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Allow-Methods', methods);
    response.setHeader('Access-Control-Allow-Headers', headers);
    response.setHeader('Access-Control-Expose-Headers', 'Date');
    response.setHeader('Access-Control-Allow-Credentials', 'true');
    if (request.method === 'OPTIONS') {
      response.writeHead(204);
      response.end();
      return;
    }
    next();
  };
}
