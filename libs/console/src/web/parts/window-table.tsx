import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

interface Column {
  readonly name: string;
  /** The share of the width, as in CSS: the widths must not depend on the rows that are drawn. */
  readonly width: string;
  readonly isNumber?: boolean;
  /** What stands in the place of the name. */
  readonly header?: ComponentChildren;
  /** How the rows are sorted by this column. */
  readonly sorted?: 'ascending' | 'descending' | undefined;
  readonly description?: string;
}

interface Props<Row> {
  /** What the table is for those who do not see it. */
  readonly label: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** Pixels, the same for all rows. */
  readonly rowHeight: number;
  /** Pixels: a longer table scrolls. Without it, the table takes the rest of the window. */
  readonly maxHeight?: number;
  /** The width below which the table scrolls sideways, as in CSS. */
  readonly minWidth?: string;
  readonly keyOf: (row: Row) => string;
  readonly classOf?: (row: Row) => string | undefined;
  /** The index of the row that the keyboard has chosen: it is scrolled into sight, and its first link gets the focus. */
  readonly current?: number | undefined;
  /** What the chosen row is, where rows are added before it: the table stays where it is until another one is chosen. */
  readonly currentKey?: string | undefined;
  /** The cells of a row. */
  readonly children: (row: Row, index: number) => ComponentChildren;
}

/** Rows that are drawn above and below those in sight. */
const spare = 4;
/** Pixels of a table before its height is known. */
const firstHeight = 600;

/** A table of any length: only the rows in sight are drawn. It has the focus to scroll by the keyboard. */
export function WindowTable<Row>(props: Props<Row>) {
  const { label, columns, rows, rowHeight, maxHeight, minWidth, keyOf, classOf, current, currentKey, children } = props;
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(maxHeight ?? firstHeight);
  useLayoutEffect(() => {
    if (maxHeight !== undefined || box.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setHeight(entry?.contentRect.height ?? firstHeight));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [maxHeight]);
  useLayoutEffect(() => {
    const element = box.current;
    if (current === undefined || element === null) return;
    // Below the head of the table, which stays.
    const [above, below] = [current * rowHeight, (current + 2) * rowHeight - element.clientHeight];
    if (element.scrollTop > above) element.scrollTop = above;
    else if (element.scrollTop < below) element.scrollTop = below;
    setTop(element.scrollTop);
  }, [currentKey ?? current]);
  useLayoutEffect(() => {
    const row = box.current?.querySelector<HTMLElement>('tr[data-current] a');
    if (row !== document.activeElement) row?.focus({ preventScroll: true });
  }, [current, top]);
  const fits = Math.ceil(height / rowHeight) + 2 * spare;
  const first = Math.max(0, Math.min(Math.floor(top / rowHeight) - spare, rows.length - fits));
  const shown = rows.slice(first, first + fits);
  const below = rows.length - first - shown.length;
  return (
    <div
      class={maxHeight === undefined ? 'table-scroll window fill' : 'table-scroll window'}
      role="group"
      aria-label={label}
      tabIndex={0}
      ref={box}
      style={maxHeight === undefined ? {} : { maxHeight: `${maxHeight}px` }}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <table aria-rowcount={rows.length + 1} style={minWidth === undefined ? {} : { minWidth }}>
        <colgroup>
          {columns.map(({ name, width }) => (
            <col key={name} style={{ width }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map(({ name, isNumber, header = name, sorted, description }) => (
              <th
                scope="col"
                key={name}
                title={description}
                class={isNumber === true ? 'number' : undefined}
                aria-sort={sorted}
              >
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Room rows={first} rowHeight={rowHeight} columns={columns.length} />
          {shown.map((row, at) => (
            <tr
              key={keyOf(row)}
              aria-rowindex={first + at + 2}
              class={classOf?.(row)}
              data-current={first + at === current ? '' : undefined}
              style={{ height: `${rowHeight}px` }}
            >
              {children(row, first + at)}
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
