/** A text that is not valid YAML. The message is that of the Go parser: `yaml: line 3: mapping values are not ...`. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
}

/** An error of Go's parser. It counts lines from zero, and errors on the first line have no line number. */
export const parserError = (problem: string, line: number): YamlError =>
  new YamlError(`yaml: ${line === 0 ? '' : `line ${line}: `}${problem}`);
