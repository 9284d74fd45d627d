import { resourceKey } from './families.ts';

/**
 * The row of a resource (`resource` or `resource.group`) in a table, for code that handles every kind; undefined when the
 * table has none. The rows of such tables are declared with the type of their resource in its storage version
 * (`StoredKinds`), so a misspelled field, or a row under the wrong key, does not compile. `Row` is the same for any object.
 */
export function rowOf<Row>(table: object, group: string, resource: string): Row | undefined {
  const rows = table as Readonly<Record<string, Row | undefined>>;
  return rows[resourceKey(group, resource)];
}
