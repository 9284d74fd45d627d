import { newBadRequest, newInvalid, field } from '@apichain/meta';
import { decodeContinue } from './continue-token.ts';
import { parseListResourceVersion } from './resource-version.ts';
import type { SelectionPredicate, StorageListOptions } from './storage.ts';

/** The state that a list must show. */
export type ListFreshness =
  /** Includes every write acknowledged before the request. */
  | { readonly kind: 'consistent' }
  /** Any state in memory. */
  | { readonly kind: 'any' }
  | { readonly kind: 'notOlderThan'; readonly revision: number }
  | { readonly kind: 'exact'; readonly revision: number };

/** A list request, after validation of its parameters. */
export interface ListPlan {
  readonly freshness: ListFreshness;
  /** 0 = none. */
  readonly limit: number;
  /** The key to start from, relative to the directory; '' = its beginning. */
  readonly start: string;
  /** True for the pages after the first, whose expiry has a different message. */
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
  // Before resourceVersionMatch existed, a limit implied an exact match. It still does when resourceVersionMatch is not set.
  const legacy = resourceVersionMatch === undefined && limit > 0 && resourceVersion !== '0';
  // Another spelling of 0 is not the revision of any state: the newest state is read instead.
  if (resourceVersionMatch === 'Exact' || legacy) return revision === 0 ? consistent : { kind: 'exact', revision };
  return revision === 0 ? { kind: 'any' } : { kind: 'notOlderThan', revision };
}

/**
 * Plans a list where there is a watch cache, by the rules of
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#the-resourceversion-parameter. Throws the StatusError of an invalid parameter.
 */
export function planList(options: StorageListOptions): ListPlan {
  const plan = planUncachedList(options);
  // A cache ignores the limit when the resourceVersion is "0", even with a continue token.
  return options.resourceVersion === '0' && plan.limit > 0 ? { ...plan, limit: 0 } : plan;
}

/** Like planList, where etcd serves lists directly. "Any" is then etcd's newest state, and the list has pages like any other. */
export function planUncachedList(options: StorageListOptions): ListPlan {
  const limit = Math.max(0, options.limit);
  if (options.continue !== '') return continuedPlan(options, limit);
  return { freshness: freshnessOf(options, limit), limit, start: '', continued: false };
}

/** Where a list looks: the root of the resource, the directory that was asked for, and what is selected there. */
interface ListScope {
  readonly root: string;
  readonly directory: string;
  readonly predicate: SelectionPredicate;
}

/** The narrowest directory that holds everything the predicate can match. */
export function narrowed({ root, directory, predicate }: ListScope): string {
  const namespace = predicate.exactFields['metadata.namespace'];
  return directory === root && namespace !== undefined && namespace !== '' ? `${root}${namespace}/` : directory;
}
