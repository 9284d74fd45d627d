import { setTimeout as delay } from 'node:timers/promises';
import type { RestClient } from '@apichain/client';
import { isStatusError, record, records, text, type KubeObject } from '@apichain/meta';
import { callError } from './registration-error.ts';
import { describeObject, resourceOf } from './registered-objects.ts';

const pollMs = 250;

/** The Available condition of an APIService. */
export interface Availability {
  readonly isAvailable: boolean;
  /** Why it is not available; empty while the API server has not tried yet. */
  readonly message: string;
}

/** The condition of an APIService as soon as it is available or cannot become so; at the latest after `timeoutMs`. */
export async function waitUntilAvailable(
  client: RestClient,
  apiService: KubeObject,
  timeoutMs: number,
): Promise<Availability> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const availability = await readAvailability(client, apiService);
    if (availability.isAvailable || refusesExternalNames(availability) || Date.now() >= end) return availability;
    await delay(pollMs);
  }
}

async function readAvailability(client: RestClient, apiService: KubeObject): Promise<Availability> {
  try {
    const { status } = await client.get(resourceOf(apiService), apiService.metadata.name ?? '');
    const conditions = records(record(status)['conditions']);
    const condition = record(conditions.find(({ type }) => type === 'Available'));
    return { isAvailable: condition['status'] === 'True', message: text(condition['message']) };
  } catch (error) {
    if (isStatusError(error) && error.code === 404) return { isAvailable: false, message: 'it was deleted' };
    // It is registered already. An API server that restarts meanwhile responds again, and first with refusals.
    return { isAvailable: false, message: callError(`cannot read ${describeObject(apiService)}`, error).message };
  }
}

/** Whether the API server refuses Services of type ExternalName, as kube-apiserver with --enable-aggregator-routing does. */
export const refusesExternalNames = ({ message }: Availability): boolean =>
  message.includes('unsupported service type "ExternalName"');
