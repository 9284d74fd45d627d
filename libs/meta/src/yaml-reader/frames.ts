import { YamlError } from '../yaml-error.ts';
import { ScalarNode, type AliasNode, type Node } from './composer.ts';
import { goSyntax } from './go-syntax.ts';
import { keyOf, SeenKeys, type Key } from './mapping-keys.ts';

/** A collection that is being decoded. A stack of them stands for the calls of a decoder that would call itself. */
export interface Frame {
  /** Decodes its next child; answers whether there was one. */
  step(): boolean;
  /** Gets the value of a child that is a collection. */
  receive(value: unknown): void;
  /** Its value, once it has no more children. */
  finish(): unknown;
  /** Its members are another one's, so nobody gets its value. */
  readonly isMerged: boolean;
}

export type Receiver = Pick<Frame, 'receive'>;
export type Members = Record<string, unknown>;

/** What frames need of the decoder. Each method may push a frame, which is worked off before the one that called. */
export interface FrameDecoder {
  /** The value of a scalar goes to `to` at once, that of a collection when it has been decoded. */
  decode(node: Node, to: Receiver): void;
  /** Reads the members of a mapping, or of a list of mappings, into another mapping: `<<`. */
  merge(source: Node, members: Members, seen: SeenKeys): void;
  /** The same of one mapping. */
  mergeMapping(source: Node, members: Members, seen: SeenKeys): void;
  enterAlias(alias: AliasNode): void;
  leaveAlias(alias: AliasNode): void;
  /** To be called for every item and member, those that aliases repeat and merges bring included. Throws RequestEntityTooLarge. */
  countMember(): void;
  /** A key comes again. `line` counts from zero. */
  repeated(key: Key, line: number): void;
}

function setOwn(object: Members, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else object[key] = value;
}

/** What an alias stands for. */
export class AliasFrame implements Frame {
  readonly isMerged: boolean;
  readonly #decoder: FrameDecoder;
  readonly #alias: AliasNode;
  readonly #open: (frame: AliasFrame) => void;
  #isOpen = false;
  #value: unknown;

  /** `open` decodes what the alias names. */
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

/** Mappings of a list that are read into another one. */
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
  /** The first of several wins, so it is merged last. */
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
  /** Keys and values in turn. */
  readonly #children: readonly Node[];
  readonly #members: Members;
  readonly #seen: SeenKeys;
  #next = 0;
  /** Undefined for null, which is an error that also shows the value. */
  #key: Key | undefined;

  /** `into` = the mapping that the members are merged into. */
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
      throw new YamlError(`unsupported map key of type: %!s(<nil>), key: <nil>, value: ${goSyntax(value)}`);
    if (this.#seen.add(key)) this.#decoder.repeated(key, this.#children[this.#next - 1]?.line ?? 0);
    this.#decoder.countMember();
    setOwn(this.#members, key.text, value);
  }

  finish(): unknown {
    return this.#members;
  }
}
