import { formatTime } from '@apichain/go-text';
import { currentTime } from '@apichain/meta';
import type { Manager } from './managed.ts';

const unknownManager = 'unknown';

export interface ManagerInfoOptions {
  /** The version of the endpoint, whose field names are used in the sets of its writers. */
  readonly apiVersion: string;
  readonly subresource: string;
  /** Milliseconds since the epoch. */
  readonly now?: (() => number) | undefined;
}

/**
 * Creates the managers for writes through an endpoint, and their times. Source: buildmanagerinfo.go and managedfieldsupdater.go of
 * k8s.io/apimachinery/pkg/util/managedfields/internal.
 */
export class ManagerInfo {
  readonly #options: ManagerInfoOptions;
  constructor(options: ManagerInfoOptions) {
    this.#options = options;
  }

  /** A manager with an empty set. `applied`: the operation is Apply, else Update. */
  build(name: string, applied: boolean): Manager {
    return {
      name: name === '' ? unknownManager : name,
      subresource: this.#options.subresource,
      applied,
      apiVersion: this.#options.apiVersion,
      set: {},
      time: undefined,
    };
  }

  /** The time for the entry of a manager that changes something now: RFC 3339 in whole seconds. */
  time(): string {
    return formatTime(new Date(this.now()));
  }

  /** The present time in milliseconds since the epoch. */
  now(): number {
    return (this.#options.now ?? currentTime)();
  }
}
