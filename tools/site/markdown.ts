/** A fenced block of a page. */
export interface Fence {
  readonly language: string;
  /** What follows the language: `file=NAME add`, `skip="reason"`. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
  /** The line of the opening fence, from 1. */
  readonly line: number;
}

const fence = /^(`{3,})([^\n]*)\n(.*?)^\1[ \t]*$/gms;

/** The fenced blocks of a document, in their order. */
export function fencesOf(markdown: string): readonly Fence[] {
  return [...markdown.matchAll(fence)].map(({ index, 2: info = '', 3: text = '' }) => ({
    language: /^\s*(\S*)/.exec(info)?.[1] ?? '',
    attributes: attributesOf(info.trim().replace(/^\S+/, '')),
    text,
    line: markdown.slice(0, index).split('\n').length,
  }));
}

function attributesOf(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/([\w-]+)(?:=(?:"([^"]*)"|(\S+)))?/g)].map(([, name = '', quoted, plain]) => [
      name,
      quoted ?? plain ?? '',
    ]),
  );
}

/** Changes what is outside of fenced blocks. */
export function outsideFences(markdown: string, change: (text: string) => string): string {
  let result = '';
  let end = 0;
  for (const match of markdown.matchAll(fence)) {
    result += change(markdown.slice(end, match.index)) + match[0];
    end = match.index + match[0].length;
  }
  return result + change(markdown.slice(end));
}

/** The part of a document under one heading of level 2, without the heading. Throws Error if there is none. */
export function sectionOf(markdown: string, heading: string): string {
  const start = markdown.indexOf(`\n## ${heading}\n`);
  if (start < 0) throw new Error(`no section "${heading}"`);
  const body = markdown.slice(start + heading.length + 5);
  const end = body.search(/^## /m);
  return (end < 0 ? body : body.slice(0, end)).trim();
}

/** A table. Cells are Markdown; line feeds and bars in them are escaped. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Text that Markdown and the page's templates show as it is. */
export function plain(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('{{', '{&#123;')
    .replace(/[*_`\\[\]]/g, '\\$&');
}
