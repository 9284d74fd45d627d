import type { Library, Overload } from '../overload.ts';
import { addressLibrary } from './addresses.ts';
import { authorizationLibrary } from './authorization.ts';
import { listLibrary, optionalLibrary, setLibrary } from './collections.ts';
import { conversionLibrary } from './conversions.ts';
import { jsonPatchLibrary, kubernetesLibrary } from './kubernetes.ts';
import { operatorLibrary } from './operators.ts';
import { stringLibrary } from './strings.ts';
import { timestampLibrary } from './timestamps.ts';
import { urlLibrary } from './urls.ts';

const libraries: readonly Library[] = [
  operatorLibrary,
  conversionLibrary,
  timestampLibrary,
  stringLibrary,
  listLibrary,
  setLibrary,
  optionalLibrary,
  addressLibrary,
  urlLibrary,
  kubernetesLibrary,
  jsonPatchLibrary,
  authorizationLibrary,
];

function merge(): ReadonlyMap<string, readonly Overload[]> {
  const merged = new Map<string, Overload[]>();
  for (const library of libraries)
    for (const [name, overloads] of Object.entries(library))
      merged.set(name, [...(merged.get(name) ?? []), ...overloads]);
  return merged;
}

/** Every function of Kubernetes' CEL environment, by name. */
export const functions: ReadonlyMap<string, readonly Overload[]> = merge();
