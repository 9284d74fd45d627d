import { YamlError } from '../yaml-error.ts';

/** What Go's parser complains of. It counts lines from zero, and its first has no number. */
export const parserError = (problem: string, line: number): YamlError =>
  new YamlError(`yaml: ${line === 0 ? '' : `line ${line}: `}${problem}`);
