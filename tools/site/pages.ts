import { cpSync, existsSync, globSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, normalize } from 'node:path';
import { outsideFences } from '../../apps/e2e/src/documented-commands/fences.ts';

/** Pages of the site that are elsewhere in the repository. */
const further: readonly { page: string; file: string }[] = [
  { page: 'contributing/architecture.md', file: 'ARCHITECTURE.md' },
  { page: 'contributing/rules.md', file: 'CONTRIBUTING.md' },
  { page: 'changelog.md', file: 'CHANGELOG.md' },
  { page: 'security.md', file: 'SECURITY.md' },
];

/**
 * Writes the pages that people wrote to a folder, as VitePress reads them. Links lead to pages of the site; a file of the repository that a page
 * links to gets a page that shows it. Returns the number of pages.
 */
export function writePages(folder: string): number {
  const files = globSync('docs/**/*.md').map((file) => ({ file, page: file.slice('docs/'.length) }));
  for (const file of globSync('docs/**/*.{svg,png}')) copy(file, join(folder, file.slice('docs/'.length)));
  // VitePress serves the files of `public` at the root.
  copy('libs/console/src/web/icon.svg', join(folder, 'public/icon.svg'));
  const pages = [...files, ...further];
  const pageOf = new Map(pages.map(({ file, page }) => [file, page]));
  const shown = new Set<string>();
  for (const { page, file } of pages) {
    const linked = withLinks(readFileSync(file, 'utf8'), (target, anchor) => {
      const path = normalize(join(dirname(file), target));
      if (path === 'README.md') return '/start';
      const other = pageOf.get(path);
      if (other !== undefined) return `/${other.replace(/\.md$/, '')}${anchor}`;
      if (path.startsWith('docs/') || !existsSync(path)) return undefined;
      shown.add(path);
      return `/${sourceOf(path)}`;
    });
    write(join(folder, page), linked);
  }
  for (const path of shown) write(join(folder, `${sourceOf(path)}.md`), sourcePage(path));
  return pages.length + shown.size;
}

/** Replaces the targets of relative links. A target for which there is no replacement stays, and the build reports it as dead. */
function withLinks(markdown: string, replace: (target: string, anchor: string) => string | undefined): string {
  return outsideFences(markdown, (text) =>
    text.replace(
      /(!?\[(?:[^[\]]|\[[^\]]*\])*\]\()([^()\s#]+)(#[^()\s]*)?\)/g,
      (all, start: string, target: string, anchor = '') => {
        if (/^[a-z]+:|^\//.test(target) || start.startsWith('!')) return all;
        const replaced = replace(target, anchor as string);
        return replaced === undefined ? all : `${start}${replaced})`;
      },
    ),
  );
}

/** The page of a file. Its name has no extension, because VitePress does not take `x.ts` for a page. */
const sourceOf = (path: string) => `source/${path.replace(/\/$/, '').replace(/\.(\w+)$/, '-$1')}`;

/** Shows a file, or lists a folder. These pages are not found by the search. */
function sourcePage(path: string): string {
  const head = `---\nsearch: false\noutline: false\neditLink: false\n---\n\n# ${basename(path)}\n\n\`${path}\`\n\n`;
  if (statSync(path).isDirectory()) {
    const names = readdirSync(path).filter((name) => name !== 'node_modules');
    return `${head}${names.map((name) => `- \`${name}\``).join('\n')}\n`;
  }
  const text = readFileSync(path, 'utf8');
  if (extname(path) === '.md') return `${head}${withLinks(text.replace(/^# .*\n/, ''), () => '/contributing/layout')}`;
  return `${head}\`\`\`\`${extname(path).slice(1)}\n${text.trimEnd()}\n\`\`\`\`\n`;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to);
}
