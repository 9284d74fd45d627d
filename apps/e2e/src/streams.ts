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

/** Reads a response in frames. `split` returns the end of the first frame, or -1 if the frame is not complete. */
export class Frames {
  readonly response: IncomingMessage;
  #rest: Buffer = Buffer.alloc(0);
  #chunks: AsyncIterator<Buffer>;
  #split: (rest: Buffer) => number;

  constructor(response: IncomingMessage, split: (rest: Buffer) => number) {
    this.response = response;
    this.#split = split;
    this.#chunks = response[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  /** The next frame, including its line feed or length prefix. Undefined when the server has ended the response. */
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
    this.response.destroy();
  }
}

const lineEnd = (rest: Buffer): number => rest.indexOf(0x0a) + 1 || -1;
const lengthPrefixed = (rest: Buffer): number =>
  rest.length < 4 || rest.length < rest.readUInt32BE(0) + 4 ? -1 : rest.readUInt32BE(0) + 4;

/** Starts a watch as the administrator. Resolves when the response headers have arrived. */
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

interface JsonWatch {
  readonly status: number;
  next(): Promise<WatchEvent | undefined>;
  /** Returns the next `count` events, as `TYPE name`. */
  take(count: number): Promise<string[]>;
  close(): void;
}

/** Opens a watch with JSON events. */
export async function openWatch(chain: Pick<Chain, 'url' | 'admin'>, path: string): Promise<JsonWatch> {
  const frames = await openFrames(chain, path);
  const next = async (): Promise<WatchEvent | undefined> => {
    const frame = await frames.next();
    return frame === undefined ? undefined : (JSON.parse(frame.toString('utf8')) as WatchEvent);
  };
  return {
    status: frames.response.statusCode ?? 0,
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
