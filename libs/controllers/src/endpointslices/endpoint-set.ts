import type { Endpoint } from '@apichain/api/discovery/v1';
import { semanticEqual } from '@apichain/meta';

/** Endpoints that are to be placed in slices. An endpoint is identified by its addresses, its host name and the object that it refers to. */
export class EndpointSet {
  readonly #endpoints = new Map<string, Endpoint>();

  add(endpoint: Endpoint): void {
    this.#endpoints.set(identityOf(endpoint), endpoint);
  }

  /** Removes and returns the wanted state of an endpoint. */
  take(endpoint: Endpoint): Endpoint | undefined {
    const id = identityOf(endpoint);
    const wanted = this.#endpoints.get(id);
    this.#endpoints.delete(id);
    return wanted;
  }

  /** Removes and returns the first endpoints. */
  takeFirst(count: number): Endpoint[] {
    const taken = [...this.#endpoints].slice(0, count);
    for (const [id] of taken) this.#endpoints.delete(id);
    return taken.map(([, endpoint]) => endpoint);
  }

  get size(): number {
    return this.#endpoints.size;
  }
}

const identityOf = ({ addresses, hostname = '', targetRef }: Endpoint): string =>
  JSON.stringify([[...(addresses ?? [])].sort(), hostname, targetRef?.namespace ?? '', targetRef?.name ?? '']);

/** Whether two endpoints with the same identity are equal to clients. Hints and the version of the referenced object do not count. */
export function isSameEndpoint(left: Endpoint, right: Endpoint): boolean {
  const compared = ({ nodeName, zone, conditions, targetRef }: Endpoint) => ({
    nodeName,
    zone,
    ready: conditions?.ready,
    serving: conditions?.serving,
    terminating: conditions?.terminating,
    reference: [targetRef?.kind, targetRef?.uid, targetRef?.apiVersion, targetRef?.fieldPath].map((part) => part ?? ''),
  });
  return semanticEqual(compared(left), compared(right));
}
