import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const repository = resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(repository, file), 'utf8');

interface Manifest {
  readonly engines?: { readonly node?: string };
}

/** Whether a range of package.json (`>=18`, `^18.1 || >=20`) contains a version. */
function contains(range: string, version: readonly number[]): boolean {
  return range.split('||').some((part) => {
    const [, operator = '', text = ''] =
      /^(>=|\^|)\s*(\*|[\d.]*)(?:\.[x*])?$/.exec(part.trim()) ?? assert.fail(`range ${range}`);
    if (text === '*' || text === '') return true;
    const wanted = text.split('.').map(Number);
    if (operator === '') return wanted[0] === version[0];
    const order = wanted.map((number, i) => (version[i] ?? 0) - number).find((difference) => difference !== 0) ?? 0;
    return order >= 0 && (operator === '>=' || wanted[0] === version[0]);
  });
}

describe('the oldest Node', () => {
  const oldest = (JSON.parse(read('package.json')) as Manifest).engines?.node?.replace('>=', '') ?? '';

  it('is one for the checkout, the package, projects and all documents', () => {
    const files = execFileSync('git', ['ls-files', '*.md', 'templates', 'tools/package', 'apps/apichain/src/init'], {
      cwd: repository,
      encoding: 'utf8',
    });
    const named = files
      .split('\n')
      .filter((file) => file !== '' && file !== 'CHANGELOG.md')
      .flatMap((file) =>
        [...read(file).matchAll(/Node (\d[\d.]*) (?:or newer|is needed|and kubectl)|node: '>=([\d.]+)'/g)].map(
          ([, text, range]) => ({ file, version: text ?? range }),
        ),
      );
    assert.ok(named.length > 8, String(named.length));
    assert.deepEqual(
      named.filter(({ version }) => version !== oldest),
      [],
    );
  });

  it('is said once in the README and the pages, and so is each other version', () => {
    const pages = [...globSync('docs/**/*.md', { cwd: repository }), 'README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md'];
    const said = pages.flatMap((page) =>
      [...read(page).matchAll(/\bNode(?:\.js)? v?(\d[\d.]*\d)/g)].map(([, version = '']) => ({ page, version })),
    );
    assert.deepEqual(
      said.sort((a, b) => a.version.localeCompare(b.version)),
      [
        { page: 'docs/start.md', version: oldest },
        { page: 'CONTRIBUTING.md', version: '24' },
        { page: 'docs/benchmarks.md', version: '24.21.0' },
      ],
    );
  });

  it('is enough for every package, so that npm ci warns of none', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Manifest> };
    const version = [...oldest.split('.').map(Number), 0];
    const tooNew = Object.entries(packages).filter(([, { engines }]) => {
      const range = engines?.node;
      return range !== undefined && !contains(range, version);
    });
    assert.deepEqual(
      tooNew.map(([name, { engines }]) => `${name}: ${engines?.node ?? ''}`),
      [],
    );
  });
});
