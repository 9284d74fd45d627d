import { goQuote } from '@apichain/go-text';
import { newTooManyMembers } from '../member-limit.ts';
import type { SteppedWork } from '../turns.ts';
import { YamlError } from '../yaml-error.ts';
import { AliasNode, CollectionNode, ScalarNode, type Node } from './composer.ts';
import { goSyntax } from './go-syntax.ts';
import { scalarValue } from './scalar-value.ts';

/** Repeated keys are told of as long as their messages are no longer than this together. */
const maxDuplicateText = 1 << 20;
/** Characters that aliases may repeat: a text of a megabyte that is named in a thousand places makes a gigabyte of JSON. */
const maxAliasedText = 1 << 22;

const excessive = () => new YamlError('yaml: document contains excessive aliasing');

/** Share of decoded nodes that may come from aliases: nearly all in small documents, a tenth in huge ones. */
function allowedAliasRatio(decoded: number): number {
  const [low, high] = [400_000, 4_000_000];
  if (decoded <= low) return 0.99;
  return decoded >= high ? 0.1 : 0.99 - 0.89 * ((decoded - low) / (high - low));
}

interface Key {
  /** As JSON spells it. */
  readonly text: string;
  /** `1` and `"1"` are different keys to YAML. */
  readonly isString: boolean;
}

type Members = Record<string, unknown>;

function setOwn(object: Members, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else object[key] = value;
}

/** A collection that is being decoded. */
interface Frame {
  /** Decodes its next child; answers whether there was one. */
  step(): boolean;
  /** Gets the value of a child that is a collection. */
  receive(value: unknown): void;
  /** Its value, once it has no more children. */
  finish(): unknown;
  /** Its members are another one's, so nobody gets its value. */
  readonly isMerged: boolean;
}

/** What an alias stands for. */
class AliasFrame implements Frame {
  readonly isMerged: boolean;
  readonly #decoder: Decoder;
  readonly #alias: AliasNode;
  readonly #open: () => void;
  #isOpen = false;
  #value: unknown;

  constructor(decoder: Decoder, alias: AliasNode, isMerged: boolean, open: () => void) {
    this.#decoder = decoder;
    this.#alias = alias;
    this.#open = open;
    this.isMerged = isMerged;
  }
  step(): boolean {
    if (this.#isOpen) return false;
    this.#isOpen = true;
    this.#decoder.enterAlias(this.#alias);
    this.#open();
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

class SequenceFrame implements Frame {
  readonly isMerged = false;
  readonly #decoder: Decoder;
  readonly #children: readonly Node[];
  readonly #items: unknown[] = [];

  constructor(decoder: Decoder, children: readonly Node[]) {
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

/** Mappings that are read into another one. */
class MergeFrame implements Frame {
  readonly isMerged = true;
  readonly #decoder: Decoder;
  readonly #sources: readonly Node[];
  readonly #members: Members;
  #left: number;

  constructor(decoder: Decoder, sources: readonly Node[], members: Members) {
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

/** The keys that a mapping has had, to tell of those that come again. */
class SeenKeys {
  readonly #strings = new Set<string>();
  readonly #others = new Set<string>();

  /** Whether it was there before. */
  add({ text, isString }: Key): boolean {
    const keys = isString ? this.#strings : this.#others;
    const before = keys.size;
    keys.add(text);
    return keys.size === before;
  }
}

class MappingFrame implements Frame {
  readonly isMerged: boolean;
  readonly #decoder: Decoder;
  readonly #children: readonly Node[];
  readonly #members: Members;
  readonly #seen: SeenKeys;
  #next = 0;
  #key: Key | undefined;
  /** The key is null, which is an error that also shows the value. */
  #isNullKey = false;

  constructor(decoder: Decoder, children: readonly Node[], into?: { members: Members; seen: SeenKeys }) {
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
    if (this.#next % 2 === 1) this.#receiveKey(value);
    else this.#receiveValue(value);
  }

  #receiveKey(key: unknown): void {
    this.#isNullKey = key === null;
    if (typeof key === 'string') this.#key = { text: key, isString: true };
    else if (typeof key === 'number' || typeof key === 'bigint' || typeof key === 'boolean')
      this.#key = { text: String(key), isString: false };
    else if (key !== null) throw new YamlError(`yaml: invalid map key: ${goSyntax(key)}`);
  }

  #receiveValue(value: unknown): void {
    if (this.#isNullKey)
      throw new YamlError(`unsupported map key of type: %!s(<nil>), key: <nil>, value: ${goSyntax(value)}`);
    const key = this.#key;
    if (key === undefined) return;
    if (this.#seen.add(key)) this.#decoder.repeated(key, this.#children[this.#next - 1]?.line ?? 0);
    this.#decoder.countMember();
    setOwn(this.#members, key.text, value);
  }

  finish(): unknown {
    return this.#members;
  }
}

const mergeTag = 'tag:yaml.org,2002:merge';
const isMergeKey = (node: Node): boolean =>
  node instanceof ScalarNode && node.text === '<<' && (node.isPlain || node.tag === mergeTag);

/**
 * Turns the nodes of a document into JSON values. Throws YamlError and JsonNumberError, and RequestEntityTooLarge for more members than wanted. Source: decode.go of go.yaml.in/yaml/v2, whose
 * limits on aliases keep the work in proportion to the text.
 */
export class Decoder implements SteppedWork {
  /** One text for each repeated key: `line 7: key "a" already set in map`. */
  readonly duplicates: string[] = [];
  value: unknown = null;
  readonly #frames: Frame[] = [];
  readonly #openAliases = new Set<AliasNode>();
  #decoded = 0;
  #aliased = 0;
  #aliasedText = 0;
  #duplicateText = 0;
  #membersLeft: number;

  constructor(root: Node | undefined, mostMembers = Infinity) {
    this.#membersLeft = mostMembers;
    if (root === undefined) return;
    this.decode(root, { receive: (value) => (this.value = value) });
  }

  /** Decodes about so many nodes; answers whether all are. */
  advance(nodes: number): boolean {
    for (let left = nodes; left > 0; left--) {
      const frame = this.#frames[this.#frames.length - 1];
      if (frame === undefined) return true;
      if (frame.step()) continue;
      this.#frames.pop();
      const value = frame.finish();
      if (frame.isMerged) continue;
      const parent = this.#frames[this.#frames.length - 1];
      if (parent === undefined) this.value = value;
      else parent.receive(value);
    }
    return false;
  }

  /** The value of a scalar goes to `to` at once, that of a collection when it has been decoded. */
  decode(node: Node, to: Pick<Frame, 'receive'>): void {
    this.#count();
    if (node instanceof ScalarNode) {
      this.#countText(node);
      to.receive(scalarValue(node));
    } else if (node instanceof CollectionNode) this.#open(node);
    else {
      const frame: AliasFrame = new AliasFrame(this, node, false, () => this.decode(node.target, frame));
      this.#frames.push(frame);
    }
  }

  #open({ isMapping, children }: CollectionNode): void {
    this.#frames.push(isMapping ? new MappingFrame(this, children) : new SequenceFrame(this, children));
  }

  #count(): void {
    this.#decoded++;
    if (this.#openAliases.size === 0) return;
    this.#aliased++;
    if (
      this.#aliased > 100 &&
      this.#decoded > 1000 &&
      this.#aliased / this.#decoded > allowedAliasRatio(this.#decoded)
    ) {
      throw excessive();
    }
  }

  /** To be called for every item and member, those that aliases repeat and merges bring included. Throws RequestEntityTooLarge. */
  countMember(): void {
    if (--this.#membersLeft < 0) throw newTooManyMembers();
  }

  #countText({ text }: ScalarNode): void {
    if (this.#openAliases.size === 0) return;
    this.#aliasedText += text.length;
    if (this.#aliasedText > maxAliasedText) throw excessive();
  }

  /** Reads members of other mappings into one. */
  merge(source: Node, members: Members, seen: SeenKeys): void {
    if (source instanceof CollectionNode && !source.isMapping)
      this.#frames.push(new MergeFrame(this, source.children, members));
    else this.mergeMapping(source, members, seen);
  }

  mergeMapping(source: Node, members: Members, seen: SeenKeys): void {
    this.#count();
    const node = source instanceof AliasNode ? source.target : source;
    if (!(node instanceof CollectionNode && node.isMapping))
      throw new YamlError('yaml: map merge requires map or sequence of maps as the value');
    const open = () => void this.#frames.push(new MappingFrame(this, node.children, { members, seen }));
    if (!(source instanceof AliasNode)) return open();
    const openCounted = () => {
      this.#count();
      open();
    };
    this.#frames.push(new AliasFrame(this, source, true, openCounted));
  }

  enterAlias(alias: AliasNode): void {
    if (this.#openAliases.has(alias)) throw new YamlError(`yaml: anchor '${alias.name}' value contains itself`);
    this.#openAliases.add(alias);
  }
  leaveAlias(alias: AliasNode): void {
    this.#openAliases.delete(alias);
  }

  repeated({ text, isString }: Key, line: number): void {
    if (this.#duplicateText > maxDuplicateText) return;
    const message = `line ${line + 1}: key ${isString ? goQuote(text) : text} already set in map`;
    this.#duplicateText += message.length;
    this.duplicates.push(message);
  }
}
