import { hash } from 'node:crypto';
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file beside the bundled programs that records the sources they were built from. */
export const sourcesFile = 'sources';

interface Source {
  /** The path relative to the repository. */
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
}

/** Lists all sources of the bundled programs, except their tests. Throws when `repository` is not a repository. */
function listSources(repository: string): Source[] {
  const sources: Source[] = [];
  const note = (path: string) => {
    const { size, mtimeMs } = statSync(join(repository, path));
    sources.push({ path, size, mtimeMs });
  };
  const visit = (folder: string, withTests = false) => {
    for (const entry of readdirSync(join(repository, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) visit(path, withTests);
      else if (withTests || !path.endsWith('.test.ts')) note(path);
    }
  };
  note('package-lock.json');
  visit('tools/package');
  // The tests of templates are copied into projects.
  visit('templates', true);
  for (const kind of ['libs', 'apps'])
    for (const name of readdirSync(join(repository, kind))) {
      // Tests of whole chains, in no bundle.
      if (name === 'e2e') continue;
      note(`${kind}/${name}/package.json`);
      visit(`${kind}/${name}/src`);
    }
  return sources;
}

const contentOf = (repository: string, { path }: Source) => hash('sha1', readFileSync(join(repository, path)));

const lineOf = ({ path, size, mtimeMs }: Source, content: string) => `${content} ${size} ${mtimeMs} ${path}`;

/** Records the sources of the repository, one line each: content hash, size in bytes, modification time and path. */
export function noteSources(repository: string): string {
  return listSources(repository)
    .map((source) => lineOf(source, contentOf(repository, source)))
    .join('\n');
}

/**
 * Whether the sources are the same as those recorded in a file. A file with the recorded size and time is not read. Where times differ, as
 * in a copy of the repository, the contents are compared. If they are equal, the new times are recorded, so that the next call does not
 * read the files again. Throws when the file does not exist.
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
    // If the file is not writable, the contents are compared again next time.
    if (!(error instanceof Error && 'syscall' in error)) throw error;
  }
}
