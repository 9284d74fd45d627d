import { goQuote, goSyntax } from '@apichain/go-text';
import { YamlError } from '../yaml-error.ts';

/** Repeated keys are reported until their messages have this many characters in total. */
const maxDuplicateText = 1 << 20;

export interface Key {
  /** The key as in JSON. */
  readonly text: string;
  /** `1` and `"1"` are different keys in YAML. */
  readonly isString: boolean;
}

/** The member key for a YAML value; undefined for null. Throws YamlError for lists and mappings. */
export function keyOf(value: unknown): Key | undefined {
  if (typeof value === 'string') return { text: value, isString: true };
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return { text: String(value), isString: false };
  if (value === null) return undefined;
  throw new YamlError(`yaml: invalid map key: ${goSyntax(value, 'interface {}')}`);
}

/** The keys of a mapping so far, to detect repeated ones. */
export class SeenKeys {
  readonly #strings = new Set<string>();
  readonly #others = new Set<string>();

  /** Adds a key. Returns whether it was there before. */
  add({ text, isString }: Key): boolean {
    const keys = isString ? this.#strings : this.#others;
    const before = keys.size;
    keys.add(text);
    return keys.size === before;
  }
}

/** The repeated keys of a document. */
export class RepeatedKeys {
  /** One message for each repetition: `line 7: key "a" already set in map`. */
  readonly messages: string[] = [];
  #length = 0;

  /** `line` counts from zero. */
  note({ text, isString }: Key, line: number): void {
    if (this.#length > maxDuplicateText) return;
    const message = `line ${line + 1}: key ${isString ? goQuote(text) : text} already set in map`;
    this.#length += message.length;
    this.messages.push(message);
  }
}
