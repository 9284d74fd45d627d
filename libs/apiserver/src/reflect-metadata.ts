/*
 * The three calls of the "reflect-metadata" proposal that the certificate library's dependency injection makes.
 * Import this before it; nothing else in the project relies on them.
 */

type Metadata = Map<unknown, unknown>;
const byTarget = new WeakMap<object, Metadata>();

function getOwnMetadata(key: unknown, target: object): unknown {
  return byTarget.get(target)?.get(key);
}

function getMetadata(key: unknown, target: object): unknown {
  for (let at: unknown = target; isObject(at); at = Object.getPrototypeOf(at)) {
    const metadata = byTarget.get(at);
    if (metadata?.has(key) === true) return metadata.get(key);
  }
  return undefined;
}

function defineMetadata(key: unknown, value: unknown, target: object): void {
  let metadata = byTarget.get(target);
  if (metadata === undefined) {
    metadata = new Map();
    byTarget.set(target, metadata);
  }
  metadata.set(key, value);
}

const isObject = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';

if (!('getMetadata' in Reflect)) {
  Object.defineProperties(Reflect, {
    getMetadata: { value: getMetadata, configurable: true, writable: true },
    getOwnMetadata: { value: getOwnMetadata, configurable: true, writable: true },
    defineMetadata: { value: defineMetadata, configurable: true, writable: true },
  });
}

export {};
