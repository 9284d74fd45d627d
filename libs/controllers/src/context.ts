import type { Namespace } from '@apichain/api/core/v1';
import type { KeyObject } from 'node:crypto';
import {
  errorText,
  EventRecorder,
  Informer,
  type InformerOptions,
  type Logger,
  type ResourceReference,
  type RestClient,
} from '@apichain/client';
import type { KubeObject } from '@apichain/meta';
import type { CertificatePair } from '@apichain/serving/certificates';
import type { Discovery } from './discovery.ts';
import type { ControllerSettings } from './settings.ts';

/** The dependencies that every controller gets. */
export interface ControllerContext {
  readonly client: RestClient;
  readonly discovery: Discovery;
  /** Stops the controllers when aborted. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly settings: ControllerSettings;
  /** PEM text for `kube-root-ca.crt`. */
  readonly rootCa: string;
  /** Signs the tokens in Secrets. Without a key, Secrets get no tokens. */
  readonly tokenKey: KeyObject | undefined;
  /** Signs the certificates that are requested. Without it, nobody does. */
  readonly signer: CertificatePair | undefined;
  /** The informer of a resource, which all controllers share. `controllerParts` starts it, and whoever made it stops it. */
  readonly informer: <Kind extends KubeObject>(resource: ResourceReference<Kind>) => Informer<Kind>;
  /** See `metadataInformer` of SharedInformers. */
  readonly metadataInformer: (resource: ResourceReference) => Informer;
  /** The informer of whole objects of a resource, if a controller has asked for it. */
  readonly knownInformer: (resource: ResourceReference) => Informer | undefined;
  /** What `metadataInformer` returns, if a controller has asked for one of the two. */
  readonly knownMetadata: (resource: ResourceReference) => Informer | undefined;
}

/** A running controller. */
export interface Running {
  /** Resolves when the caches of the controller are in sync. */
  readonly synced: Promise<void>;
  /** Resolves when the controller has stopped. */
  readonly stopped: Promise<void>;
}

export type Controller = (context: ControllerContext) => Running;

/** What an informer follows. */
export type OwnInformerOptions = Omit<InformerOptions, 'client' | 'onError'>;

/** What an informer follows if it sees all objects of a resource. */
export type UnselectedInformerOptions = Omit<OwnInformerOptions, 'labelSelector' | 'fieldSelector'>;

/** Creates an informer that logs its failures under the name of the watched resource, and then calls `onError`. */
export function newInformer(
  context: Pick<ControllerContext, 'client' | 'log'>,
  { onError, ...options }: Omit<InformerOptions, 'client'>,
): Informer {
  const { client, log } = context;
  const { resource } = options.resource;
  return new Informer({
    ...options,
    client,
    onError: (error) => {
      log.error('watch failed', { resource, error: errorText(error) });
      onError?.(error);
    },
  });
}

/** Records Events under the name of a controller. Logs those that cannot be written. */
export function newEventRecorder({ client, signal, log }: ControllerContext, component: string): EventRecorder {
  return new EventRecorder({
    client,
    component,
    signal,
    onError: (error) => log.error('event was not recorded', { component, error: errorText(error) }),
  });
}

export const namespacesOf: ResourceReference<Namespace> = { group: '', version: 'v1', resource: 'namespaces' };

/** Whether a namespace is active, that is, accepts writes. */
export const isActive = (namespace: Namespace | undefined): boolean =>
  namespace?.status?.phase === 'Active' && namespace.metadata.deletionTimestamp === undefined;

/** Runs `task` for each item, at most `limit` at a time. All items are processed, then the first error is thrown. */
export async function forEachLimited<T>(
  items: Iterable<T>,
  limit: number,
  task: (item: T) => Promise<void>,
): Promise<void> {
  const errors: unknown[] = [];
  const iterator = items[Symbol.iterator]();
  const work = async () => {
    for (let next = iterator.next(); next.done !== true; next = iterator.next())
      await task(next.value).catch((error: unknown) => errors.push(error));
  };
  await Promise.all(Array.from({ length: limit }, work));
  if (errors.length > 0) throw errors[0];
}
