import type { Authorizer } from '@apichain/authz';
import type { GroupResource } from '@apichain/meta';
import { ConfigurationWatch } from './configuration-watch.ts';
import type { ObjectLookup } from './object-lookup.ts';
import type { PluginFactory } from './registry.ts';
import type { LookupStore } from './storage-lookup.ts';
import { WebhookClient, type ServiceResolver } from './webhook/client.ts';
import type { WebhookDependencies } from './webhook/dispatch.ts';
import { MutatingWebhooks } from './webhook/mutating.ts';
import { WebhookSource } from './webhook/source.ts';
import { ValidatingWebhooks } from './webhook/validating.ts';

const registration = (resource: string): GroupResource => ({ group: 'admissionregistration.k8s.io', resource });
/** The resources that configure admission. */
export const dynamicResources = {
  mutatingWebhooks: registration('mutatingwebhookconfigurations'),
  validatingWebhooks: registration('validatingwebhookconfigurations'),
} as const;

export interface DynamicAdmissionOptions {
  /** Where a resource is kept; undefined = it is not served. Asked when the first request or the start comes. */
  readonly open: (resource: GroupResource) => LookupStore | undefined;
  readonly services: ServiceResolver;
  readonly onError?: (error: unknown) => void;
}

/**
 * The part of admission that users configure with objects: what is configured now, and what keeps it up to date. One for each server of the
 * chain, over the store of the core server.
 */
export class DynamicAdmission {
  readonly mutatingWebhooks = new WebhookSource();
  readonly validatingWebhooks = new WebhookSource();
  readonly client: WebhookClient;
  readonly #options: DynamicAdmissionOptions;

  constructor(options: DynamicAdmissionOptions) {
    this.#options = options;
    this.client = new WebhookClient(options.services);
  }

  /** Follows the configuration until `signal` aborts. Resolves when all of it is known. */
  async start(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.client.close(), { once: true });
    const watches = [
      this.#watch(dynamicResources.mutatingWebhooks, this.mutatingWebhooks),
      this.#watch(dynamicResources.validatingWebhooks, this.validatingWebhooks),
    ];
    for (const watch of watches) void watch.run(signal);
    await Promise.all(watches.map((watch) => watch.waitForSync()));
  }

  #watch(resource: GroupResource, source: WebhookSource): ConfigurationWatch {
    const { open, onError } = this.#options;
    return new ConfigurationWatch({
      store: open(resource),
      onChange: (objects) => source.set(objects),
      ...(onError === undefined ? {} : { onError }),
    });
  }
}

/** The plugins over it, by name; none without it. */
export function dynamicPlugins(needed: {
  readonly lookup: ObjectLookup;
  readonly authorizer: Authorizer;
  readonly dynamic?: DynamicAdmission;
}): Readonly<Record<string, PluginFactory>> {
  const { dynamic, lookup, authorizer } = needed;
  if (dynamic === undefined) return {};
  const dependencies: WebhookDependencies = { lookup, authorizer, client: dynamic.client };
  return {
    MutatingAdmissionWebhook: () => new MutatingWebhooks(dynamic.mutatingWebhooks, dependencies),
    ValidatingAdmissionWebhook: () => new ValidatingWebhooks(dynamic.validatingWebhooks, dependencies),
  };
}
