import type { StoredKinds } from '@apichain/api/stored-kinds';
import type { KubeObject } from '@apichain/meta';
import { resourceKey } from './families.ts';
import type { KindBehaviour } from './strategies/behaviour.ts';
import type { KindValidation } from './validation/kind-validation.ts';

/**
 * Tables with a row a stored resource, `resource` or `resource.group`. The type of a row's functions follows from the key: the row of
 * `pods` takes Pods, and a misspelled field or a row under the wrong key does not compile.
 */
interface Rows<T extends KubeObject> {
  readonly behaviour: KindBehaviour<T>;
  readonly validation: KindValidation<T>;
  readonly scaleSelector: (object: T) => string;
}
export type KindTable<Row extends keyof Rows<KubeObject>> = {
  readonly [Resource in keyof StoredKinds]?: Rows<StoredKinds[Resource]>[Row];
};

/**
 * The row of a resource, for code that serves every kind alike; undefined when the table has none. This is where decoded objects get the
 * type of their kind: the functions of a row take what the decoder made by the table of types that `StoredKinds` is generated from, in the
 * resource's storage version.
 */
export function rowOf<Row extends keyof Rows<KubeObject>>(
  table: KindTable<Row>,
  group: string,
  resource: string,
): Rows<KubeObject>[Row] | undefined {
  const rows = table as Readonly<Record<string, Rows<KubeObject>[Row] | undefined>>;
  return rows[resourceKey(group, resource)];
}
