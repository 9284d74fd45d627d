import { isRecord, deepEqual, isStatusError, type KubeObject } from '@apichain/meta';
import objects from './flow-control.json' with { type: 'json' };
import type { BootstrapContext } from './context.ts';

interface WantedObject {
  readonly name: string;
  /** The spec as read from the server, with all defaults. */
  readonly spec: Readonly<Record<string, unknown>>;
}

const autoUpdate = 'apf.kubernetes.io/autoupdate-spec';
const fieldManager = 'api-priority-and-fairness-config-producer-v1';
const apiVersion = 'flowcontrol.apiserver.k8s.io/v1';
const reference = (resource: string) => ({ group: 'flowcontrol.apiserver.k8s.io', version: 'v1', resource });

/** The texts that Go's strconv.ParseBool accepts. */
const booleans = new Map(
  Object.entries({
    true: ['1', 't', 'T', 'TRUE', 'true', 'True'],
    false: ['0', 'f', 'F', 'FALSE', 'false', 'False'],
  }).flatMap(([value, texts]) => texts.map((text) => [text, value === 'true'] as const)),
);

/** Whether a suggested object follows the table. The annotation decides; without the annotation, an object that a user changed does not. */
function isOurs({ metadata }: KubeObject): boolean {
  return booleans.get(metadata.annotations?.[autoUpdate] ?? '') ?? metadata.generation === 1;
}

/** The shares of an exempt level are set by the administrator and are kept. */
function wantedSpec({ spec }: WantedObject, found: KubeObject): Readonly<Record<string, unknown>> {
  const present = isRecord(found.spec) ? found.spec : {};
  return spec.type === 'Exempt' && isRecord(present.exempt) ? { ...spec, exempt: present.exempt } : spec;
}

interface Wanted {
  readonly kind: 'PriorityLevelConfiguration' | 'FlowSchema';
  readonly suggested: readonly WantedObject[];
  /** Mandatory objects are corrected even when a user manages them. */
  readonly mandatory: readonly WantedObject[];
}

const resourceOf = (kind: Wanted['kind']) =>
  reference(kind === 'FlowSchema' ? 'flowschemas' : 'prioritylevelconfigurations');

/** Creates, corrects and removes objects after a single list, because at the first start all objects are missing. */
async function ensureAll(context: BootstrapContext, { kind, suggested, mandatory }: Wanted): Promise<void> {
  const { client } = context;
  const resource = resourceOf(kind);
  const { items } = await client.list(resource);
  const present = new Map(items.map((item) => [item.metadata.name, item]));
  const ensure = async (wanted: WantedObject, isMandatory: boolean) => {
    const found = present.get(wanted.name);
    present.delete(wanted.name);
    if (found === undefined) {
      const metadata = { name: wanted.name, annotations: { [autoUpdate]: 'true' } };
      await unlessOvertaken(
        client.create(resource, { apiVersion, kind, metadata, spec: wanted.spec }, { fieldManager }),
      );
      return;
    }
    const ours = isMandatory || isOurs(found);
    const spec = ours ? wantedSpec(wanted, found) : found.spec;
    const annotations = { ...found.metadata.annotations, [autoUpdate]: String(ours) };
    if (deepEqual(spec, found.spec) && deepEqual(annotations, found.metadata.annotations)) return;
    const metadata = { ...found.metadata, annotations };
    await unlessOvertaken(
      client.update(resource, { ...found, apiVersion, kind, metadata, spec }, { query: { fieldManager } }),
    );
  };
  await Promise.all([
    ...suggested.map((wanted) => ensure(wanted, false)),
    ...mandatory.map((wanted) => ensure(wanted, true)),
  ]);
  await Promise.all([...present.values()].map((left) => removeUnlessTakenOver(context, kind, left)));
}

/** Deletes an object that is annotated as following the table but is not in the table: another version created it. */
async function removeUnlessTakenOver(
  { client }: BootstrapContext,
  kind: Wanted['kind'],
  { metadata }: KubeObject,
): Promise<void> {
  if (booleans.get(metadata.annotations?.[autoUpdate] ?? '') !== true) return;
  const { uid, resourceVersion } = metadata;
  await unlessOvertaken(
    client.delete(resourceOf(kind), metadata.name ?? '', { preconditions: { uid, resourceVersion } }),
  );
}

/** Another server of the cluster may be faster. The next pass checks again. */
async function unlessOvertaken(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!['AlreadyExists', 'Conflict', 'NotFound'].some((reason) => isStatusError(error, reason))) throw error;
  }
}

/** https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#defaults */
export async function ensureFlowControl(context: BootstrapContext): Promise<void> {
  await ensureAll(context, {
    kind: 'PriorityLevelConfiguration',
    suggested: objects.suggestedPriorityLevels,
    mandatory: objects.mandatoryPriorityLevels,
  });
  await ensureAll(context, {
    kind: 'FlowSchema',
    suggested: objects.suggestedFlowSchemas,
    mandatory: objects.mandatoryFlowSchemas,
  });
}
