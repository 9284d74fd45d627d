import { recursiveDifference, setOf, type FieldSet } from './field-set.ts';
import { fieldElement } from './path-element.ts';

/** Takes the fields out of a set that an endpoint never owns. */
export type FieldFilter = (set: FieldSet) => FieldSet;

const elementsOf = (path: string): string[] => path.split('.').map(fieldElement);

/** Drops these dotted paths and all below them. */
function excludeFields(paths: readonly string[]): FieldFilter {
  const excluded = setOf(paths.map(elementsOf));
  return (set) => recursiveDifference(set, excluded);
}

type PathsByVersion = Readonly<Record<string, readonly string[]>>;

const isPathList = (paths: readonly string[] | PathsByVersion): paths is readonly string[] => Array.isArray(paths);

/**
 * The fields that the strategy of an endpoint resets, such as `status` where the whole object is written: nobody comes to own them there.
 * Source: ResetFieldsStrategy of k8s.io/apiserver/pkg/registry/rest.
 */
export class ResetFields {
  readonly #paths: readonly string[] | PathsByVersion;
  readonly #filters = new Map<string, FieldFilter | undefined>();

  /** Dotted paths, e.g. `status`; by apiVersion where versions differ. */
  constructor(paths: readonly string[] | PathsByVersion = []) {
    this.#paths = paths;
  }

  /** The filter for sets that are spelled in a version; undefined where nothing is reset. */
  filter(apiVersion: string): FieldFilter | undefined {
    if (!this.#filters.has(apiVersion)) this.#filters.set(apiVersion, this.#makeFilter(apiVersion));
    return this.#filters.get(apiVersion);
  }

  #makeFilter(apiVersion: string): FieldFilter | undefined {
    const paths = isPathList(this.#paths) ? this.#paths : this.#paths[apiVersion];
    return paths === undefined || paths.length === 0 ? undefined : excludeFields(paths);
  }
}
