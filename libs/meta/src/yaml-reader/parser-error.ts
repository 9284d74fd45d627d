import { YamlError } from '../yaml-error.ts';

/** An error of Go's parser. It counts lines from zero, and errors on the first line have no line number. */
export const parserError = (problem: string, line: number): YamlError =>
  new YamlError(`yaml: ${line === 0 ? '' : `line ${line}: `}${problem}`);
