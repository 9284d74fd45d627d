import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

interface Column {
  readonly name: string;
  /** The share of the width, as in CSS: the widths must not depend on the rows that are drawn. */
  readonly width: string;
  readonly isNumber?: boolean;
}

interface Props<Row> {
  /** What the table is for those who do not see it. */
  readonly label: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** Pixels, the same for all rows. */
  readonly rowHeight: number;
  /** Pixels: a longer table scrolls. */
  readonly maxHeight: number;
  readonly keyOf: (row: Row) => string;
  /** The cells of a row. */
  readonly children: (row: Row) => ComponentChildren;
}

/** Rows that are drawn above and below those in sight. */
const spare = 4;

/** A table of any length: only the rows in sight are drawn. It has the focus to scroll by the keyboard. */
export function WindowTable<Row>({ label, columns, rows, rowHeight, maxHeight, keyOf, children }: Props<Row>) {
  const [top, setTop] = useState(0);
  const fits = Math.ceil(maxHeight / rowHeight) + 2 * spare;
  const first = Math.max(0, Math.min(Math.floor(top / rowHeight) - spare, rows.length - fits));
  const shown = rows.slice(first, first + fits);
  const below = rows.length - first - shown.length;
  return (
    <div
      class="table-scroll window"
      role="group"
      aria-label={label}
      tabIndex={0}
      style={{ maxHeight: `${maxHeight}px` }}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <table aria-rowcount={rows.length + 1}>
        <colgroup>
          {columns.map(({ name, width }) => (
            <col key={name} style={{ width }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map(({ name, isNumber }) => (
              <th scope="col" key={name} class={isNumber === true ? 'number' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Room rows={first} rowHeight={rowHeight} columns={columns.length} />
          {shown.map((row, at) => (
            <tr key={keyOf(row)} aria-rowindex={first + at + 2} style={{ height: `${rowHeight}px` }}>
              {children(row)}
            </tr>
          ))}
          <Room rows={below} rowHeight={rowHeight} columns={columns.length} />
        </tbody>
      </table>
    </div>
  );
}

/** Takes the place of rows that are not drawn. */
function Room({ rows, rowHeight, columns }: { rows: number; rowHeight: number; columns: number }) {
  if (rows <= 0) return null;
  return (
    <tr class="room" aria-hidden="true" style={{ height: `${rows * rowHeight}px` }}>
      <td colSpan={columns} />
    </tr>
  );
}
