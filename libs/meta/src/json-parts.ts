import { isUtf8 } from 'node:buffer';
import { wholeFloats, type JsonContainer, type List } from './document-facts.ts';
import { isList, isRecord } from './unstructured.ts';
import { parseJson } from './json.ts';
import { setOwn } from './own-members.ts';
import type { SteppedWork, Work } from './turns.ts';

/** Texts up to this size in bytes are read in one step, which takes about a millisecond. */
const partBytes = 32 * 1024;
/** The number of bytes that one step visits. */
const bytesPerStep = 64 * 1024;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBrace = 0x7b;
const openBracket = 0x5b;
const closeBrace = 0x7d;
const closeBracket = 0x5d;

/** Stands for a large object or list whose members were not read. */
export class OmittedMembers {
  readonly count: number;

  constructor(count: number) {
    this.count = count;
  }
}

/** The number of members of an object that may have been omitted. */
export function memberCount(value: object | null | undefined): number {
  return value instanceof OmittedMembers ? value.count : Object.keys(value ?? {}).length;
}

/**
 * Whether the members of the object or list at a path need not be read, or the names of those that must be. It is only asked about large ones. A list is
 * read whole when there are names.
 */
export type Omits = (path: readonly string[]) => boolean | readonly string[];

/** A large object or list that is read in parts. */
interface LargeContainer {
  readonly members: (Record<string, unknown> & JsonContainer) | List;
  readonly isOmitted: boolean;
  /** The only members that must be read, as they begin in the text: `"name"`. Undefined = all. */
  readonly asked?: readonly string[];
  /** The names that lead to it. */
  readonly path: readonly string[];
  /** Where the members begin that have not been read. */
  unread: number;
}

/**
 * Reads a large JSON document part by part: a scan finds the ends of members, and the platform's parser reads so many members at a time that a step is
 * short. The document must be valid JSON and UTF-8, as stored objects are.
 */
class JsonPartReader implements SteppedWork {
  readonly #json: Buffer;
  readonly #omits: Omits;
  #at = 0;
  #inText = false;
  /** The open objects and lists that are read in parts, the outermost first. */
  readonly #large: LargeContainer[] = [];
  /** Of each open object and list: where it begins, where its last member begins, and the number of members before that one. */
  readonly #starts: number[] = [];
  readonly #memberStarts: number[] = [];
  readonly #counts: number[] = [];
  #value: unknown;

  constructor(json: Buffer, omits: Omits) {
    this.#json = json;
    this.#omits = omits;
  }

  /** The document. To be called when all bytes were visited. */
  get value(): unknown {
    return this.#value;
  }

  advance(bytes: number): boolean {
    const end = Math.min(this.#at + bytes, this.#json.length);
    while (this.#at < end) {
      if (this.#inText) this.#passText(end);
      else this.#visit(this.#json[this.#at] ?? 0);
    }
    return this.#at >= this.#json.length;
  }

  #passText(end: number): void {
    const json = this.#json;
    let at = this.#at;
    for (; at < end; at++) {
      const byte = json[at];
      if (byte === backslash) at++;
      else if (byte === quote) {
        this.#inText = false;
        at++;
        break;
      }
    }
    this.#at = at;
  }

  #visit(byte: number): void {
    const at = this.#at++;
    if (byte === quote) this.#inText = true;
    else if (byte === comma) this.#separate(at);
    else if (byte === openBrace || byte === openBracket) this.#open(at);
    else if (byte === closeBrace || byte === closeBracket) this.#close(at);
  }

  #open(at: number): void {
    this.#starts.push(at);
    this.#memberStarts.push(at + 1);
    this.#counts.push(0);
    if (at === 0) this.#begin([]);
  }

  #separate(at: number): void {
    const depth = this.#starts.length - 1;
    this.#counts[depth] = (this.#counts[depth] ?? 0) + 1;
    this.#memberStarts[depth] = at + 1;
    const large = this.#large.at(-1);
    if (large === undefined) return;
    if (this.#large.length <= depth) {
      if (at - (this.#starts[this.#large.length] ?? at) > partBytes && !large.isOmitted) this.#divide(large);
    } else if (at - large.unread >= partBytes || at === large.unread) this.#read(large, at);
  }

  #close(at: number): void {
    const depth = this.#starts.length - 1;
    const isLarge = this.#large.length > depth;
    this.#starts.pop();
    this.#memberStarts.pop();
    const count = this.#counts.pop() ?? 0;
    if (!isLarge) return;
    const large = this.#large.pop();
    if (large === undefined) return;
    this.#read(large, at);
    const parent = this.#large.at(-1);
    const value = large.isOmitted ? new OmittedMembers(count + 1) : large.members;
    if (parent === undefined) {
      this.#value = value;
      return;
    }
    parent.unread = at + 1;
    const name = large.path.at(-1);
    if (Array.isArray(parent.members)) parent.members.push(value);
    else setOwn(parent.members, name ?? '', value);
  }

  /** Reads the members of a container up to the one that has become large, which is then read in parts too. */
  #divide(parent: LargeContainer): void {
    const depth = this.#large.length;
    const memberStart = this.#memberStarts[depth - 1] ?? 0;
    this.#read(parent, memberStart - 1);
    const name = this.#textOf(memberStart, this.#starts[depth] ?? 0);
    this.#begin([...parent.path, Array.isArray(parent.members) ? '*' : nameOf(name)]);
  }

  #begin(path: readonly string[]): void {
    const start = this.#starts[this.#large.length] ?? 0;
    const members = this.#json[start] === openBracket ? [] : {};
    const omits = path.length > 0 && this.#omits(path);
    const large = { members, isOmitted: omits === true, path, unread: start + 1 };
    const isSelected = typeof omits === 'object' && !Array.isArray(members);
    this.#large.push(isSelected ? { ...large, asked: omits.map((name) => JSON.stringify(name)) } : large);
  }

  /** Reads the members of a large container up to `end`, where a comma or its end is. */
  #read(large: LargeContainer, end: number): void {
    const { members, unread, isOmitted } = large;
    large.unread = end + 1;
    if (isOmitted || unread >= end || this.#lacks(large, unread, end)) return;
    const text = this.#textOf(unread, end);
    if (isList(members)) {
      const part = parseJson(`[${text}]`);
      if (!isList(part)) return;
      addWholeFloats(members, part, members.length);
      for (const item of part) members.push(item);
    } else {
      const part = parseJson(`{${text}}`);
      if (!isRecord(part)) return;
      addWholeFloats(members, part, 0);
      for (const name of Object.keys(part)) setOwn(members, name, part[name]);
    }
  }

  /** Whether a part of a container has none of the members that are asked. A part with a backslash may have them with other letters. */
  #lacks({ asked }: LargeContainer, start: number, end: number): boolean {
    if (asked === undefined) return false;
    const part = this.#json.subarray(start, end);
    return !part.includes(backslash) && !asked.some((name) => part.includes(name));
  }

  #textOf(start: number, end: number): string {
    return this.#json.toString('utf8', start, end);
  }
}

/** Adds the whole floats of a part, whose items follow the first `before` items of a list. */
function addWholeFloats(whole: JsonContainer, part: JsonContainer, before: number): void {
  const added = part[wholeFloats];
  if (added === undefined) return;
  const all = new Set(whole[wholeFloats]);
  for (const key of added) all.add(typeof key === 'number' ? key + before : key);
  whole[wholeFloats] = all;
}

/** The name of a member whose text is `"name":`. */
function nameOf(text: string): string {
  const member = parseJson(`{${text}0}`);
  return isRecord(member) ? (Object.keys(member)[0] ?? '') : '';
}

/**
 * parseJson in steps, for stored objects, which may be large: it takes little longer than parseJson, and less where it omits members. The large objects and
 * lists that `omits` selects are `OmittedMembers` in the result; those of which it names members may lack others.
 */
export function* parsingJson(json: Buffer, omits: Omits = () => false): Work<unknown> {
  const first = json[0];
  if (json.length <= bytesPerStep || (first !== openBrace && first !== openBracket) || !isUtf8(json)) {
    return parseJson(json);
  }
  const reader = new JsonPartReader(json, omits);
  while (!reader.advance(bytesPerStep)) yield;
  return reader.value;
}
