import type { DiffLine } from './diff.ts';

const signs = { same: ' ', added: '+', removed: '−' } as const;

/** Lines that differ, with those around them. */
export function DiffView({ lines }: { readonly lines: readonly DiffLine[] }) {
  return (
    <pre class="diff" tabIndex={0}>
      {lines.map(({ kind, text }, at) => (
        <div key={at} class={kind}>
          {kind === 'gap' ? '⋯' : `${signs[kind]} ${text}`}
        </div>
      ))}
    </pre>
  );
}
