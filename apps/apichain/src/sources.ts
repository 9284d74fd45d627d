import { hash } from 'node:crypto';
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file beside the bundled programs that notes which sources they were made of. */
export const sourcesFile = 'sources';

interface Source {
  /** From the repository. */
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
}

/** Everything that the programs are bundled from, tests left out. Throws where this is no repository. */
function listSources(repository: string): Source[] {
  const sources: Source[] = [];
  const note = (path: string) => {
    const { size, mtimeMs } = statSync(join(repository, path));
    sources.push({ path, size, mtimeMs });
  };
  const visit = (folder: string) => {
    for (const entry of readdirSync(join(repository, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) visit(path);
      else if (!path.endsWith('.test.ts')) note(path);
    }
  };
  note('package-lock.json');
  visit('tools/package');
  for (const kind of ['libs', 'apps'])
    for (const name of readdirSync(join(repository, kind))) {
      note(`${kind}/${name}/package.json`);
      visit(`${kind}/${name}/src`);
    }
  return sources;
}

const contentOf = (repository: string, { path }: Source) => hash('sha1', readFileSync(join(repository, path)));

const lineOf = ({ path, size, mtimeMs }: Source, content: string) => `${content} ${size} ${mtimeMs} ${path}`;

/** The sources of the repository, a line each with the hash of the content, the size in bytes, the time of the last change and the path. */
export function noteSources(repository: string): string {
  return listSources(repository)
    .map((source) => lineOf(source, contentOf(repository, source)))
    .join('\n');
}

/**
 * Whether the sources are those that were noted in a file. Times only spare reading them: where they differ, as in a copy of the repository,
 * contents decide, and are noted with the new times, so that the next one to ask need not read them. Throws where there is no such file.
 */
export function areSourcesAsNoted(repository: string, file: string): boolean {
  const noted = new Map(
    readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => {
        const [content = '', size = '', mtimeMs = '', ...path] = line.split(' ');
        return [path.join(' '), { content, size: Number(size), mtimeMs: Number(mtimeMs) }];
      }),
  );
  const sources = listSources(repository);
  if (sources.length !== noted.size) return false;
  const touched = new Set<string>();
  for (const source of sources) {
    const known = noted.get(source.path);
    if (known?.size !== source.size) return false;
    if (known.mtimeMs !== source.mtimeMs) touched.add(source.path);
  }
  if (touched.size === 0) return true;
  for (const source of sources)
    if (touched.has(source.path) && contentOf(repository, source) !== noted.get(source.path)?.content) return false;
  noteAgain(
    file,
    sources.map((source) => lineOf(source, noted.get(source.path)?.content ?? '')),
  );
  return true;
}

function noteAgain(file: string, lines: readonly string[]): void {
  try {
    writeFileSync(file, lines.join('\n'));
  } catch (error) {
    // Where it cannot be written, contents are compared again the next time.
    if (!(error instanceof Error && 'syscall' in error)) throw error;
  }
}
