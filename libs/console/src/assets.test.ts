import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { loadAssets, type Assets } from './assets.ts';

/** What the console may weigh over the network. */
const maxBytes = 300_000;

describe('the files of the console', () => {
  let assets: Assets;
  before(async () => {
    assets = await loadAssets();
  });

  it('are below 300 KB compressed, by either way of compressing', () => {
    const files = [...assets.values()];
    const brotli = files.reduce((sum, { compressed }) => sum + compressed.length, 0);
    const gzip = files.reduce((sum, { bytes }) => sum + gzipSync(bytes).length, 0);
    for (const size of [brotli, gzip]) assert.ok(size > 10_000 && size < maxBytes, `${size} bytes`);
  });

  it('have no inline script or style, and name nothing elsewhere', () => {
    const page = assets.get('index.html')?.bytes.toString() ?? '';
    assert.match(page, /<script type="module" src="\/app\.js"><\/script>/);
    assert.doesNotMatch(page, /<style|style=|\son\w+=|https?:/);
    assert.doesNotMatch(assets.get('app.css')?.bytes.toString() ?? '', /url\(|@import/);
    assert.doesNotMatch(assets.get('app.js')?.bytes.toString() ?? '', /\beval\(|new Function\(|import\(/);
  });
});
