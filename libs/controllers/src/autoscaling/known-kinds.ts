import type { Discovery } from '../discovery.ts';

/** How a kind is served. */
interface ServedKind {
  readonly version: string;
  readonly resource: string;
}

/** The resources of kinds, as discovered. Autoscalers ask for the same ones every 15 seconds. */
export class KnownKinds {
  readonly #discovery: Discovery;
  readonly #known = new Map<string, ServedKind>();

  constructor(discovery: Discovery) {
    this.#discovery = discovery;
  }

  /** The resource of a kind in the preferred version of its group. Undefined if it is not served. */
  async find(group: string, kind: string): Promise<ServedKind | undefined> {
    const known = this.#known.get(`${group}/${kind}`);
    if (known !== undefined) return known;
    const { preferred } = await this.#discovery.fresh();
    const found = preferred.find((mapping) => mapping.group === group && mapping.kind === kind);
    if (found !== undefined) this.#known.set(`${group}/${kind}`, found);
    return found;
  }

  /** Asks again the next time: what is known may have led to an error. */
  forget(group: string, kind: string): void {
    this.#known.delete(`${group}/${kind}`);
  }
}
