import { getJson } from '../api/api.ts';

/** The User-Agent that the server gives the requests of the console. */
export const consoleAgent = 'apichain-console';

/** The services of a chain, in the order in which they get a request. */
export const chain = ['aggregator', 'kube-core', 'apiextensions'] as const;
/** Whether a service is one of the chain itself, and no extension API server. */
export const isOfChain = (service: string): boolean => chain.some((known) => known === service);

/** A part of the work on a request. Times are milliseconds after the first service received it. */
export interface PartTime {
  readonly name: string;
  readonly start: number;
  readonly milliseconds: number;
}

export interface ServiceTime extends Omit<PartTime, 'name'> {
  readonly service: string;
  readonly parts: readonly PartTime[];
  /** The resourceVersions of what it has stored and deleted. Extension API servers do not tell them. */
  readonly wrote?: readonly number[];
}

/** A finished request, as the server keeps it. */
export interface RequestRecord {
  readonly auditID: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly milliseconds: number;
  readonly user: string;
  readonly userAgent: string;
  readonly verb: string;
  readonly method: string;
  readonly uri: string;
  readonly resource?: {
    readonly group: string;
    readonly version: string;
    readonly resource: string;
    readonly subresource: string;
    readonly namespace: string;
    readonly name: string;
  };
  readonly code: number;
  readonly answeredBy: string;
  readonly services: readonly ServiceTime[];
}

export interface RequestList {
  /** Whether the requests of other users are shown. */
  readonly isAll: boolean;
  /** After which requests can be asked for. */
  readonly position: number;
  /** Newest first. */
  readonly items: readonly RequestRecord[];
}

export const readRequests = (): Promise<RequestList> => getJson<RequestList>('/console/requests');

/** The requests that may have changed an object, of those that were finished after a position. */
export const readWrites = (after: number, signal: AbortSignal): Promise<RequestList> =>
  getJson<RequestList>(`/console/requests?writes=true&after=${after}`, 'application/json', signal);

/** The resourceVersions of what a request has stored and deleted. */
export const writtenBy = ({ services }: Pick<RequestRecord, 'services'>): readonly number[] =>
  services.flatMap(({ wrote = [] }) => wrote);
