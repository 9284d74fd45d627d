import { getJson } from '../api/api.ts';

/** The User-Agent that the server gives the requests of the console. */
export const consoleAgent = 'apichain-console';

/** A part of the work on a request. Times are milliseconds after the first service received it. */
export interface PartTime {
  readonly name: string;
  readonly start: number;
  readonly milliseconds: number;
}

export interface ServiceTime extends Omit<PartTime, 'name'> {
  readonly service: string;
  readonly parts: readonly PartTime[];
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
  /** Newest first. */
  readonly items: readonly RequestRecord[];
}

export const readRequests = (): Promise<RequestList> => getJson<RequestList>('/console/requests');
