import assert from 'node:assert/strict';
import { Figures, format, markdownTable, median, quantile } from './table.ts';

describe('the tables of the tools', () => {
  it('are Markdown, with numbers at the right', () => {
    assert.equal(markdownTable(['a', 'b'], [['x', '1']]), '| a | b |\n| --- | ---: |\n| x | 1 |');
  });

  it('show figures with three digits', () => {
    assert.deepEqual([1234.5, 123.4, 12.34, 1.234, 0.1234, -12.34, NaN].map(format), [
      ...['1235', '123', '12.3', '1.23', '0.123', '-12.3', ''],
    ]);
  });

  it('have the medians of several rounds', () => {
    const figures = new Figures();
    for (const value of [3, 1, 2]) figures.add('row', 'column', value);
    assert.equal(figures.median('row', 'column'), 2);
    assert.equal(figures.median('row', 'other'), NaN);
    assert.deepEqual(figures.rows, ['row']);
    assert.deepEqual([median([4, 1]), median([7]), median([1, 2, 3, 10])], [2.5, 7, 2.5]);
    assert.deepEqual([quantile([1, 2, 3], 0.99), quantile([1, 2, 3], 0), quantile([], 0.5)], [3, 1, NaN]);
  });
});
