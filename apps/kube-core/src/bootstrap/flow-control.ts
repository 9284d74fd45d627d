import { deepEqual, isStatusError, type KubeObject } from '@apichain/meta';
import objects from './flow-control.json' with { type: 'json' };
import { find, type BootstrapContext } from './context.ts';

interface Wanted {
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

async function ensureOne(
  { client }: BootstrapContext,
  kind: string,
  resource: string,
  { name, spec }: Wanted,
  mandatory: boolean,
): Promise<void> {
  const present = await find(client, reference(resource), name);
  try {
    if (present === undefined) {
      const metadata = { name, annotations: { [autoUpdate]: 'true' } };
      await client.create(reference(resource), { apiVersion, kind, metadata, spec });
    } else if ((mandatory || isOurs(present)) && !covers(present.spec, spec)) {
      await client.update(reference(resource), { ...present, spec });
    }
  } catch (error) {
    // Another server of the cluster was faster; the next pass looks again.
    if (!isStatusError(error, 'AlreadyExists') && !isStatusError(error, 'Conflict')) throw error;
  }
}

/** Says in each FlowSchema whether its priority level exists. */
async function reportDangling({ client }: BootstrapContext): Promise<void> {
  const levels = await client.list(reference('prioritylevelconfigurations'));
  const known = new Set(levels.items.map((level) => level.metadata.name ?? ''));
  const schemas = await client.list(reference('flowschemas'));
  for (const schema of schemas.items) {
    const level = levelOf(schema);
    const found = known.has(level);
    const text = JSON.stringify(level);
    const condition = {
      type: 'Dangling',
      status: found ? 'False' : 'True',
      reason: found ? 'Found' : 'NotFound',
      message: found
        ? `This FlowSchema references the PriorityLevelConfiguration object named ${text} and it exists`
        : `This FlowSchema references the PriorityLevelConfiguration object named ${text} but there is no such object`,
    };
    if (hasCondition(schema, condition)) continue;
    const lastTransitionTime = `${new Date().toISOString().slice(0, 19)}Z`;
    await client.request(
      'PATCH',
      `/apis/${apiVersion}/flowschemas/${schema.metadata.name ?? ''}/status`,
      { fieldManager: 'api-priority-and-fairness-config-consumer-v1', force: true },
      {
        apiVersion,
        kind: 'FlowSchema',
        metadata: { name: schema.metadata.name ?? '' },
        status: { conditions: [{ ...condition, lastTransitionTime }] },
      },
      'application/apply-patch+yaml',
    );
  }
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
  const levels = 'prioritylevelconfigurations';
  const levelKind = 'PriorityLevelConfiguration';
  for (const level of objects.suggestedPriorityLevels) await ensureOne(context, levelKind, levels, level, false);
  for (const schema of objects.suggestedFlowSchemas) {
    await ensureOne(context, 'FlowSchema', 'flowschemas', schema, false);
  }
  for (const level of objects.mandatoryPriorityLevels) await ensureOne(context, levelKind, levels, level, true);
  for (const schema of objects.mandatoryFlowSchemas) {
    await ensureOne(context, 'FlowSchema', 'flowschemas', schema, true);
  }
  await reportDangling(context);
}
