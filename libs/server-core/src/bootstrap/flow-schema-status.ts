import { formatTime } from '@apichain/go-text';
import { setTimeout as delay } from 'node:timers/promises';
import { ConfigurationWatch } from '@apichain/admission';
import type { FlowControlSource } from '@apichain/flowcontrol';
import { isRecord, isStatusError, type KubeObject } from '@apichain/meta';
import type { BootstrapContext } from './context.ts';

const apiVersion = 'flowcontrol.apiserver.k8s.io/v1';
const fieldManager = 'api-priority-and-fairness-config-consumer-v1';
/** Changes within this time, in milliseconds, are handled together. */
const gatherMs = 50;
const retryMs = 1_000;

function danglingCondition(level: string, found: boolean) {
  const reference = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`;
  return {
    type: 'Dangling',
    status: found ? 'False' : 'True',
    reason: found ? 'Found' : 'NotFound',
    message: found ? `${reference} and it exists` : `${reference} but there is no such object`,
  };
}

function levelOf(schema: KubeObject): string {
  const spec = isRecord(schema.spec) ? schema.spec : {};
  const level = isRecord(spec.priorityLevelConfiguration) ? spec.priorityLevelConfiguration : {};
  return typeof level.name === 'string' ? level.name : '';
}

function hasCondition(schema: KubeObject, wanted: Readonly<Record<string, string>>): boolean {
  const status = isRecord(schema.status) ? schema.status : {};
  const conditions: unknown[] = Array.isArray(status.conditions) ? status.conditions : [];
  return conditions.some(
    (condition) => isRecord(condition) && Object.entries(wanted).every(([name, value]) => condition[name] === value),
  );
}

/** Updates the Dangling condition of each FlowSchema, which tells whether its priority level exists. */
export class FlowSchemaStatus {
  readonly #context: BootstrapContext;
  #schemas: readonly KubeObject[] = [];
  #levels: readonly KubeObject[] = [];
  #running: Promise<void> | undefined;
  #changed = false;

  constructor(context: BootstrapContext) {
    this.#context = context;
  }

  /** Watches the objects. Resolves when the initial objects have their status. */
  async start({
    flowSchemas,
    priorityLevels,
  }: Pick<FlowControlSource, 'flowSchemas' | 'priorityLevels'>): Promise<void> {
    const { signal, logger } = this.#context;
    const onError = (error: unknown) => logger.warn({ err: error }, 'following flow schemas failed, trying again');
    const schemas = new ConfigurationWatch({
      store: flowSchemas,
      onError,
      onChange: (objects) => {
        this.#schemas = objects;
        if (levels.hasSynced) this.#changes();
      },
    });
    const levels = new ConfigurationWatch({
      store: priorityLevels,
      onError,
      onChange: (objects) => {
        this.#levels = objects;
        if (schemas.hasSynced) this.#changes();
      },
    });
    for (const watch of [schemas, levels]) void watch.run(signal);
    await Promise.all([schemas.waitForSync(), levels.waitForSync()]);
    this.#changes();
    await this.#running;
  }

  #changes(): void {
    this.#changed = true;
    this.#running ??= this.#write().finally(() => (this.#running = undefined));
  }

  async #write(): Promise<void> {
    const { signal, logger } = this.#context;
    while (this.#changed && !signal.aborted) {
      this.#changed = false;
      const known = new Set(this.#levels.map(({ metadata }) => metadata.name));
      try {
        await Promise.all(this.#schemas.map((schema) => this.#report(schema, known.has(levelOf(schema)))));
        if (this.#changed) await delay(gatherMs, undefined, { ref: false });
      } catch (error) {
        if (!signal.aborted)
          logger.warn({ err: error }, 'the status of a flow schema could not be written, trying again');
        this.#changed = true;
        await delay(retryMs, undefined, { ref: false });
      }
    }
  }

  async #report(schema: KubeObject, found: boolean): Promise<void> {
    const condition = danglingCondition(levelOf(schema), found);
    if (hasCondition(schema, condition)) return;
    const name = schema.metadata.name ?? '';
    const lastTransitionTime = formatTime(new Date());
    const status = { conditions: [{ ...condition, lastTransitionTime }] };
    try {
      await this.#context.client.request(
        'PATCH',
        `/apis/${apiVersion}/flowschemas/${name}/status`,
        { fieldManager, force: true },
        { apiVersion, kind: 'FlowSchema', metadata: { name }, status },
        'application/apply-patch+yaml',
      );
    } catch (error) {
      // The object was deleted meanwhile.
      if (!isStatusError(error, 'NotFound')) throw error;
    }
  }
}
