import type { DocumentFacts } from '../document-facts.ts';
import { newTooManyMembers } from '../member-limit.ts';
import type { SteppedWork } from '../turns.ts';
import { arrayFrame, objectFrame, type Frame } from './frame.ts';
import type { JsonNumberError } from './json-error.ts';
import { NumberReader } from './numbers.ts';
import { RepeatNotes } from './repeats.ts';
import { beginsNumber, JsonScanner } from './scanner.ts';

/** A document, and facts of its text that the value does not show. */
export interface ParsedJson {
  value: unknown;
  /** Paths such as `spec.containers[0].name` that occur more than once. Each is listed once, at most 100 in total. */
  duplicateFields: string[];
  facts: DocumentFacts | undefined;
  /** The error of the first number that does not fit float64; the value of that number is infinite. */
  numberError?: JsonNumberError;
}

/** Is called for every key, with the container's frame, the frames around it, and whether the container had the key before. */
export interface KeyListener {
  onKey(stack: readonly Frame[], repeated: boolean): void;
  /** True when the listener needs no further keys, so that the rest of the text need not be read. */
  readonly isDone: boolean;
}

export interface JsonReaderOptions {
  readonly listener?: KeyListener;
  /** A document with more members at all depths is refused. Unlimited if absent. */
  readonly mostMembers?: number;
}

/** The deepest nesting that Go's decoder accepts. */
const maxDepth = 10_000;

/** Returned in place of a finished value if a container has just been opened. */
const opened = Symbol('opened container');
const unread = Symbol('unread document');

function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else object[key] = value;
}

/**
 * Reads JSON as Go's encoding/json and sigs.k8s.io/json do, one character at a time and without recursion: int64 beyond 2^53 as bigint,
 * duplicate keys recorded (the last value is kept), lone surrogates replaced by U+FFFD.
 */
export class JsonReader implements SteppedWork {
  readonly #scanner: JsonScanner;
  readonly #stack: Frame[] = [];
  readonly #repeats = new RepeatNotes();
  readonly #numbers = new NumberReader();
  readonly #listener: KeyListener | undefined;
  #membersLeft: number;
  /** The value that was read last, `unread` before the first. */
  #finished: unknown = unread;

  constructor(text: string, { listener, mostMembers = Infinity }: JsonReaderOptions = {}) {
    this.#scanner = new JsonScanner(text);
    this.#listener = listener;
    this.#membersLeft = mostMembers;
  }

  /**
   * Reads up to `values` values. Returns whether the document is complete. Throws JsonSyntaxError; RequestEntityTooLarge for too many
   * members.
   */
  advance(values: number): boolean {
    let value = this.#finished === unread ? this.#value() : this.#finished;
    for (let left = values; left > 0; left--) {
      const frame = this.#stack[this.#stack.length - 1];
      if (frame === undefined || this.#listener?.isDone === true) {
        this.#finished = value;
        return true;
      }
      value = value === opened ? this.#first(frame) : this.#next(frame, value);
    }
    this.#finished = value;
    return false;
  }

  /** The document. To be called when it is complete. Throws JsonSyntaxError. */
  result(): ParsedJson {
    const value = this.#finished;
    this.#scanner.peek();
    if (!this.#scanner.isAtEnd) this.#scanner.fail('after top-level value');
    const repeats = this.#repeats.ofDocument;
    const { literals, error } = this.#numbers;
    const hasFacts = repeats !== undefined || literals.size > 0;
    return {
      value,
      duplicateFields: this.#repeats.paths,
      facts: hasFacts ? { numberLiterals: literals, repeats } : undefined,
      ...(error === undefined ? {} : { numberError: error }),
    };
  }

  /** Reads the first value of a container, or its end. Returns the finished value. */
  #first(frame: Frame): unknown {
    const close = frame.object === undefined ? 93 : 125;
    if (this.#scanner.peek() === close) return this.#close(frame);
    if (frame.object !== undefined) this.#key(frame, frame.object);
    return this.#value();
  }

  /** Stores a finished value in its container and reads on. Returns the next finished value. */
  #next(frame: Frame, finished: unknown): unknown {
    if (--this.#membersLeft < 0) throw newTooManyMembers();
    this.#repeats.store(frame);
    if (frame.object !== undefined) setOwn(frame.object, frame.key, finished);
    else frame.array?.push(finished);
    const code = this.#scanner.peek();
    if (frame.object !== undefined) {
      if (code === 125) return this.#close(frame);
      if (code !== 44) this.#scanner.fail('after object key:value pair');
      this.#scanner.pass();
      this.#key(frame, frame.object);
    } else {
      if (code === 93) return this.#close(frame);
      if (code !== 44) this.#scanner.fail('after array element');
      this.#scanner.pass();
    }
    return this.#value();
  }

  /** Called when the innermost container is complete, and therefore a finished value itself. */
  #close(frame: Frame): unknown {
    this.#scanner.pass();
    this.#stack.pop();
    this.#repeats.close(frame);
    return frame.object ?? frame.array;
  }

  #key(frame: Frame, object: Record<string, unknown>): void {
    const scanner = this.#scanner;
    if (scanner.peek() !== 34) scanner.fail('looking for beginning of object key string');
    frame.key = scanner.takeString();
    const repeated = Object.hasOwn(object, frame.key);
    if (repeated) this.#repeats.note(this.#stack, frame, object[frame.key]);
    this.#listener?.onKey(this.#stack, repeated);
    if (scanner.peek() !== 58) scanner.fail('after object key');
    scanner.pass();
  }

  #value(): unknown {
    const scanner = this.#scanner;
    const code = scanner.peek();
    switch (code) {
      case 34:
        return scanner.takeString();
      case 123:
        return this.#open(objectFrame());
      case 91:
        return this.#open(arrayFrame());
      case 116:
        scanner.takeWord('true');
        return true;
      case 102:
        scanner.takeWord('false');
        return false;
      case 110:
        scanner.takeWord('null');
        return null;
      default:
        if (!beginsNumber(code)) return scanner.fail('looking for beginning of value');
        return this.#numbers.read(scanner.takeNumber(), scanner.isInteger, this.#stack);
    }
  }

  #open(frame: Frame): typeof opened {
    if (this.#stack.length >= maxDepth) this.#scanner.fail('exceeded max depth');
    this.#stack.push(frame);
    this.#scanner.pass();
    return opened;
  }
}

/** Reads a JSON text completely. Throws JsonSyntaxError; RequestEntityTooLarge for more than `mostMembers` members. */
export function readJson(text: string, mostMembers = Infinity): ParsedJson {
  const reader = new JsonReader(text, { mostMembers });
  reader.advance(Infinity);
  return reader.result();
}
