import { newTooManyMembers } from '../member-limit.ts';
import type { SteppedWork } from '../turns.ts';
import { YamlError } from '../yaml-error.ts';
import { AliasLimits } from './alias-limits.ts';
import { AliasNode, CollectionNode, ScalarNode, type Node } from './composer.ts';
import { AliasFrame, MappingFrame, MergeFrame, SequenceFrame } from './frames.ts';
import type { Frame, FrameDecoder, Members, Receiver } from './frames.ts';
import { RepeatedKeys, type Key, type SeenKeys } from './mapping-keys.ts';
import { scalarValue } from './scalar-value.ts';

/**
 * Turns the nodes of a document into JSON values. Throws YamlError and JsonNumberError; RequestEntityTooLarge for too many members. Source:
 * decode.go of go.yaml.in/yaml/v2.
 */
export class Decoder implements SteppedWork, FrameDecoder {
  value: unknown = null;
  readonly #frames: Frame[] = [];
  readonly #aliases = new AliasLimits();
  readonly #repeated = new RepeatedKeys();
  #membersLeft: number;

  constructor(root: Node | undefined, mostMembers = Infinity) {
    this.#membersLeft = mostMembers;
    if (root === undefined) return;
    this.decode(root, { receive: (value) => (this.value = value) });
  }

  /** One message for each repeated key: `line 7: key "a" already set in map`. */
  get duplicates(): string[] {
    return this.#repeated.messages;
  }

  /** Decodes about this many nodes. Returns whether all are decoded. */
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

  decode(node: Node, to: Receiver): void {
    this.#aliases.countNode();
    if (node instanceof ScalarNode) {
      this.#aliases.countText(node.text);
      to.receive(scalarValue(node));
    } else if (node instanceof CollectionNode) this.#open(node);
    else this.#frames.push(new AliasFrame(this, node, false, (frame) => this.decode(node.target, frame)));
  }

  #open({ isMapping, children }: CollectionNode): void {
    this.#frames.push(isMapping ? new MappingFrame(this, children) : new SequenceFrame(this, children));
  }

  merge(source: Node, members: Members, seen: SeenKeys): void {
    if (source instanceof CollectionNode && !source.isMapping)
      this.#frames.push(new MergeFrame(this, source.children, members));
    else this.mergeMapping(source, members, seen);
  }

  mergeMapping(source: Node, members: Members, seen: SeenKeys): void {
    this.#aliases.countNode();
    const node = source instanceof AliasNode ? source.target : source;
    if (!(node instanceof CollectionNode && node.isMapping))
      throw new YamlError('yaml: map merge requires map or sequence of maps as the value');
    const open = () => void this.#frames.push(new MappingFrame(this, node.children, { members, seen }));
    if (!(source instanceof AliasNode)) return open();
    const openCounted = () => {
      this.#aliases.countNode();
      open();
    };
    this.#frames.push(new AliasFrame(this, source, true, openCounted));
  }

  enterAlias(alias: AliasNode): void {
    this.#aliases.enter(alias);
  }

  leaveAlias(alias: AliasNode): void {
    this.#aliases.leave(alias);
  }

  countMember(): void {
    if (--this.#membersLeft < 0) throw newTooManyMembers();
  }

  repeated(key: Key, line: number): void {
    this.#repeated.note(key, line);
  }
}
