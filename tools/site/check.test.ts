import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { faultsOf } from './check.ts';

describe('the check of the built site', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'apichain-site-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function write(name: string, text: string): void {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }

  it('accepts pages, anchors, files and links of text to other hosts', () => {
    write('index.html', '<a href="/a.html#b">a</a> <a href="/guides/">g</a> <a href="https://kubernetes.io">k</a>');
    write('a.html', '<h2 id="b">b</h2><a href="#b">b</a><img src="/x.png"><a href="./index.html">up</a>');
    write('guides/index.html', '<a href="../a.html#b">a</a>');
    write('x.png', '');
    assert.deepEqual(faultsOf(folder), []);
  });

  it('reports pages and headings that do not exist', () => {
    write('index.html', '<a href="/b.html">b</a> <a href="/index.html#c">c</a> <a href="/b.html">again</a>');
    assert.deepEqual(faultsOf(folder), [
      'index.html: /b.html: there is no such page',
      'index.html: /index.html#c: the page has no such heading',
    ]);
  });

  it('reports what a browser would fetch from another host', () => {
    write(
      'index.html',
      '<script src="https://cdn.example.com/x.js"></script><link rel="stylesheet" href="//fonts.example.com/a">',
    );
    write('style.css', "@import url('https://fonts.example.com/b.css');");
    assert.equal(faultsOf(folder).length, 3);
  });

  it('knows the path under which the site is served', () => {
    write('index.html', '<a href="/docs/index.html">here</a> <a href="/index.html">outside</a>');
    assert.deepEqual(faultsOf(folder, '/docs/'), ['index.html: /index.html: is outside of the site']);
  });
});
