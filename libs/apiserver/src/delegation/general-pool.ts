import { createRequire } from 'node:module';
import type { Dispatcher, Pool } from 'undici';

type Options = ConstructorParameters<typeof Pool>;

const require = createRequire(import.meta.url);

/**
 * A connection pool of undici with the methods that undici's index gives it. The library with its fetch, mocks and caches would take twice as
 * long to load, and 14 MB more.
 */
export function openPool(...options: Options): Pool {
  const Class = require('undici/lib/dispatcher/pool.js') as new (...options: Options) => Pool;
  const base = require('undici/lib/dispatcher/dispatcher.js') as { readonly prototype: Dispatcher };
  Object.assign(base.prototype, require('undici/lib/api'));
  return new Class(...options);
}
