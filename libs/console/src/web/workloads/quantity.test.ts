import assert from 'node:assert/strict';
import { bytesText, coresText, quantity } from './quantity.ts';

describe('quantities', () => {
  it('have decimal and binary suffixes and exponents', () => {
    const values = { '250m': 0.25, '1': 1, '1.5': 1.5, '2k': 2000, '64Mi': 64 * 2 ** 20, '1e3': 1000 };
    for (const [text, value] of Object.entries(values)) assert.equal(quantity(text), value, text);
    assert.deepEqual([quantity('1E'), quantity('1.5Gi'), quantity(4)], [1e18, 1.5 * 2 ** 30, 4]);
  });

  it('count as 0 when they are none', () => {
    for (const value of ['', 'many', '1.2.3', '1Xi', undefined, null, {}]) assert.equal(quantity(value), 0);
  });

  it('are shown with few digits', () => {
    assert.deepEqual([coresText(0.25), coresText(1.25), coresText(64.4)], ['0.25', '1.3', '64']);
    assert.deepEqual([bytesText(0), bytesText(1.5 * 2 ** 30), bytesText(512 * 2 ** 20)], ['0', '1.5Gi', '512Mi']);
  });
});
