import { parseLabelSelector, type KubeObject } from '@apichain/meta';
import type { BackupObjects } from './backup-objects.ts';
import { resourceName, type StoredPlace } from './stored-resources.ts';

/** Resources, optionally with names, as a user writes them: `pods`, `deploy/web`, `widgets.example.com`. */
export interface ChosenObjects {
  /** Whether an object is chosen by its resource and its name. */
  readonly includes: (place: StoredPlace) => boolean;
  /** Whether resources were named at all. */
  readonly namesResources: boolean;
}

/** The input of `chooseObjects`. */
interface Choice {
  /** `KIND` or `KIND/NAME`; none = every resource. */
  readonly resources: readonly string[];
  /** None = every namespace, and what is in none. */
  readonly namespaces: readonly string[];
}

/** Throws Error with one line for the user when none of the backups has a resource of that name. */
export function chooseObjects(backups: readonly BackupObjects[], { resources, namespaces }: Choice): ChosenObjects {
  const wanted = new Map<string, Set<string> | 'all'>();
  for (const given of resources) {
    const slash = given.indexOf('/');
    const kind = slash < 0 ? given : given.slice(0, slash);
    const name = slash < 0 ? undefined : given.slice(slash + 1);
    const found = backups.flatMap((backup) => backup.resources.named(kind));
    if (found.length === 0) throw new Error(`there is no resource "${kind}" in it`);
    for (const resource of new Set(found.map(resourceName))) {
      const names = wanted.get(resource) ?? new Set<string>();
      if (name !== undefined && names !== 'all') names.add(name);
      wanted.set(resource, name === undefined ? 'all' : names);
    }
  }
  const inNamespaces = new Set(namespaces);
  return {
    namesResources: resources.length > 0,
    includes: ({ resource, namespace, name }) => {
      if (inNamespaces.size > 0 && !inNamespaces.has(namespace)) return false;
      if (resources.length === 0) return true;
      const names = wanted.get(resourceName(resource));
      return names === 'all' || names?.has(name) === true;
    },
  };
}

/** Whether labels match a selector such as `app=web,tier!=db`. Throws Error for a selector that cannot be parsed. */
export function labelsMatch(selector: string): (object: KubeObject) => boolean {
  if (selector === '') return () => true;
  const parsed = parseLabelSelector(selector);
  return ({ metadata }) => parsed.matches(metadata.labels ?? {});
}
