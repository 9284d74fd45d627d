import type { SteppedWork } from '../turns.ts';
import { newTooManyMembers } from '../member-limit.ts';
import { YamlError } from '../yaml-error.ts';
import type { Event } from './event.ts';
import { Parser } from './parser.ts';

/** A scalar of a document. Lines count from zero. */
export class ScalarNode {
  readonly text: string;
  readonly line: number;
  /** Whether the scalar is plain, so that its text determines its type. */
  readonly isPlain: boolean;
  readonly tag: string | undefined;

  constructor({ text, line, isPlain, tag }: Event) {
    this.text = text;
    this.line = line;
    this.isPlain = isPlain;
    this.tag = tag;
  }
}

export class CollectionNode {
  readonly isMapping: boolean;
  readonly line: number;
  /** The children of a collection. In a mapping, keys and values alternate. */
  readonly children: Node[] = [];

  constructor({ kind, line }: Event) {
    this.isMapping = kind === 'mapping';
    this.line = line;
  }
}

export class AliasNode {
  readonly name: string;
  readonly line: number;
  readonly target: Node;

  constructor({ text, line }: Event, target: Node) {
    this.name = text;
    this.line = line;
    this.target = target;
  }
}

export type Node = ScalarNode | CollectionNode | AliasNode;

/** Composes the nodes of the first document of a YAML text. */
export class Composer implements SteppedWork {
  readonly #parser: Parser;
  readonly #anchors = new Map<string, Node>();
  readonly #open: CollectionNode[] = [];
  #nodesLeft: number;
  #hasStarted = false;
  /** Undefined if the text contains no document. */
  root: Node | undefined;

  /** If a document certainly has more than `mostMembers` members, its remaining nodes are not composed. */
  constructor(text: string, mostMembers = Infinity) {
    this.#parser = new Parser(text);
    // The number of nodes: the root, and a key and a value for each member.
    this.#nodesLeft = 1 + 2 * mostMembers;
  }

  /** Reads up to `events` events. Returns whether the document is complete. Throws YamlError and RequestEntityTooLarge. */
  advance(events: number): boolean {
    if (!this.#hasStarted && !this.#parser.start()) return true;
    this.#hasStarted = true;
    for (let left = events; left > 0; left--) {
      const event = this.#parser.next();
      if (event.kind === 'document-end') return true;
      this.#take(event);
    }
    return false;
  }

  #take(event: Event): void {
    switch (event.kind) {
      case 'scalar':
        return this.#add(new ScalarNode(event), event.anchor);
      case 'alias': {
        const target = this.#anchors.get(event.text);
        if (target === undefined) throw new YamlError(`yaml: unknown anchor '${event.text}' referenced`);
        return this.#add(new AliasNode(event, target), undefined);
      }
      case 'sequence':
      case 'mapping': {
        const node = new CollectionNode(event);
        this.#add(node, event.anchor);
        this.#open.push(node);
        return;
      }
      default:
        this.#open.pop();
    }
  }

  #add(node: Node, anchor: string | undefined): void {
    if (--this.#nodesLeft < 0) throw newTooManyMembers();
    const parent = this.#open[this.#open.length - 1];
    if (parent === undefined) this.root = node;
    else parent.children.push(node);
    if (anchor !== undefined) this.#anchors.set(anchor, node);
  }
}
