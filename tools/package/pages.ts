import { cpSync, existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

/** Matches a link of Markdown: `[text](target#fragment)`. Targets with a scheme, and fragments of the same page, are not matched. */
const linkPattern = /\[([^\]]*)\]\((?![a-z]+:|#)([^)\s#]+)(#[^)\s]*)?\)/g;

/** Matches a picture, which stands in a paragraph of its own. The package has none: they would double its size. */
const imagePattern = /^!\[[^\]]*\]\([^)]*\)\n+/gm;

/** What a link of the package may lead to. Other files of the repository are not in it. */
const isPublished = (path: string): boolean => /^(docs\/[^/]+\.md|examples\/.+|CHANGELOG\.md|LICENSE)$/.test(path);

interface Sources {
  /** The first page. Its links are relative to the folder of the package. */
  readonly readme: string;
  /** The names of modules in the repository, and the names by which they are imported from the package. */
  readonly modules: ReadonlyMap<string, string>;
}

/**
 * Writes the pages of the package into `directory`: the README, and what its links lead to, directly or by other pages. Of an example the whole
 * folder is copied, with the package's names of the modules that it imports. A link to what the package does not contain becomes its text. Throws
 * Error for a link that leads nowhere. The working directory must be the repository.
 */
export function writePages(directory: string, { readme, modules }: Sources): void {
  const done = new Set<string>();
  const take = (path: string, source = path) => {
    if (done.has(path)) return;
    done.add(path);
    if (!path.endsWith('.md')) {
      copyExample(path, directory, modules);
      return;
    }
    const text = readFileSync(source, 'utf8').replace(imagePattern, '');
    const page = text.replace(linkPattern, (link, title: string, target: string) => {
      const linked = normalize(join(dirname(path), target));
      if (!existsSync(linked)) throw new Error(`${source}: ${target} leads nowhere`);
      if (!isPublished(linked)) return title;
      take(linked);
      return link;
    });
    write(join(directory, path), page);
  };
  take('README.md', readme);
}

/** Copies the folder of the example that a path belongs to, or a single file. */
function copyExample(path: string, directory: string, modules: ReadonlyMap<string, string>): void {
  const [top = '', name = ''] = path.split('/');
  if (top !== 'examples') {
    cpSync(path, join(directory, path));
    return;
  }
  const folder = join(top, name);
  for (const file of globSync(`${folder}/**/*`)) {
    if (!statSync(file).isFile()) continue;
    write(join(directory, relative('.', file)), readFileSync(file, 'utf8').replace(importPattern, published(modules)));
  }
}

const importPattern = /(\bfrom ')(@apichain\/[^']+)(')/g;

const published =
  (modules: ReadonlyMap<string, string>) =>
  (_whole: string, before: string, module: string, after: string): string => {
    const name = modules.get(module);
    if (name === undefined) throw new Error(`an example imports ${module}, which is not in the package`);
    return `${before}${name}${after}`;
  };

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
