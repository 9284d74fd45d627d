import type { YAMLParseError } from 'yaml';

/** A document that is not YAML. The message is that of the Go parser: `yaml: line 3: mapping values are not ...`. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
}

export interface Problem {
  readonly text: string;
  /** The Go scanner counts lines from one, its parser from zero. */
  readonly scanner: boolean;
  /** Where it was noticed, when not where the error lies. */
  readonly offset?: number;
}

const scannerProblem = (text: string): Problem => ({ text, scanner: true });
const parserProblem = (text: string): Problem => ({ text, scanner: false });

/** Where the token after the line of `offset` begins; the Go scanner notices a key without colon only there. */
function nextToken(source: string, offset: number): number {
  const lineEnd = source.indexOf('\n', offset);
  if (lineEnd < 0) return source.length;
  const blank = /\s*/y;
  blank.lastIndex = lineEnd;
  return lineEnd + (blank.exec(source)?.[0].length ?? 0);
}

/** Where the token at or after `offset` begins. */
function nextContent(source: string, offset: number): number {
  const blank = /\s*/y;
  blank.lastIndex = offset;
  return offset + (blank.exec(source)?.[0].length ?? 0);
}

function unclosedFlow(error: YAMLParseError, source: string): Problem {
  const offset = nextContent(source, error.pos[0]);
  if (/[[{,]\s*$/.test(source.slice(0, error.pos[0]))) {
    return { ...parserProblem('did not find expected node content'), offset };
  }
  return parserProblem(`did not find expected ',' or '${error.message.startsWith('Flow map') ? '}' : ']'}'`);
}

function missingCharacter(error: YAMLParseError, source: string): Problem {
  if (error.message.includes('quote')) {
    return { text: 'found unexpected end of stream', scanner: true, offset: source.length };
  }
  if (error.message.startsWith('Flow')) return unclosedFlow(error, source);
  return { text: "could not find expected ':'", scanner: true, offset: nextToken(source, error.pos[0]) };
}

const columnOf = (source: string, offset: number) => offset - (source.lastIndexOf('\n', offset - 1) + 1);

/** A line of its own inside a map, before a line that starts no deeper: to Go a key that lacks its colon. */
function isKeyWithoutColon(error: YAMLParseError, source: string): boolean {
  const [start, end] = error.pos;
  const next = nextToken(source, start);
  return next < end && source.slice(0, start).includes(':') && columnOf(source, next) <= columnOf(source, start);
}

/** Reported where the colon stands, not where the key begins. */
function strayColon(error: YAMLParseError, source: string): Problem {
  if (isKeyWithoutColon(error, source)) {
    return { text: "could not find expected ':'", scanner: true, offset: nextToken(source, error.pos[0]) };
  }
  const colon = source.slice(error.pos[0]).search(/:(?:\s|$)/);
  const offset = colon < 0 ? error.pos[1] : error.pos[0] + colon;
  return { text: 'mapping values are not allowed in this context', scanner: true, offset };
}

function badIndent(error: YAMLParseError, source: string): Problem {
  if (error.message.startsWith('Flow')) return unclosedFlow(error, source);
  return parserProblem(
    error.message.includes('sequence') ? "did not find expected '-' indicator" : 'did not find expected key',
  );
}

/** `escape` = the text from the backslash on. */
export function badEscape(escape: string): Problem {
  if (!/^\\[xuU]/.test(escape)) return scannerProblem('found unknown escape character');
  const isNumber = /^\\(?:x[\da-f]{2}|u[\da-f]{4}|U[\da-f]{8})/i.test(escape);
  return scannerProblem(
    isNumber ? 'found invalid Unicode character escape code' : 'did not find expected hexdecimal number',
  );
}

/** A line of a block: blanks and dashes, a key, what follows it. Text that is quoted, flow, an alias or a comment does not match. */
const plainLine = /^( *)((?:- +)*)((?:[^\s'"[{&*!|>%@`#](?:[^:#]|:(?! )|\S#)*?: +)?)[^\s'"[{&*!|>%@`#](?:[^#]|\S#)*$/;

/** Longer lines are not read: what they cost grows with the square. */
const longestPlainLine = 1000;

/** How far in a line has to be to go on with the unquoted text that ends `line`; undefined for one that does not end so. */
function continuationIndent(line: string): number | undefined {
  if (line.length > longestPlainLine) return undefined;
  const [match, blanks = '', dashes = '', key = ''] = plainLine.exec(line) ?? [];
  if (match === undefined || /:$/.test(line)) return undefined;
  if (key !== '') return blanks.length + dashes.length + 1;
  return dashes === '' ? blanks.length : blanks.length + dashes.lastIndexOf('-') + 1;
}

/** Whether a line is indented by a tab where the Go scanner still looks for more of the unquoted text before it. */
function isTabInText(error: YAMLParseError, source: string): boolean {
  const lineStart = source.lastIndexOf('\n', error.pos[0] - 1) + 1;
  const column = /^ *(?=\t)/.exec(source.slice(lineStart))?.[0].length;
  const before = source.slice(0, lineStart).trimEnd();
  const indent = continuationIndent(before.slice(before.lastIndexOf('\n') + 1));
  return column !== undefined && indent !== undefined && column < indent;
}

function problemOf(error: YAMLParseError, source: string): Problem {
  if (isTabInText(error, source)) return scannerProblem('found a tab character that violates indentation');
  switch (error.code) {
    case 'TAB_AS_INDENT':
    case 'BAD_SCALAR_START':
      return scannerProblem('found character that cannot start any token');
    case 'BLOCK_AS_IMPLICIT_KEY':
    case 'MULTILINE_IMPLICIT_KEY':
      return strayColon(error, source);
    case 'KEY_OVER_1024_CHARS':
      return scannerProblem("could not find expected ':'");
    case 'BAD_DQ_ESCAPE':
      return badEscape(source.slice(error.pos[0]));
    case 'BAD_ALIAS':
      return scannerProblem('did not find expected alphabetic or numeric character');
    case 'BAD_DIRECTIVE':
      return scannerProblem('found unknown directive name');
    case 'MISSING_CHAR':
      return missingCharacter(error, source);
    case 'BAD_INDENT':
      return badIndent(error, source);
    case 'BLOCK_IN_FLOW':
      return parserProblem('did not find expected node content');
    case 'UNEXPECTED_TOKEN':
      return parserProblem(
        /^Unexpected flow-(?:map|seq)-end/.test(error.message)
          ? 'did not find expected node content'
          : 'did not find expected key',
      );
    default:
      return parserProblem('did not find expected key');
  }
}

/** Words what our parser complains about as the Go one does; its position is close, not always the same. */
export function yamlErrorFrom(error: YAMLParseError, source: string, lineAt: (offset: number) => number): YamlError {
  const problem = problemOf(error, source);
  const offset = problem.offset ?? error.pos[0];
  // The end of the text is on a line of its own, whether or not a line feed comes before it.
  const afterEnd = offset >= source.length && source !== '' && !source.endsWith('\n') && !problem.scanner;
  const zeroBased = lineAt(offset) - 1 + (afterEnd ? 1 : 0);
  if (zeroBased === 0) return new YamlError(`yaml: ${problem.text}`);
  return new YamlError(`yaml: line ${problem.scanner ? zeroBased + 1 : zeroBased}: ${problem.text}`);
}
