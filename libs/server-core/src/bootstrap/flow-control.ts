import { isRecord, deepEqual, isStatusError, type KubeObject } from '@apichain/meta';
import objects from './flow-control.json' with { type: 'json' };
import type { BootstrapContext } from './context.ts';

interface WantedObject {
  readonly name: string;
  /** As it reads with all defaults. */
  readonly spec: Readonly<Record<string, unknown>>;
}

const autoUpdate = 'apf.kubernetes.io/autoupdate-spec';
const fieldManager = 'api-priority-and-fairness-config-producer-v1';
const apiVersion = 'flowcontrol.apiserver.k8s.io/v1';
const reference = (resource: string) => ({ group: 'flowcontrol.apiserver.k8s.io', version: 'v1', resource });

/** What Go's strconv.ParseBool reads. */
const booleans = new Map(
  Object.entries({
    true: ['1', 't', 'T', 'TRUE', 'true', 'True'],
    false: ['0', 'f', 'F', 'FALSE', 'false', 'False'],
  }).flatMap(([value, texts]) => texts.map((text) => [text, value === 'true'] as const)),
);

/** Suggested objects follow the table until somebody takes them over, by the annotation or, where there is none, by changing them. */
function isOurs({ metadata }: KubeObject): boolean {
  return booleans.get(metadata.annotations?.[autoUpdate] ?? '') ?? metadata.generation === 1;
}

/** The shares of an exempt level are the administrator's. */
function wantedSpec({ spec }: WantedObject, found: KubeObject): Readonly<Record<string, unknown>> {
  const present = isRecord(found.spec) ? found.spec : {};
  return spec.type === 'Exempt' && isRecord(present.exempt) ? { ...spec, exempt: present.exempt } : spec;
}

interface Wanted {
  readonly kind: 'PriorityLevelConfiguration' | 'FlowSchema';
  readonly suggested: readonly WantedObject[];
  /** They are put right even where somebody has taken them over. */
  readonly mandatory: readonly WantedObject[];
}

const resourceOf = (kind: Wanted['kind']) =>
  reference(kind === 'FlowSchema' ? 'flowschemas' : 'prioritylevelconfigurations');

/** One list tells what is missing, and what is left of another version; at the first start everything is missing. */
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

/** An object that is in no table but says it is kept up by one was made by another version. */
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

/** Another server of the cluster may be faster; the next pass looks again. */
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
