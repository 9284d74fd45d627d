import { YamlError } from '../yaml-error.ts';
import type { AliasNode } from './composer.ts';

/** Characters that aliases may repeat: a text of a megabyte that is named in a thousand places makes a gigabyte of JSON. */
const maxAliasedText = 1 << 22;

const excessive = () => new YamlError('yaml: document contains excessive aliasing');

/** Share of decoded nodes that may come from aliases: nearly all in small documents, a tenth in huge ones. */
function allowedAliasRatio(decoded: number): number {
  const [low, high] = [400_000, 4_000_000];
  if (decoded <= low) return 0.99;
  return decoded >= high ? 0.1 : 0.99 - 0.89 * ((decoded - low) / (high - low));
}

/**
 * Keeps the work of decoding in proportion to the text: an alias repeats what it names, and what it names may have aliases itself. All
 * methods throw YamlError. Source: `decode` in decode.go of go.yaml.in/yaml/v2; the bound of text is our own.
 */
export class AliasLimits {
  readonly #open = new Set<AliasNode>();
  #decoded = 0;
  #aliased = 0;
  #aliasedText = 0;

  /** What is decoded until `leave` is a repetition. */
  enter(alias: AliasNode): void {
    if (this.#open.has(alias)) throw new YamlError(`yaml: anchor '${alias.name}' value contains itself`);
    this.#open.add(alias);
  }

  leave(alias: AliasNode): void {
    this.#open.delete(alias);
  }

  /** To be called for every node that is decoded. */
  countNode(): void {
    this.#decoded++;
    if (this.#open.size === 0) return;
    this.#aliased++;
    if (
      this.#aliased > 100 &&
      this.#decoded > 1000 &&
      this.#aliased / this.#decoded > allowedAliasRatio(this.#decoded)
    ) {
      throw excessive();
    }
  }

  /** To be called for every scalar. */
  countText(text: string): void {
    if (this.#open.size === 0) return;
    this.#aliasedText += text.length;
    if (this.#aliasedText > maxAliasedText) throw excessive();
  }
}
