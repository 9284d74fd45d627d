import type { Omits } from '@apichain/meta';
import type { TableColumnDefinition, TableConvertor } from './rest.ts';

/** A Table whose columns are made on first use and then cached, because their descriptions are read from files. */
export function lazyTable(
  makeColumns: () => TableColumnDefinition[],
  row: TableConvertor['row'],
  omits: Omits,
): TableConvertor {
  let made: readonly TableColumnDefinition[] | undefined;
  return {
    get columns() {
      return (made ??= makeColumns());
    },
    row,
    omits,
  };
}
