import { newBadRequest, newInvalid, field } from '@apichain/meta';
import { decodeContinue } from './continue-token.ts';
import { parseListResourceVersion } from './resource-version.ts';
import type { StorageListOptions } from './storage.ts';

/** Which state a list must show. */
export type ListFreshness =
  /** Everything acknowledged before the request. */
  | { readonly kind: 'consistent' }
  /** Whatever is at hand. */
  | { readonly kind: 'any' }
  | { readonly kind: 'notOlderThan'; readonly revision: number }
  | { readonly kind: 'exact'; readonly revision: number };

/** What a list request asks for, after its parameters were checked. */
export interface ListPlan {
  readonly freshness: ListFreshness;
  /** 0 = none. */
  readonly limit: number;
  /** The key to start from, relative to the directory; '' = its beginning. */
  readonly start: string;
  /** True for the pages after the first, which word their expiry differently. */
  readonly continued: boolean;
}

const consistent: ListFreshness = { kind: 'consistent' };

const forbidden = (message: string) =>
  newInvalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', [field.forbidden('resourceVersionMatch', message)]);

function continuedPlan(options: StorageListOptions, limit: number): ListPlan {
  const token = decodeContinue(options.continue);
  if (options.resourceVersion !== '' && options.resourceVersion !== '0') {
    throw newBadRequest('specifying resource version is not allowed when using continue');
  }
  const freshness: ListFreshness = token.revision < 0 ? consistent : { kind: 'exact', revision: token.revision };
  return { freshness, limit, start: token.start, continued: true };
}

function freshnessOf(options: StorageListOptions, limit: number): ListFreshness {
  const { resourceVersion, resourceVersionMatch } = options;
  if (resourceVersion === '') return consistent;
  const revision = parseListResourceVersion(resourceVersion);
  if (resourceVersionMatch === 'Exact' && resourceVersion === '0') {
    throw forbidden('resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
  }
  // Before there was a resourceVersionMatch a limit meant exact, and still does where none is given.
  const legacy = resourceVersionMatch === undefined && limit > 0 && resourceVersion !== '0';
  // Another spelling of 0 is no revision that there has been: what is read instead is the newest state.
  if (resourceVersionMatch === 'Exact' || legacy) return revision === 0 ? consistent : { kind: 'exact', revision };
  return revision === 0 ? { kind: 'any' } : { kind: 'notOlderThan', revision };
}

/**
 * The rules of https://kubernetes.io/docs/reference/using-api/api-concepts/#the-resourceversion-parameter for list, where there is a watch
 * cache. Throws the StatusError of a parameter that is wrong.
 */
export function planList(options: StorageListOptions): ListPlan {
  const plan = planUncachedList(options);
  // A cache heeds no limit where "0" is asked for, not even behind a continue token.
  return options.resourceVersion === '0' && plan.limit > 0 ? { ...plan, limit: 0 } : plan;
}

/** As planList, where etcd itself answers: what is at hand is then its newest state, in pages as any other. */
export function planUncachedList(options: StorageListOptions): ListPlan {
  const limit = Math.max(0, options.limit);
  if (options.continue !== '') return continuedPlan(options, limit);
  return { freshness: freshnessOf(options, limit), limit, start: '', continued: false };
}
