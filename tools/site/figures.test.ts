import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const repository = resolve(import.meta.dirname, '../..');
const read = (page: string) => readFileSync(resolve(repository, page), 'utf8');

/** Pages that have what was measured. */
const measured = globSync('docs/benchmarks*.md', { cwd: repository });
/** Pages that say how something is used or works. They link to a figure; a copy would stay when the figure is measured anew. */
const others = [
  'docs/index.md',
  'docs/start.md',
  'docs/{concepts,design,guides}/**/*.md',
  '{README,ARCHITECTURE,SECURITY}.md',
];

/** The figures of a page that are too exact to be chosen: with three digits or more that are not zeros at the end, and a unit. */
function figuresOf(text: string): ReadonlySet<string> {
  const prose = text.replace(/^```.*?^```$/gms, '').replace(/`[^`\n]*`/g, '');
  const found = prose.matchAll(/(?<![\w.,:/-])(\d[\d,]*(?:\.\d+)?) ?(x|us|ms|s|MB|MiB)\b/g);
  return new Set(
    [...found]
      .filter(([, number = '']) => number.replace(/\D/g, '').replace(/^0+|0+$/g, '').length >= 3)
      .map(([, number = '', unit = '']) => `${number.replaceAll(',', '')} ${unit}`),
  );
}

describe('what was measured', () => {
  it('is said on the pages of the benchmarks alone', () => {
    const figures = new Map(measured.flatMap((page) => [...figuresOf(read(page))].map((figure) => [figure, page])));
    assert.ok(figures.size > 100, String(figures.size));
    const copies = globSync(others, { cwd: repository }).flatMap((page) =>
      [...figuresOf(read(page))]
        .filter((figure) => figures.has(figure))
        .map((figure) => `${page}: ${figure} is in ${figures.get(figure) ?? ''}`),
    );
    assert.deepEqual(copies, []);
  });
});
