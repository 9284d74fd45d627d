import { recursiveDifference, setOf, type FieldSet } from './field-set.ts';
import { fieldElement } from './path-element.ts';

/** Removes the fields that an endpoint never owns from a set. */
export type FieldFilter = (set: FieldSet) => FieldSet;

const elementsOf = (path: string): string[] => path.split('.').map(fieldElement);

/** Removes these dotted paths and everything below them. */
function excludeFields(paths: readonly string[]): FieldFilter {
  const excluded = setOf(paths.map(elementsOf));
  return (set) => recursiveDifference(set, excluded);
}

type PathsByVersion = Readonly<Record<string, readonly string[]>>;

const isPathList = (paths: readonly string[] | PathsByVersion): paths is readonly string[] => Array.isArray(paths);

/**
 * The fields that the strategy of an endpoint resets, such as `status` when the main resource is written. A writer through this endpoint never owns
 * them. Source: ResetFieldsStrategy of k8s.io/apiserver/pkg/registry/rest.
 */
export class ResetFields {
  readonly #paths: readonly string[] | PathsByVersion;
  readonly #filters = new Map<string, FieldFilter | undefined>();

  /** Dotted paths, e.g. `status`; by apiVersion where versions differ. */
  constructor(paths: readonly string[] | PathsByVersion = []) {
    this.#paths = paths;
  }

  /** The filter for sets of a version; undefined where no fields are reset. */
  filter(apiVersion: string): FieldFilter | undefined {
    if (!this.#filters.has(apiVersion)) this.#filters.set(apiVersion, this.#makeFilter(apiVersion));
    return this.#filters.get(apiVersion);
  }

  #makeFilter(apiVersion: string): FieldFilter | undefined {
    const paths = isPathList(this.#paths) ? this.#paths : this.#paths[apiVersion];
    return paths === undefined || paths.length === 0 ? undefined : excludeFields(paths);
  }
}
