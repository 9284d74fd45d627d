import { YamlError } from '../yaml-error.ts';
import type { AliasNode } from './composer.ts';

/** The most characters that aliases may repeat. A text of a megabyte with a thousand aliases to it would make a gigabyte of JSON. */
const maxAliasedText = 1 << 22;

const excessive = () => new YamlError('yaml: document contains excessive aliasing');

/** The share of decoded nodes that may come from aliases: nearly all in small documents, a tenth in huge ones. */
function allowedAliasRatio(decoded: number): number {
  const [low, high] = [400_000, 4_000_000];
  if (decoded <= low) return 0.99;
  return decoded >= high ? 0.1 : 0.99 - 0.89 * ((decoded - low) / (high - low));
}

/**
 * Bounds the work that aliases cause. An alias repeats the value of its anchor, which may contain aliases itself. All methods throw
 * YamlError. Source: `decode` in decode.go of go.yaml.in/yaml/v2; the bound on characters is our own.
 */
export class AliasLimits {
  readonly #open = new Set<AliasNode>();
  #decoded = 0;
  #aliased = 0;
  #aliasedText = 0;

  /** Nodes decoded until `leave` count as repeated by the alias. */
  enter(alias: AliasNode): void {
    if (this.#open.has(alias)) throw new YamlError(`yaml: anchor '${alias.name}' value contains itself`);
    this.#open.add(alias);
  }

  leave(alias: AliasNode): void {
    this.#open.delete(alias);
  }

  /** Must be called for every decoded node. */
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

  /** Must be called for every scalar. */
  countText(text: string): void {
    if (this.#open.size === 0) return;
    this.#aliasedText += text.length;
    if (this.#aliasedText > maxAliasedText) throw excessive();
  }
}
