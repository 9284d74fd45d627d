import assert from 'node:assert/strict';
import { licensesOf } from './licenses.ts';

describe('the licenses of a bundle', () => {
  const texts = licensesOf([
    'libs/meta/src/index.ts',
    'node_modules/express/lib/express.js',
    'node_modules/express/lib/response.js',
    'node_modules/@peculiar/x509/build/x509.cjs.js',
  ]);

  it('contain the text of each package once', () => {
    const titles = texts.split('\n').filter((line) => /^\S+ \d+\.\d+\.\d+ \(MIT\)$/.test(line));
    assert.deepEqual(
      titles.map((title) => title.split(' ')[0]),
      ['@peculiar/x509', 'express'],
    );
    assert.equal(texts.split('Permission is hereby granted').length - 1, 2);
  });

  it('contain nothing of sources outside of packages', () => {
    assert.equal(licensesOf(['libs/meta/src/index.ts']), '');
  });
});
