import { deepEqual, isStatusError, type KubeObject } from '@apichain/meta';
import objects from './flow-control.json' with { type: 'json' };
import type { BootstrapContext } from './context.ts';

interface WantedObject {
  readonly name: string;
  readonly spec: Readonly<Record<string, unknown>>;
}

const autoUpdate = 'apf.kubernetes.io/autoupdate-spec';
const apiVersion = 'flowcontrol.apiserver.k8s.io/v1';
const reference = (resource: string) => ({ group: 'flowcontrol.apiserver.k8s.io', version: 'v1', resource });

/** Suggested objects follow the table as long as nobody has taken them over by the annotation. */
function isOurs(object: KubeObject): boolean {
  const annotation = object.metadata.annotations?.[autoUpdate];
  return annotation === undefined ? object.metadata.generation === 1 : annotation === 'true';
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Whether every member of the wanted spec is there; defaults that the server adds do not count as a change. */
function covers(actual: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return Array.isArray(actual) && actual.length === wanted.length && wanted.every((w, i) => covers(actual[i], w));
  }
  if (!isRecord(wanted)) return deepEqual(actual, wanted);
  return isRecord(actual) && Object.entries(wanted).every(([name, value]) => covers(actual[name], value));
}

interface Wanted {
  readonly kind: 'PriorityLevelConfiguration' | 'FlowSchema';
  readonly objects: readonly WantedObject[];
  /** They are put right even where somebody has taken them over. */
  readonly mandatory: boolean;
}

const resourceOf = (kind: Wanted['kind']) =>
  reference(kind === 'FlowSchema' ? 'flowschemas' : 'prioritylevelconfigurations');

/** One list tells what is missing; at the first start that is everything. */
async function ensureAll({ client }: BootstrapContext, { kind, objects, mandatory }: Wanted): Promise<void> {
  const resource = resourceOf(kind);
  const { items } = await client.list(resource);
  const present = new Map(items.map((item) => [item.metadata.name, item]));
  await Promise.all(
    objects.map(async ({ name, spec }) => {
      const found = present.get(name);
      const metadata = { name, annotations: { [autoUpdate]: 'true' } };
      if (found === undefined) await unlessOvertaken(client.create(resource, { apiVersion, kind, metadata, spec }));
      else if ((mandatory || isOurs(found)) && !covers(found.spec, spec))
        await unlessOvertaken(client.update(resource, { ...found, apiVersion, kind, spec }));
    }),
  );
}

/** Another server of the cluster may be faster; the next pass looks again. */
async function unlessOvertaken(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isStatusError(error, 'AlreadyExists') && !isStatusError(error, 'Conflict')) throw error;
  }
}

/** Says in each FlowSchema whether its priority level exists. */
async function reportDangling({ client }: BootstrapContext): Promise<void> {
  const levels = await client.list(reference('prioritylevelconfigurations'));
  const known = new Set(levels.items.map((level) => level.metadata.name ?? ''));
  const schemas = await client.list(reference('flowschemas'));
  await Promise.all(
    schemas.items.map(async (schema) => {
      const level = levelOf(schema);
      const condition = danglingCondition(level, known.has(level));
      if (hasCondition(schema, condition)) return;
      const name = schema.metadata.name ?? '';
      const lastTransitionTime = `${new Date().toISOString().slice(0, 19)}Z`;
      const status = { conditions: [{ ...condition, lastTransitionTime }] };
      await client.request(
        'PATCH',
        `/apis/${apiVersion}/flowschemas/${name}/status`,
        { fieldManager: 'api-priority-and-fairness-config-consumer-v1', force: true },
        { apiVersion, kind: 'FlowSchema', metadata: { name }, status },
        'application/apply-patch+yaml',
      );
    }),
  );
}

function danglingCondition(level: string, found: boolean) {
  const text = JSON.stringify(level);
  return {
    type: 'Dangling',
    status: found ? 'False' : 'True',
    reason: found ? 'Found' : 'NotFound',
    message: found
      ? `This FlowSchema references the PriorityLevelConfiguration object named ${text} and it exists`
      : `This FlowSchema references the PriorityLevelConfiguration object named ${text} but there is no such object`,
  };
}

function levelOf(schema: KubeObject): string {
  const spec = isRecord(schema.spec) ? schema.spec : {};
  const reference = isRecord(spec.priorityLevelConfiguration) ? spec.priorityLevelConfiguration : {};
  return typeof reference.name === 'string' ? reference.name : '';
}

function hasCondition(schema: KubeObject, wanted: Readonly<Record<string, string>>): boolean {
  const status = isRecord(schema.status) ? schema.status : {};
  const conditions: unknown[] = Array.isArray(status.conditions) ? status.conditions : [];
  return conditions.some((condition) => covers(condition, wanted));
}

/** https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#defaults */
export async function ensureFlowControl(context: BootstrapContext): Promise<void> {
  const kind = 'PriorityLevelConfiguration';
  await ensureAll(context, { kind, objects: objects.suggestedPriorityLevels, mandatory: false });
  await ensureAll(context, { kind: 'FlowSchema', objects: objects.suggestedFlowSchemas, mandatory: false });
  await ensureAll(context, { kind, objects: objects.mandatoryPriorityLevels, mandatory: true });
  await ensureAll(context, { kind: 'FlowSchema', objects: objects.mandatoryFlowSchemas, mandatory: true });
  await reportDangling(context);
}
