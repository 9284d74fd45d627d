import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';

/** Pixels from the end within which a log counts as read to its end. */
const nearEnd = 40;

/** The lines that have the text. */
export const useFound = (lines: readonly string[], filter: string): readonly string[] =>
  useMemo(() => {
    const wanted = filter.toLowerCase();
    return wanted === '' ? lines : lines.filter((line) => line.toLowerCase().includes(wanted));
  }, [lines, filter]);

interface FilterProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export const LogFilter = ({ value, onChange }: FilterProps) => (
  <input
    type="search"
    placeholder="Lines with"
    aria-label="Filter lines"
    value={value}
    onInput={(event) => onChange(event.currentTarget.value)}
  />
);

export const LogNote = ({ lines, isEnded }: { readonly lines: number; readonly isEnded: boolean }) => (
  <span class="quiet" role="status">
    {lines} lines{isEnded ? ', ended' : ', followed'}
  </span>
);

/** Lines that are added at the end. */
export function LogLines({ lines }: { readonly lines: readonly string[] }) {
  const box = useRef<HTMLPreElement>(null);
  const height = useRef(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    // Whoever has scrolled up reads, and is not moved.
    const wasAtEnd = height.current - element.scrollTop - element.clientHeight < nearEnd;
    if (wasAtEnd) element.scrollTop = element.scrollHeight;
    height.current = element.scrollHeight;
  }, [lines]);
  return (
    <pre class="log" tabIndex={0} aria-label="Lines" ref={box}>
      {lines.join('\n')}
    </pre>
  );
}
