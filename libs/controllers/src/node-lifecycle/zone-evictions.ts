import type { Node } from '@apichain/api/core/v1';
import type { ControllerSettings } from '../settings.ts';
import { readinessOf } from './health.ts';
import { type ZoneState, ZoneLimiter, evictionRate, isExcluded, stateOfZone, zoneOf } from './zones.ts';

interface Zone {
  state: ZoneState;
  readonly limiter: ZoneLimiter;
  /** Names of nodes that wait for the taint that evicts their pods. */
  readonly waiting: Set<string>;
}

/** What a change of the states of zones means for all nodes. */
type ClusterChange = 'none' | 'allDisrupted' | 'recovered';

/** The nodes of each zone that wait for the taint that evicts their pods, and how fast they get it. */
export class ZoneEvictions {
  readonly #settings: ControllerSettings;
  readonly #zones = new Map<string, Zone>();

  constructor(settings: ControllerSettings) {
    this.#settings = settings;
  }

  /** Adds a node to the queue of its zone. */
  wait(node: Node, now: number): void {
    this.#zone(zoneOf(node), now).waiting.add(node.metadata.name ?? '');
  }

  /** Takes a node out of the queue. */
  leave(node: Node): void {
    this.#zones.get(zoneOf(node))?.waiting.delete(node.metadata.name ?? '');
  }

  get zones(): Iterable<string> {
    return this.#zones.keys();
  }

  /** The names of nodes of a zone that may be evicted now, and after how many milliseconds the next may be. */
  next(zone: string, now: number): { readonly names: readonly string[]; readonly delayMs: number } {
    const { waiting, limiter } = this.#zone(zone, now);
    const names: string[] = [];
    for (const name of waiting) {
      const delayMs = limiter.take(now);
      if (delayMs > 0) return { names, delayMs };
      names.push(name);
      waiting.delete(name);
    }
    return { names, delayMs: Infinity };
  }

  /** Derives the states of zones from their nodes. If no node of any zone is ready, rather this side is cut off: evictions end. */
  update(nodes: readonly Node[], now: number): ClusterChange {
    const counted = Map.groupBy(
      nodes.filter((node) => !isExcluded(node)),
      zoneOf,
    );
    const states = new Map<string, ZoneState>();
    for (const [zone, members] of counted) {
      const ready = members.filter((node) => readinessOf(node) === 'True').length;
      states.set(zone, stateOfZone(ready, members.length - ready, this.#settings));
      this.#zone(zone, now);
    }
    for (const zone of this.#zones.keys()) if (!counted.has(zone)) this.#zones.delete(zone);
    const isDisrupted = (state: ZoneState | undefined) => state === 'FullDisruption';
    const all = [...states.values()].every(isDisrupted);
    const were = [...this.#zones.values()].every(({ state }) => isDisrupted(state));
    if (all && were) return 'none';
    for (const [name, zone] of this.#zones) {
      const state = states.get(name) ?? 'Normal';
      if (zone.state === state && !all && !were) continue;
      zone.state = state;
      zone.limiter.setRate(all ? 0 : evictionRate(state, counted.get(name)?.length ?? 0, this.#settings), now);
    }
    if (all) return 'allDisrupted';
    return were ? 'recovered' : 'none';
  }

  #zone(name: string, now: number): Zone {
    const known = this.#zones.get(name);
    if (known !== undefined) return known;
    const zone: Zone = {
      state: 'Initial',
      limiter: new ZoneLimiter(this.#settings['node-eviction-rate'], now),
      waiting: new Set(),
    };
    this.#zones.set(name, zone);
    return zone;
  }
}
