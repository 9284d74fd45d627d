import type { TableColumnDefinition, TableConvertor } from './rest.ts';

/** A Table whose columns are made when it is first asked for, because what they say of themselves is read from files, and then kept. */
export function lazyTable(makeColumns: () => TableColumnDefinition[], row: TableConvertor['row']): TableConvertor {
  let made: readonly TableColumnDefinition[] | undefined;
  return {
    get columns() {
      return (made ??= makeColumns());
    },
    row,
  };
}
