import type { Engine } from '../engine/engine.ts';
import type { WatchStream } from './watch-stream.ts';

/** Publishes durable changes to every watch stream. */
export class WatchHub {
  readonly #engine: Engine;
  readonly #streams = new Set<WatchStream>();
  readonly #progress: NodeJS.Timeout;
  #published: number;

  /** A watch without events gets a progress notification every `progressInterval` milliseconds, if it requested them. */
  constructor(engine: Engine, progressInterval: number) {
    this.#engine = engine;
    this.#published = engine.revision;
    engine.onDurable = () => {
      this.#publish();
    };
    this.#progress = setInterval(() => {
      for (const stream of this.#streams) stream.notifyProgress();
    }, progressInterval).unref();
  }

  add(stream: WatchStream): void {
    this.#streams.add(stream);
  }

  remove(stream: WatchStream): void {
    this.#streams.delete(stream);
  }

  close(): void {
    clearInterval(this.#progress);
    this.#engine.onDurable = undefined;
  }

  #publish(): void {
    const { events } = this.#engine.store;
    const changes = events.all.slice(events.position(this.#published + 1), events.position(this.#engine.revision + 1));
    this.#published = this.#engine.revision;
    for (const stream of this.#streams) stream.publish(changes);
  }
}
