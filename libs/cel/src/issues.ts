/** The position of an issue that concerns the whole expression. */
export const nowhere = -1;

/** An error in an expression; `at` is an offset in code points, or `nowhere`. */
export interface Issue {
  readonly at: number;
  readonly message: string;
}

/** An expression that does not compile. The message shows each issue with a caret below its position, as in cel-go. */
export class CompileError extends Error {
  override readonly name = 'CompileError';
  readonly issues: readonly Issue[];

  constructor(source: string, issues: readonly Issue[]) {
    super(formatIssues(source, issues));
    this.issues = issues;
  }
}

function formatIssues(source: string, issues: readonly Issue[]): string {
  const points = [...source];
  return [...issues]
    .sort((a, b) => a.at - b.at)
    .map((issue) => formatIssue(points, issue))
    .join('\n');
}

/** The longest line, in bytes, that a message shows. After common/error.go of cel-go. */
const longestSnippet = 16384;

function formatIssue(points: readonly string[], { at, message }: Issue): string {
  if (at === nowhere) return `ERROR: <input>:-1:0: ${message}`;
  // An empty source has no line to show.
  if (points.length === 0) return `ERROR: <input>:1:0: ${message}`;
  const before = points.slice(0, at);
  const line = before.filter((c) => c === '\n').length + 1;
  const start = before.lastIndexOf('\n') + 1;
  const end = points.indexOf('\n', start);
  const text = points.slice(start, end < 0 ? points.length : end).map((c) => (c === '\t' ? ' ' : c));
  const column = at - start;
  const headline = `ERROR: <input>:${line}:${column + 1}: ${message}`;
  const shown = text.join('');
  if (Buffer.byteLength(shown) > longestSnippet) return headline;
  const dots = text.slice(0, column).map((c) => (isWide(c) ? '\uff0e' : '.'));
  while (dots.length < column) dots.push('.');
  const caret = isWide(text[column] ?? '') ? '\uff3e' : '^';
  return `${headline}\n | ${shown}\n | ${dots.join('')}${caret}`;
}

const isWide = (c: string): boolean => c > '\u007f';
