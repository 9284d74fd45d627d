import type { Cursor } from './cursor.ts';

/**
 * A possible key without `?`. Only a `:` on the same line and not too far away makes it a key: `a` in `a: b` is a scalar until the `:` is
 * found.
 */
export interface SimpleKey {
  isPossible: boolean;
  /** Whether only a key is allowed at this position. */
  readonly isRequired: boolean;
  /** The number of the token that it begins with, counted from the start of the stream. */
  readonly token: number;
  readonly line: number;
  readonly at: number;
  readonly column: number;
}

const longestSimpleKey = 1024;

/**
 * The possible simple keys, one for each flow level. Throws YamlError if a required key is not a key.
 * Source: yaml_parser_save_simple_key and others in scannerc.go of go.yaml.in/yaml/v2.
 */
export class SimpleKeys {
  readonly #cursor: Cursor;
  readonly #ofLevels: (SimpleKey | undefined)[] = [undefined];

  constructor(cursor: Cursor) {
    this.#cursor = cursor;
  }

  /** The possible key of the innermost level. */
  get current(): SimpleKey | undefined {
    return this.#ofLevels[this.#ofLevels.length - 1];
  }

  /** Records that a key may begin at the cursor, with the token of that number. */
  save(token: number, isRequired: boolean): SimpleKey {
    const { line, at, column } = this.#cursor;
    this.remove();
    const key = { isPossible: true, isRequired, token, line, at, column };
    this.#ofLevels[this.#ofLevels.length - 1] = key;
    return key;
  }

  /** Removes the possible key of the innermost level, which no `:` can follow any more. */
  remove(): void {
    const key = this.current;
    if (key === undefined) return;
    if (key.isPossible && key.isRequired) throw this.#missingColon();
    this.forget(key);
  }

  /** Removes the possible key of the innermost level, because it has become a key or cannot become one. */
  forget(key: SimpleKey): void {
    key.isPossible = false;
    this.#ofLevels[this.#ofLevels.length - 1] = undefined;
  }

  /** Whether a `:` at the cursor would make this a key. */
  isValid(key: SimpleKey): boolean {
    if (!key.isPossible) return false;
    const { line, at } = this.#cursor;
    if (key.line >= line && key.at + longestSimpleKey >= at) return true;
    if (key.isRequired) throw this.#missingColon();
    key.isPossible = false;
    return false;
  }

  enterFlow(): void {
    this.#ofLevels.push(undefined);
  }

  leaveFlow(): void {
    this.#ofLevels.pop();
  }

  #missingColon(): Error {
    return this.#cursor.error("could not find expected ':'");
  }
}
