import type { IncomingMessage } from 'node:http';
import { isRecord } from '@apichain/meta';
import type { RequestScope } from '../request-scope.ts';
import { watchResponse } from '../response-watch.ts';
import type { PartTime, ServiceTime } from './request-times.ts';

/*
 * The services behind the first one measure a request only if a header of it asks for that, and report their times in a header of the response. Both
 * headers are only sent within the chain.
 */

/** In a request: `1`. In a response: the ServiceTimes as JSON, relative to when the service got the request. */
export const timesHeader = 'X-Apichain-Times';
const lowerTimesHeader = timesHeader.toLowerCase();

/** Measures a request for the previous server, if it asks for that. Must be called only for requests of the chain. */
export function relayTimes({ headers }: IncomingMessage, scope: RequestScope, service: string): void {
  if (headers[lowerTimesHeader] === undefined) return;
  const times = scope.measure(service);
  const { response } = scope;
  watchResponse(response, {
    head: () => response.setHeader(timesHeader, JSON.stringify(times.services)),
    end: () => undefined,
  });
}

/** Adds the times in the headers of a response, and removes them from the flat list. `sentAt`: when the request was sent, by `RequestTimes.elapsed`. */
export function takeTimesOf({ times }: RequestScope, headers: string[], sentAt: number): void {
  if (times === undefined) return;
  for (let i = 0; i + 1 < headers.length; i += 2) {
    if (headers[i]?.toLowerCase() !== lowerTimesHeader) continue;
    times.take(readServices(headers[i + 1] ?? ''), sentAt);
    headers.splice(i, 2);
    return;
  }
}

/** What is not as expected, from a service of another version, is left out. */
function readServices(header: string): ServiceTime[] {
  let value: unknown;
  try {
    value = JSON.parse(header);
  } catch {
    return [];
  }
  return Array.isArray(value) ? value.filter(isServiceTime) : [];
}

const isServiceTime = (value: unknown): value is ServiceTime =>
  isRecord(value) &&
  typeof value['service'] === 'string' &&
  isTime(value['start']) &&
  isTime(value['milliseconds']) &&
  Array.isArray(value['parts']) &&
  value['parts'].every(isPartTime) &&
  (value['wrote'] === undefined || (Array.isArray(value['wrote']) && value['wrote'].every(Number.isSafeInteger)));

const isPartTime = (value: unknown): value is PartTime =>
  isRecord(value) && typeof value['name'] === 'string' && isTime(value['start']) && isTime(value['milliseconds']);

const isTime = (value: unknown): boolean => typeof value === 'number' && value >= 0;
