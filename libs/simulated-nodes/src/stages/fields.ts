import { didYouMean, isRecord } from '@apichain/meta';
import { StageError } from './stage-error.ts';

/** Reads the members of a part of a stage. Every method throws StageError with the path of the member when it has another type. */
export class Fields {
  readonly #value: Record<string, unknown>;
  readonly #path: string;

  /** `known` are the members that the part may have. */
  constructor(value: unknown, path: string, known: readonly string[]) {
    if (!isRecord(value)) throw new StageError(path, 'must be an object');
    for (const name of Object.keys(value))
      if (!known.includes(name)) throw new StageError(this.#at(path, name), unknownField(name, known));
    this.#value = value;
    this.#path = path;
  }

  #at(path: string, name: string): string {
    return path === '' ? name : `${path}.${name}`;
  }

  path(name: string): string {
    return this.#at(this.#path, name);
  }

  has(name: string): boolean {
    return this.#value[name] !== undefined && this.#value[name] !== null;
  }

  text(name: string): string | undefined {
    return this.#typed(name, 'a string', (value) => typeof value === 'string');
  }

  requiredText(name: string): string {
    const value = this.text(name);
    if (value === undefined || value === '') throw new StageError(this.path(name), 'is required');
    return value;
  }

  /** One of the words. */
  word<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    return this.#typed<Word>(name, `one of ${words.join(', ')}`, (value) => words.includes(value as Word));
  }

  /** A number from 0. */
  amount(name: string): number | undefined {
    return this.#typed(name, 'a number, and not negative', (value) => typeof value === 'number' && value >= 0);
  }

  flag(name: string): boolean {
    return this.#typed(name, 'true or false', (value) => typeof value === 'boolean') ?? false;
  }

  texts(name: string): readonly string[] {
    const areTexts = (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === 'string');
    return this.#typed(name, 'a list of strings', areTexts) ?? [];
  }

  map(name: string): Readonly<Record<string, string>> {
    const areTexts = (value: unknown) =>
      isRecord(value) && Object.values(value).every((item) => typeof item === 'string');
    return this.#typed(name, 'a map of strings', areTexts) ?? {};
  }

  /** The result of `read` for a member that exists. */
  part<Result>(name: string, read: (value: unknown, path: string) => Result): Result | undefined {
    return this.has(name) ? read(this.#value[name], this.path(name)) : undefined;
  }

  /** The results of `read` for the items of a list. */
  parts<Result>(name: string, read: (value: unknown, path: string) => Result): Result[] {
    const items = this.#typed<unknown[]>(name, 'a list', (value) => Array.isArray(value)) ?? [];
    return items.map((item, index) => read(item, `${this.path(name)}[${index}]`));
  }

  #typed<Type>(name: string, expected: string, accepts: (value: unknown) => boolean): Type | undefined {
    const value = this.#value[name];
    if (value === undefined || value === null) return undefined;
    if (!accepts(value)) throw new StageError(this.path(name), `must be ${expected}`);
    return value as Type;
  }
}

/** Fields of kwok's stages that need Go templates or jq. */
const templates = ['statusTemplate', 'template', 'jq', 'expressionFrom'];

function unknownField(name: string, known: readonly string[]): string {
  if (templates.includes(name)) return 'Go templates and jq are not supported; give the value by `cel`';
  return `unknown field${didYouMean(name, known)}`;
}
