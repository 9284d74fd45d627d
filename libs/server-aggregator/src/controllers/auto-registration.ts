import type { Informer, RestClient } from '@apichain/client';
import { WorkQueue, type WorkQueueObserver, runWorkers } from '@apichain/client';
import { isStatusError } from '@apichain/meta';
import { type ApiService, type ApiServiceSpec, apiServices, autoManagedLabel } from '../apiservice/api-service.ts';
import type { Priority } from '../priorities.ts';

const workers = 5;

/** `onstart`: created once after the start, then under the control of users until the next start. `true`: corrected continuously. */
type AutoManaged = 'onstart' | 'true';

interface DesiredApiService {
  readonly group: string;
  readonly version: string;
  readonly priority: Priority;
  readonly managed: AutoManaged;
}

/**
 * Creates, repairs and deletes the APIServices of the groups that this chain serves itself, after kube-aggregator's autoregister controller.
 * Objects without the label belong to users and are not changed.
 */
export class AutoRegistration {
  readonly #client: RestClient;
  readonly #informer: Informer;
  readonly #onError: (name: string, error: unknown) => void;
  readonly #desired = new Map<string, DesiredApiService>();
  /** The APIServices that were there before the workers started. */
  readonly #atStart = new Set<string>();
  /** Names that were once brought into step. What is managed on start is left to users from then on. */
  readonly #synced = new Set<string>();
  readonly #queue: WorkQueue;

  /** `informer` watches the APIServices. */
  constructor(
    client: RestClient,
    informer: Informer,
    onError: (name: string, error: unknown) => void,
    observer?: WorkQueueObserver,
  ) {
    this.#queue = new WorkQueue({ observer });
    this.#client = client;
    this.#informer = informer;
    this.#onError = onError;
    const enqueue = (object: { metadata: { name?: string } }) => this.#queue.add(object.metadata.name ?? '');
    informer.addHandlers({ onAdd: enqueue, onUpdate: enqueue, onDelete: enqueue });
  }

  /** The group-version is served: creates and maintains an APIService for it. */
  add(desired: DesiredApiService): void {
    const name = nameOf(desired);
    this.#desired.set(name, desired);
    this.#queue.add(name);
  }

  /** The group-version is no longer served: removes its APIService if this controller created it. */
  remove(group: string, version: string): void {
    const name = nameOf({ group, version });
    this.#desired.delete(name);
    this.#queue.add(name);
  }

  /** Names that have not been created yet. */
  missing(): string[] {
    return [...this.#desired.keys()].filter(
      (name) => this.#informer.get(name) === undefined && !this.#synced.has(name),
    );
  }

  async run(): Promise<void> {
    for (const { metadata } of this.#informer.list()) this.#atStart.add(metadata.name ?? '');
    await runWorkers(this.#queue, workers, (name) => this.#reconcile(name), this.#onError);
  }

  stop(): void {
    this.#queue.shutDown();
  }

  async #reconcile(name: string): Promise<void> {
    const desired = this.#desired.get(name);
    const current = this.#informer.get(name) as ApiService | undefined;
    if (desired === undefined && current === undefined) return;
    await this.#sync(name, desired, current);
    this.#synced.add(name);
  }

  /** The table of checkAPIService in autoregister_controller.go of kube-aggregator. */
  async #sync(name: string, desired: DesiredApiService | undefined, current: ApiService | undefined): Promise<void> {
    const wasSynced = this.#synced.has(name);
    if (desired?.managed === 'onstart' && wasSynced) return;
    if (current === undefined) {
      if (desired !== undefined) await this.#create(name, desired);
      return;
    }
    const label = current.metadata.labels?.[autoManagedLabel];
    if (label !== 'onstart' && label !== 'true') return;
    // A CustomResourceDefinition may share the group-version of a built-in API: that stays when the definition goes.
    if (label === 'onstart' && (wasSynced || !this.#atStart.has(name))) return;
    if (desired === undefined) await this.#delete(current);
    else if (!sameSpec(current.spec, specOf(desired)))
      await this.#client.update(apiServices, { ...current, spec: specOf(desired) });
  }

  async #create(name: string, desired: DesiredApiService): Promise<void> {
    try {
      await this.#client.create(apiServices, {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name, labels: { [autoManagedLabel]: desired.managed } },
        spec: specOf(desired),
      });
    } catch (error) {
      // Another replica was faster. Its object arrives through the informer.
      if (!isStatusError(error, 'AlreadyExists')) throw error;
    }
  }

  async #delete(current: ApiService): Promise<void> {
    try {
      await this.#client.delete(apiServices, current.metadata.name ?? '', {
        preconditions: { uid: current.metadata.uid },
      });
    } catch (error) {
      if (!isStatusError(error, 'NotFound') && !isStatusError(error, 'Conflict')) throw error;
    }
  }
}

function nameOf(gv: { group: string; version: string }): string {
  return `${gv.version}.${gv.group}`;
}

function specOf(desired: DesiredApiService): ApiServiceSpec {
  return {
    ...(desired.group === '' ? {} : { group: desired.group }),
    version: desired.version,
    groupPriorityMinimum: desired.priority.group,
    versionPriority: desired.priority.version,
  };
}

function sameSpec(a: ApiServiceSpec, b: ApiServiceSpec): boolean {
  return (
    a.service === undefined &&
    (a.group ?? '') === (b.group ?? '') &&
    a.version === b.version &&
    a.groupPriorityMinimum === b.groupPriorityMinimum &&
    a.versionPriority === b.versionPriority &&
    (a.caBundle ?? '') === (b.caBundle ?? '') &&
    (a.insecureSkipTLSVerify ?? false) === (b.insecureSkipTLSVerify ?? false)
  );
}
