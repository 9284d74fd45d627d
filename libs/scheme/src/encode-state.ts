import type { NestedSteps, Work } from '@apichain/meta';
import { DecodeState } from './decode-state.ts';

/** A placeholder in the text for members that are written in a later step. JSON text never contains this character. */
const gap = /(,?)\0(\d+)\0/;

/** The writer's position in an object, and the members that remain for later steps. */
export class EncodeState extends DecodeState {
  readonly #rests: string[] = [];

  constructor(steps?: NestedSteps) {
    super(undefined, false, true, false, false, undefined, steps);
  }

  /** Writes further members in a later step, each with a comma before it. Returns a placeholder for them, which `filling` replaces. */
  rest<Arguments extends unknown[]>(write: (...given: Arguments) => string, ...given: Arguments): string {
    const { length } = this.#rests;
    this.#rests.push('');
    this.suspend(() => {
      this.#rests[length] = write(...given);
    });
    return `,\0${length}\0`;
  }

  /** The text with all placeholders replaced; in steps. */
  *filling(text: string): Work<string> {
    if (this.#rests.length === 0) return text;
    let whole = '';
    const left = this.#parts(text, false);
    for (let part = left.pop(); part !== undefined; part = left.pop()) {
      if (typeof part === 'string') whole += part;
      else {
        left.push(...this.#parts(this.#rests[part.rest] ?? '', part.isFirst));
        yield;
      }
    }
    return whole;
  }

  /** The parts of a text in reverse order. `isFirst` = the text begins the members of an object, so its first member takes no comma. */
  #parts(text: string, isFirst: boolean): (string | { readonly rest: number; readonly isFirst: boolean })[] {
    const parts: (string | { readonly rest: number; readonly isFirst: boolean })[] = [];
    const pieces = text.split(gap);
    let takesNoComma = isFirst;
    for (let i = 0; i < pieces.length; i += 3) {
      const plain = pieces[i] ?? '';
      if (plain !== '') parts.push(takesNoComma ? plain.slice(1) : plain);
      if (plain !== '') takesNoComma = false;
      if (i + 2 < pieces.length)
        parts.push({ rest: Number(pieces[i + 2]), isFirst: takesNoComma || pieces[i + 1] === '' });
    }
    return parts.reverse();
  }
}
