import type { Cursor } from './cursor.ts';

/**
 * A key without `?`. That it is one shows only when the `:` behind it is found, on the same line and not too far away: `a` in `a: b` was a
 * scalar until then.
 */
export interface SimpleKey {
  isPossible: boolean;
  /** It stands where only a key can stand. */
  readonly isRequired: boolean;
  /** Which of all tokens it begins with. */
  readonly token: number;
  readonly line: number;
  readonly at: number;
  readonly column: number;
}

const longestSimpleKey = 1024;

/**
 * What may become a simple key, one on each flow level. Throws YamlError where a required key turns out to be none.
 * Source: yaml_parser_save_simple_key and others in scannerc.go of go.yaml.in/yaml/v2.
 */
export class SimpleKeys {
  readonly #cursor: Cursor;
  readonly #ofLevels: (SimpleKey | undefined)[] = [undefined];

  constructor(cursor: Cursor) {
    this.#cursor = cursor;
  }

  /** On the innermost level. */
  get current(): SimpleKey | undefined {
    return this.#ofLevels[this.#ofLevels.length - 1];
  }

  /** A key may begin at the cursor, with the token of that number. */
  save(token: number, isRequired: boolean): SimpleKey {
    const { line, at, column } = this.#cursor;
    this.remove();
    const key = { isPossible: true, isRequired, token, line, at, column };
    this.#ofLevels[this.#ofLevels.length - 1] = key;
    return key;
  }

  /** No `:` comes behind the key of the innermost level. */
  remove(): void {
    const key = this.current;
    if (key === undefined) return;
    if (key.isPossible && key.isRequired) throw this.#missingColon();
    this.forget(key);
  }

  /** The key of the innermost level is no possible one any more, because it is a key now or never will be one. */
  forget(key: SimpleKey): void {
    key.isPossible = false;
    this.#ofLevels[this.#ofLevels.length - 1] = undefined;
  }

  /** Whether a `:` at the cursor would make it a key. */
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
