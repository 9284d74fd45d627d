import type { Filter } from '@apichain/request';

/** `--strict-transport-security-directives`: the header of RFC 6797. */
export function hsts(directives: readonly string[]): Filter {
  const value = directives.join('; ');
  return (_request, response, next) => {
    response.setHeader('Strict-Transport-Security', value);
    next();
  };
}
