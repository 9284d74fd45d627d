import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject } from '@apichain/meta';
import type { ApiServer, RawResponse, WatchLine } from './api-server.ts';
import { canonicalText, firstDifference, withVersionFirst } from './canonical-text.ts';
import type { Cluster } from './cluster.ts';

const readAttempts = 3;
/** How long after the last write its events have arrived. */
const arrivalMs = 1_500;

/** The status and the object of a response as text. */
export const textOf = ({ status, bytes }: RawResponse): string => `${status}\n${canonicalText(bytes)}`;

/** The first lines in which the responses of both servers to a GET differ. */
export async function readDifference({ servers }: Cluster, path: string): Promise<string | undefined> {
  const [expected, actual] = [await servers[0].send('GET', path), await servers[1].send('GET', path)].map(textOf);
  return expected === actual ? undefined : firstDifference(expected ?? '', actual ?? '');
}

/** Compares again for a while: the servers may write between the reads, which changes the resourceVersion of lists. */
export async function lastDifference<Difference>(
  compare: () => Promise<Difference>,
  differs: (difference: Difference) => boolean,
): Promise<Difference> {
  let difference = await compare();
  for (let attempt = 0; attempt < readAttempts && differs(difference); attempt++) {
    await sleep(200);
    difference = await compare();
  }
  return difference;
}

/** Writes what the server reads, with a manager, which is the one that created the object. */
export async function putBack(server: ApiServer, path: string, query = '?fieldManager=creator'): Promise<void> {
  await server.json('PUT', `${path}${query}`, { body: (await server.send('GET', path)).bytes });
}

/** Watches of both servers from the same version of a collection on. */
export class BothWatches {
  readonly path: string;
  /** The events that each has brought. */
  readonly lines: readonly [WatchLine[], WatchLine[]] = [[], []];
  readonly #watches: { stop(): Promise<void> }[] = [];

  private constructor(path: string) {
    this.path = path;
  }

  static async open({ servers }: Cluster, path: string): Promise<BothWatches> {
    const { metadata } = await servers[0].json<KubeObject>('GET', path);
    const both = new BothWatches(path);
    for (const [index, lines] of both.lines.entries())
      both.#watches.push(
        await (servers[index] ?? servers[0]).watch(
          `${path}?watch=true&resourceVersion=${metadata.resourceVersion}`,
          (line) => lines.push(line),
        ),
      );
    return both;
  }

  /** Ends the watches. Returns in what their events differ, or that there are none. */
  async difference(): Promise<string | undefined> {
    for (const watch of this.#watches) await watch.stop();
    const [expected = '', actual = ''] = this.lines.map((each) =>
      JSON.stringify(each.map(withVersionFirst), undefined, 1),
    );
    if (this.lines[0].length === 0) return 'no events';
    return expected === actual ? undefined : firstDifference(expected, actual);
  }

  /** As `difference`, of several, when the events of the last writes have arrived. */
  static async differences(all: readonly BothWatches[]): Promise<(readonly [path: string, string | undefined])[]> {
    await sleep(arrivalMs);
    return Promise.all(all.map(async (each) => [each.path, await each.difference()] as const));
  }
}
