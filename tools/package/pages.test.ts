import assert from 'node:assert/strict';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { writePages } from './pages.ts';

const modules = new Map([
  ['@apichain/testing', 'apichain/testing'],
  ['@apichain/chain', 'apichain'],
  ['@apichain/client/library', 'apichain/client'],
  ['@apichain/embedded-etcd', 'apichain/etcd'],
  ['@apichain/extension-server', 'apichain/server'],
]);

describe('the pages of the package', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'apichain-pages-'));
    writePages(folder, { readme: 'tools/package/README.md', modules });
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('have no link that leads nowhere', () => {
    const links = globSync(`${folder}/{*,docs/*}.md`).flatMap((page) => {
      const text = readFileSync(page, 'utf8');
      return [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)(?:#([^)\s]*))?\)/g)].map(([, target = '', fragment]) => {
        const path = join(dirname(page), target);
        return { link: `${page}: ${target}`, path, fragment };
      });
    });
    assert.ok(links.length > 20, `${links.length} links`);
    for (const { link, path, fragment } of links) {
      assert.ok(existsSync(path), link);
      if (fragment !== undefined) assert.ok(headings(path).includes(fragment), `${link}#${fragment}`);
    }
  });

  it('have the text around pictures, without the pictures', () => {
    assert.match(readFileSync('docs/console.md', 'utf8'), /^!\[/m);
    const page = readFileSync(join(folder, 'docs/console.md'), 'utf8');
    assert.doesNotMatch(page, /^!|\.png/m);
    assert.match(page, /^## The path of a request$/m);
  });

  it('include the examples, with the names of the package', () => {
    const sources = globSync(`${folder}/examples/*/*.ts`);
    assert.ok(sources.length >= 10, `${sources.length} files`);
    for (const file of sources) assert.doesNotMatch(readFileSync(file, 'utf8'), /@apichain\//, file);
    assert.match(readFileSync(join(folder, 'examples/metrics/metrics.ts'), 'utf8'), /from 'apichain\/server'/);
    assert.ok(statSync(join(folder, 'examples/greeting-operator/config/crd.yaml')).isFile());
  });

  it('refuse a link to a file that does not exist', () => {
    const readme = join(folder, 'wrong.md');
    writeFileSync(readme, '[a](docs/none.md)');
    assert.throws(
      () => writePages(join(folder, 'wrong'), { readme, modules }),
      /wrong.md: docs\/none.md leads nowhere/,
    );
  });
});

/** The fragments of a page, as GitHub makes them of headings. */
function headings(page: string): string[] {
  if (!page.endsWith('.md')) return [];
  return [...readFileSync(page, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
