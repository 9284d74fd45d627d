import { goSyntax } from '@apichain/go-text';
import { setOwn } from '../own-members.ts';
import { YamlError } from '../yaml-error.ts';
import { ScalarNode, type AliasNode, type Node } from './composer.ts';
import { keyOf, SeenKeys, type Key } from './mapping-keys.ts';

/** A collection that is being decoded. A stack of frames replaces the recursive calls of a decoder. */
export interface Frame {
  /** Decodes the next child. Returns whether there was one. */
  step(): boolean;
  /** Receives the value of a child that is a collection. */
  receive(value: unknown): void;
  /** The value, when all children are decoded. */
  finish(): unknown;
  /** Whether the members are merged into another mapping, so that the frame has no value of its own. */
  readonly isMerged: boolean;
}

export type Receiver = Pick<Frame, 'receive'>;
export type Members = Record<string, unknown>;

/** The functions of the decoder that frames use. Each may push a frame, which is completed before the frame that called. */
export interface FrameDecoder {
  /** Passes the value to `to`: that of a scalar at once, that of a collection when it has been decoded. */
  decode(node: Node, to: Receiver): void;
  /** Merges the members of a mapping, or of a list of mappings, into another mapping: `<<`. */
  merge(source: Node, members: Members, seen: SeenKeys): void;
  /** Merges the members of one mapping. */
  mergeMapping(source: Node, members: Members, seen: SeenKeys): void;
  enterAlias(alias: AliasNode): void;
  leaveAlias(alias: AliasNode): void;
  /** Must be called for every item and member, including those that aliases and merges repeat. Throws RequestEntityTooLarge. */
  countMember(): void;
  /** Called for a repeated key. `line` counts from zero. */
  repeated(key: Key, line: number): void;
}

/** The value of an alias. */
export class AliasFrame implements Frame {
  readonly isMerged: boolean;
  readonly #decoder: FrameDecoder;
  readonly #alias: AliasNode;
  readonly #open: (frame: AliasFrame) => void;
  #isOpen = false;
  #value: unknown;

  /** `open` decodes the node that the alias refers to. */
  constructor(decoder: FrameDecoder, alias: AliasNode, isMerged: boolean, open: (frame: AliasFrame) => void) {
    this.#decoder = decoder;
    this.#alias = alias;
    this.#open = open;
    this.isMerged = isMerged;
  }
  step(): boolean {
    if (this.#isOpen) return false;
    this.#isOpen = true;
    this.#decoder.enterAlias(this.#alias);
    this.#open(this);
    return true;
  }
  receive(value: unknown): void {
    this.#value = value;
  }
  finish(): unknown {
    this.#decoder.leaveAlias(this.#alias);
    return this.#value;
  }
}

export class SequenceFrame implements Frame {
  readonly isMerged = false;
  readonly #decoder: FrameDecoder;
  readonly #children: readonly Node[];
  readonly #items: unknown[] = [];

  constructor(decoder: FrameDecoder, children: readonly Node[]) {
    this.#decoder = decoder;
    this.#children = children;
  }
  step(): boolean {
    const child = this.#children[this.#items.length];
    if (child === undefined) return false;
    this.#decoder.decode(child, this);
    return true;
  }
  receive(value: unknown): void {
    this.#decoder.countMember();
    this.#items.push(value);
  }
  finish(): unknown {
    return this.#items;
  }
}

/** A list of mappings that are merged into another mapping. */
export class MergeFrame implements Frame {
  readonly isMerged = true;
  readonly #decoder: FrameDecoder;
  readonly #sources: readonly Node[];
  readonly #members: Members;
  #left: number;

  constructor(decoder: FrameDecoder, sources: readonly Node[], members: Members) {
    this.#decoder = decoder;
    this.#sources = sources;
    this.#members = members;
    this.#left = sources.length;
  }
  /** Of several mappings the first takes precedence, so it is merged last. */
  step(): boolean {
    const source = this.#sources[--this.#left];
    if (source === undefined) return false;
    this.#decoder.mergeMapping(source, this.#members, new SeenKeys());
    return true;
  }
  receive(): void {
    throw new TypeError('members are merged, not received');
  }
  finish(): undefined {
    return undefined;
  }
}

const mergeTag = 'tag:yaml.org,2002:merge';
const isMergeKey = (node: Node): boolean =>
  node instanceof ScalarNode && node.text === '<<' && (node.isPlain || node.tag === mergeTag);

export class MappingFrame implements Frame {
  readonly isMerged: boolean;
  readonly #decoder: FrameDecoder;
  /** Keys and values alternate. */
  readonly #children: readonly Node[];
  readonly #members: Members;
  readonly #seen: SeenKeys;
  #next = 0;
  /** Undefined for null, which is an error whose message also needs the value. */
  #key: Key | undefined;

  /** `into` is the mapping that receives the members of a merge. */
  constructor(decoder: FrameDecoder, children: readonly Node[], into?: { members: Members; seen: SeenKeys }) {
    this.#decoder = decoder;
    this.#children = children;
    this.#members = into?.members ?? {};
    this.#seen = into?.seen ?? new SeenKeys();
    this.isMerged = into !== undefined;
  }

  step(): boolean {
    const child = this.#children[this.#next];
    if (child === undefined) return false;
    const isKey = this.#next % 2 === 0;
    this.#next++;
    if (isKey && isMergeKey(child)) {
      const source = this.#children[this.#next++];
      if (source !== undefined) this.#decoder.merge(source, this.#members, this.#seen);
    } else this.#decoder.decode(child, this);
    return true;
  }

  receive(value: unknown): void {
    if (this.#next % 2 === 1) this.#key = keyOf(value);
    else this.#receiveValue(value);
  }

  #receiveValue(value: unknown): void {
    const key = this.#key;
    if (key === undefined)
      throw new YamlError(
        `unsupported map key of type: %!s(<nil>), key: <nil>, value: ${goSyntax(value, 'interface {}')}`,
      );
    if (this.#seen.add(key)) this.#decoder.repeated(key, this.#children[this.#next - 1]?.line ?? 0);
    this.#decoder.countMember();
    setOwn(this.#members, key.text, value);
  }

  finish(): unknown {
    return this.#members;
  }
}
