/** A text that is not valid YAML. The message is that of the Go parser: `yaml: line 3: mapping values are not ...`. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
}
