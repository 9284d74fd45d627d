/** A fenced block of a Markdown document. */
export interface Fence {
  readonly language: string;
  /** What follows the language: `file=NAME add`, `skip="reason"`. A word without a value has the empty string. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
  /** The line of the opening fence, from 1. */
  readonly line: number;
}

/** A block may be indented, as in a list. */
const fence = /^( *)(`{3,})([^\n]*)\n(.*?)^\1\2[ \t]*$/gms;

/** The fenced blocks of a document, in their order. */
export function fencesOf(markdown: string): readonly Fence[] {
  return [...markdown.matchAll(fence)].map(({ index, 1: indent = '', 3: info = '', 4: text = '' }) => ({
    language: /^\s*(\S*)/.exec(info)?.[1] ?? '',
    attributes: attributesOf(info.trim().replace(/^\S+/, '')),
    text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
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
