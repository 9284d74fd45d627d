import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { Chain } from './chain.ts';

export interface WatchEvent {
  readonly type: string;
  readonly object: {
    readonly kind: string;
    readonly metadata: {
      readonly name?: string;
      readonly resourceVersion: string;
      readonly annotations?: Record<string, string>;
    };
    readonly code?: number;
    readonly message?: string;
  };
}

/** An answer that is read piece by piece: cut into frames by `split`, which returns the first frame's end or -1. */
export class Frames {
  readonly answer: IncomingMessage;
  #rest: Buffer = Buffer.alloc(0);
  #chunks: AsyncIterator<Buffer>;
  #split: (rest: Buffer) => number;

  constructor(answer: IncomingMessage, split: (rest: Buffer) => number) {
    this.answer = answer;
    this.#split = split;
    this.#chunks = answer[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  /** The next frame with its line feed or length; undefined when the server ended the answer. */
  async next(): Promise<Buffer | undefined> {
    for (;;) {
      const end = this.#split(this.#rest);
      if (end >= 0) {
        const frame = this.#rest.subarray(0, end);
        this.#rest = this.#rest.subarray(end);
        return frame;
      }
      const chunk = await this.#chunks.next();
      if (chunk.done === true) return undefined;
      this.#rest = Buffer.concat([this.#rest, chunk.value]);
    }
  }

  close(): void {
    this.answer.destroy();
  }
}

const lineEnd = (rest: Buffer): number => rest.indexOf(0x0a) + 1 || -1;
const lengthPrefixed = (rest: Buffer): number =>
  rest.length < 4 || rest.length < rest.readUInt32BE(0) + 4 ? -1 : rest.readUInt32BE(0) + 4;

/** Starts a watch as the administrator; resolves when the status line is there. */
export function openFrames(
  { url, admin }: Pick<Chain, 'url' | 'admin'>,
  path: string,
  headers: Record<string, string> = {},
): Promise<Frames> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url + path, { ...admin, headers, agent: false }, (incoming) =>
      resolve(new Frames(incoming, (headers['accept'] ?? '').includes('protobuf') ? lengthPrefixed : lineEnd)),
    );
    outgoing.on('error', reject);
    outgoing.end();
  });
}

export interface JsonWatch {
  readonly status: number;
  next(): Promise<WatchEvent | undefined>;
  /** The next `count` events, as `TYPE name`. */
  take(count: number): Promise<string[]>;
  close(): void;
}

/** A watch in JSON. */
export async function openWatch(chain: Pick<Chain, 'url' | 'admin'>, path: string): Promise<JsonWatch> {
  const frames = await openFrames(chain, path);
  const next = async (): Promise<WatchEvent | undefined> => {
    const frame = await frames.next();
    return frame === undefined ? undefined : (JSON.parse(frame.toString('utf8')) as WatchEvent);
  };
  return {
    status: frames.answer.statusCode ?? 0,
    next,
    async take(count) {
      const taken: string[] = [];
      while (taken.length < count) {
        const event = await next();
        if (event === undefined) break;
        taken.push(`${event.type} ${event.object.metadata.name ?? ''}`.trim());
      }
      return taken;
    },
    close: () => frames.close(),
  };
}
