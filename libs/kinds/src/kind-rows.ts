import { resourceKey } from './families.ts';

/**
 * The row of a resource in a table by resource, `resource` or `resource.group`, for code that serves every kind alike; undefined when the
 * table has none. The rows of such tables are declared with the type of their resource in its storage version (`StoredKinds`), so that a
 * misspelled field, or a row under the wrong key, does not compile. `Row` is the same for any object.
 */
export function rowOf<Row>(table: object, group: string, resource: string): Row | undefined {
  const rows = table as Readonly<Record<string, Row | undefined>>;
  return rows[resourceKey(group, resource)];
}
