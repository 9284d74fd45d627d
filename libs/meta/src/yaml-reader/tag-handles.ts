import type { Directive } from './directive.ts';
import { parserError } from '../yaml-error.ts';
import type { Scanner } from './scanner.ts';
import type { Token } from './token.ts';

const defaultHandles: ReadonlyMap<string, string> = new Map([
  ['!', '!'],
  ['!!', 'tag:yaml.org,2002:'],
]);

/**
 * The prefixes of tag handles in a document: `!!` in `!!str` is short for `tag:yaml.org,2002:`, and %TAG directives declare others.
 * Source: yaml_parser_process_directives of go.yaml.in/yaml/v2.
 */
export class TagHandles {
  readonly #prefixes = new Map<string, string>(defaultHandles);

  /** Reads the directives before a document. Throws YamlError. */
  readDirectives(scanner: Scanner): void {
    let hasVersion = false;
    const given = new Set<string>();
    for (let token = scanner.peek(); token.directive !== undefined; token = scanner.peek()) {
      const { directive, line } = token;
      if (directive.name === 'YAML') {
        if (hasVersion) throw parserError('found duplicate %YAML directive', line);
        if (directive.major !== 1 || directive.minor !== 1) throw parserError('found incompatible YAML document', line);
        hasVersion = true;
      } else this.#give(directive, given, line);
      scanner.take();
    }
  }

  #give({ handle, prefix }: Directive & { name: 'TAG' }, given: Set<string>, line: number): void {
    if (given.has(handle)) throw parserError('found duplicate %TAG directive', line);
    given.add(handle);
    this.#prefixes.set(handle, prefix);
  }

  /** The resolved tag of a node that begins on `startLine`. Throws YamlError for an unknown handle. */
  resolve(token: Token, startLine: number): string | undefined {
    if (token.tag === undefined) return undefined;
    const { handle, suffix } = token.tag;
    if (handle === '') return suffix;
    const prefix = this.#prefixes.get(handle);
    // As in Go, a tag on the first line is reported with the line on which the node begins.
    if (prefix === undefined)
      throw parserError('found undefined tag handle', token.line === 0 ? startLine : token.line);
    return prefix + suffix;
  }
}
