import { globSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The faults of a built site, a line each: links to pages, files and anchors that do not exist, and files that a browser would fetch from another
 * host. Links of text to other hosts are not faults and not followed.
 */
export function faultsOf(folder: string, base = '/'): readonly string[] {
  const faults: string[] = [];
  // A link of the sidebar is on every page: it is reported once.
  const reported = new Set<string>();
  const anchors = new Map<string, ReadonlySet<string>>();
  const files = globSync('**/*.html', { cwd: folder });
  const texts = new Map(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
  for (const [file, text] of texts)
    anchors.set(file, new Set([...text.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id)));
  for (const [file, text] of texts) {
    for (const [, attribute = '', value = ''] of text.matchAll(/<[a-z][^<>]*?\s(href|src)="([^"]*)"/g)) {
      const url = value.replaceAll('&amp;', '&');
      if (/^(?:https?:)?\/\//.test(url)) {
        if (attribute === 'src') faults.push(`${file}: loads ${url}`);
      } else if (!/^[a-z]+:/.test(url)) {
        const fault = faultOfLink(file, url);
        if (fault === undefined || reported.has(url)) continue;
        if (url.startsWith('/')) reported.add(url);
        faults.push(`${file}: ${url}: ${fault}`);
      }
    }
    for (const [tag] of text.matchAll(/<link\b[^>]*>/g))
      if (/\shref="(?:https?:)?\/\//.test(tag)) faults.push(`${file}: loads ${tag}`);
  }
  for (const file of globSync('**/*.{css,svg,html}', { cwd: folder }))
    for (const [found] of readFileSync(join(folder, file), 'utf8').matchAll(/(?:@import\s+|url\()["']?https?:[^"')]*/g))
      faults.push(`${file}: loads ${found}`);
  return faults;

  function faultOfLink(file: string, url: string): string | undefined {
    const { pathname, hash } = new URL(url, `http://site${base}${file}`);
    if (!pathname.startsWith(base)) return 'is outside of the site';
    const path = decodeURIComponent(pathname.slice(base.length));
    const target = [path, `${path}.html`, join(path, 'index.html')].find(
      (name) =>
        name !== '' &&
        name !== '.' &&
        !name.endsWith('/') &&
        existsSync(join(folder, name)) &&
        (texts.has(name) || /\.\w+$/.test(name)),
    );
    if (target === undefined) return 'there is no such page';
    const anchor = decodeURIComponent(hash.slice(1));
    return anchor === '' || anchors.get(target)?.has(anchor) !== false ? undefined : 'the page has no such heading';
  }
}
