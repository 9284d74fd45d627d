import type { Authorizer } from '@apichain/authz';
import { RestClient, type Transport } from '@apichain/client';
import type { GroupResource, KubeObject } from '@apichain/meta';
import type { ResourceStores } from '@apichain/storage';
import { ConfigurationWatch } from './configuration-watch.ts';
import type { ObjectLookup } from './object-lookup.ts';
import { compileMutations, MutatingPolicies } from './policy/mutating.ts';
import { CustomKinds, paramFinder, resourceFinder, type ParamFinder, type ParamSources } from './policy/params.ts';
import { PolicySource } from './policy/source.ts';
import { compileValidations, ValidatingPolicies, type PolicyDependencies } from './policy/validating.ts';
import {
  OwnerReferencesPermissionEnforcement,
  type KindResolver,
} from './plugins/owner-references-permission-enforcement.ts';
import type { AdmissionObserver } from './observer.ts';
import type { PluginFactory } from './registry.ts';
import type { ReviewTypes } from './webhook/webhook-response.ts';
import { WebhookClient, type ServiceResolver } from './webhook/client.ts';
import type { WebhookDependencies } from './webhook/dispatch.ts';
import { MutatingWebhooks } from './webhook/mutating.ts';
import { WebhookSource } from './webhook/source.ts';
import type { WebhookUsers } from './webhook/users.ts';
import { ValidatingWebhooks } from './webhook/validating.ts';

const registration = (resource: string): GroupResource => ({ group: 'admissionregistration.k8s.io', resource });
/** The resources that configure admission. */
export const dynamicResources = {
  mutatingWebhooks: registration('mutatingwebhookconfigurations'),
  validatingWebhooks: registration('validatingwebhookconfigurations'),
  validatingPolicies: registration('validatingadmissionpolicies'),
  validatingBindings: registration('validatingadmissionpolicybindings'),
  mutatingPolicies: registration('mutatingadmissionpolicies'),
  mutatingBindings: registration('mutatingadmissionpolicybindings'),
} as const;

interface DynamicAdmissionOptions {
  /** The store of a resource; undefined = the resource is not served. Called at the first request or at startup. */
  readonly open: ResourceStores;
  readonly services: ServiceResolver;
  /** The credentials for calls to webhooks. */
  readonly webhookUsers?: { readonly mutating?: WebhookUsers; readonly validating?: WebhookUsers };
  /** The built-in types that responses of webhooks are decoded with. */
  readonly types: ReviewTypes;
  /** Reads the parameters of policies. */
  readonly lookup: ObjectLookup;
  /** Resources of the built-in kinds. */
  readonly builtin: ParamSources['builtin'];
  /** Reads parameters of custom kinds; not closed here. By default a client of the server itself, which serves them or delegates to their server. */
  readonly client?: RestClient;
  readonly onError?: (error: unknown) => void;
}

/** What the server passes to its post-start hooks. */
interface DynamicAdmissionStart {
  readonly signal: AbortSignal;
  readonly loopback: { connect(userAgent?: string): Transport };
}

/**
 * The part of admission that users configure with objects: the current configuration and the watches that keep it current.
 * Each server of the chain has one, over the store of the core server.
 */
export class DynamicAdmission {
  readonly mutatingWebhooks = new WebhookSource();
  readonly validatingWebhooks = new WebhookSource();
  readonly validatingPolicies = new PolicySource(compileValidations);
  readonly mutatingPolicies = new PolicySource(compileMutations);
  readonly params: ParamFinder;
  readonly resourceOf: KindResolver;
  readonly mutatingClient: WebhookClient;
  readonly validatingClient: WebhookClient;
  readonly #options: DynamicAdmissionOptions;
  #client: RestClient | undefined;
  #observer: AdmissionObserver | undefined;
  #watches: readonly ConfigurationWatch[] = [];

  constructor(options: DynamicAdmissionOptions) {
    this.#options = options;
    this.#client = options.client;
    const { services: resolver, types, webhookUsers: users = {} } = options;
    this.mutatingClient = new WebhookClient({ resolver, types, users: users.mutating });
    this.validatingClient = new WebhookClient({ resolver, types, users: users.validating });
    const custom = new CustomKinds(() => this.#client);
    this.params = paramFinder({ ...options, custom });
    this.resourceOf = resourceFinder({ ...options, custom });
  }

  /** From now on, reports every evaluation of a policy and every call of a webhook to `observer`. */
  observe(observer: AdmissionObserver): void {
    this.#observer = observer;
    this.mutatingClient.observer = observer.webhook;
    this.validatingClient.observer = observer.webhook;
  }

  get observer(): AdmissionObserver | undefined {
    return this.#observer;
  }

  /** Watches the configuration until `signal` aborts. Resolves when every watched resource has been listed. */
  async start({ signal, loopback }: DynamicAdmissionStart): Promise<void> {
    const own = this.#client === undefined ? new RestClient(loopback.connect('kube-apiserver')) : undefined;
    this.#client ??= own;
    const close = () => {
      this.mutatingClient.close();
      this.validatingClient.close();
      void own?.close();
    };
    signal.addEventListener('abort', close, { once: true });
    const watches = [
      this.#watch(dynamicResources.mutatingWebhooks, (found) => this.mutatingWebhooks.set(found)),
      this.#watch(dynamicResources.validatingWebhooks, (found) => this.validatingWebhooks.set(found)),
      this.#watch(dynamicResources.validatingPolicies, (found) => this.validatingPolicies.setPolicies(found)),
      this.#watch(dynamicResources.validatingBindings, (found) => this.validatingPolicies.setBindings(found)),
      this.#watch(dynamicResources.mutatingPolicies, (found) => this.mutatingPolicies.setPolicies(found)),
      this.#watch(dynamicResources.mutatingBindings, (found) => this.mutatingPolicies.setBindings(found)),
    ];
    this.#watches = watches;
    for (const watch of watches) void watch.run(signal);
    await Promise.all(watches.map((watch) => watch.waitForSync()));
  }

  /** Applies every write of the configuration that was acknowledged before the call. Rejects with the errors of a list. */
  async refresh(signal?: AbortSignal): Promise<void> {
    await Promise.all(this.#watches.map((watch) => watch.refresh(signal)));
  }

  #watch(resource: GroupResource, onChange: (objects: readonly KubeObject[]) => void): ConfigurationWatch {
    const { open, onError } = this.#options;
    return new ConfigurationWatch({
      store: open(resource),
      onChange,
      onError,
    });
  }
}

/** The plugins over `dynamic`, by name; empty when it is absent. */
export function dynamicPlugins(needed: {
  readonly lookup: ObjectLookup;
  readonly authorizer: Authorizer;
  readonly dynamic?: DynamicAdmission;
}): Readonly<Record<string, PluginFactory>> {
  const { dynamic, lookup, authorizer } = needed;
  if (dynamic === undefined) return {};
  const calling = (client: WebhookClient): WebhookDependencies => ({ lookup, authorizer, client });
  const policies: PolicyDependencies = {
    lookup,
    authorizer,
    params: dynamic.params,
    checked: (check) => dynamic.observer?.policyCheck(check),
  };
  return {
    MutatingAdmissionPolicy: () => new MutatingPolicies(dynamic.mutatingPolicies, policies),
    ValidatingAdmissionPolicy: () => new ValidatingPolicies(dynamic.validatingPolicies, policies),
    MutatingAdmissionWebhook: () => new MutatingWebhooks(dynamic.mutatingWebhooks, calling(dynamic.mutatingClient)),
    OwnerReferencesPermissionEnforcement: () =>
      new OwnerReferencesPermissionEnforcement(authorizer, dynamic.resourceOf),
    ValidatingAdmissionWebhook: () =>
      new ValidatingWebhooks(dynamic.validatingWebhooks, calling(dynamic.validatingClient)),
  };
}
