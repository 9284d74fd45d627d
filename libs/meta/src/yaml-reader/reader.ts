import { inSlices, type SteppedWork } from '../turns.ts';
import { Composer } from './composer.ts';
import { Decoder } from './decoder.ts';

/** A document, and the repeated keys of its text. */
export interface ParsedYaml {
  value: unknown;
  /** One message for each repeated key: `line 7: key "a" already set in map`. */
  duplicateFields: string[];
}

/** Reads the first document of a YAML text step by step. Time and memory are linear in the text for every input. */
export class YamlReader implements SteppedWork {
  readonly #composer: Composer;
  readonly #mostMembers: number;
  #decoder: Decoder | undefined;

  /** A document of more than `mostMembers` members is refused. */
  constructor(text: string, mostMembers = Infinity) {
    this.#mostMembers = mostMembers;
    this.#composer = new Composer(text, mostMembers);
  }

  /** Throws YamlError and JsonNumberError; RequestEntityTooLarge for too many members. */
  advance(steps: number): boolean {
    if (this.#decoder !== undefined) return this.#decoder.advance(steps);
    if (!this.#composer.advance(steps)) return false;
    this.#decoder = new Decoder(this.#composer.root, this.#mostMembers);
    return this.#decoder.advance(steps);
  }

  result(): ParsedYaml {
    return { value: this.#decoder?.value ?? null, duplicateFields: this.#decoder?.duplicates ?? [] };
  }
}

export function readYaml(text: string): ParsedYaml {
  const reader = new YamlReader(text);
  reader.advance(Infinity);
  return reader.result();
}

export async function readYamlInSlices(text: string, mostMembers: number): Promise<ParsedYaml> {
  const reader = new YamlReader(text, mostMembers);
  await inSlices(reader);
  return reader.result();
}
