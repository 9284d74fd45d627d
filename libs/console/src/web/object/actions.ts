import { getJson, postJson, request } from '../api/api.ts';
import { pathOf, type Kind } from '../api/kinds.ts';
import { fields, list, text, type Fields, type StoredObject } from '../api/stored-object.ts';
import { fieldManager } from './manifest.ts';

/** Something that is done to an object by a patch, which is the same for all objects of a kind. */
export interface PatchAction {
  readonly title: string;
  /** What happens then, for the question before it. */
  readonly effect: string;
  /** Resources as `deployments.apps`. */
  readonly of: readonly string[];
  /** Whether it makes sense for an object as it is now. */
  readonly isOffered: (object: StoredObject) => boolean;
  readonly patch: () => object;
}

const nameOf = ({ group, resource }: Kind): string => (group === '' ? resource : `${resource}.${group}`);
const withTemplate = ['deployments.apps', 'statefulsets.apps', 'daemonsets.apps'] as const;
const isSet = (field: string) => (object: StoredObject) => object.spec?.[field] === true;
const isNotSet = (field: string) => (object: StoredObject) => object.spec?.[field] !== true;

const cordoned = { spec: { unschedulable: true } };

const patchActions: readonly PatchAction[] = [
  {
    title: 'Restart',
    effect: 'Its pods are replaced one after the other, as its update strategy says.',
    of: withTemplate,
    isOffered: () => true,
    patch: () => {
      const annotations = { 'kubectl.kubernetes.io/restartedAt': new Date().toISOString() };
      return { spec: { template: { metadata: { annotations } } } };
    },
  },
  {
    title: 'Pause rollout',
    effect: 'Changes of its template have no effect until the rollout is resumed.',
    of: ['deployments.apps'],
    isOffered: isNotSet('paused'),
    patch: () => ({ spec: { paused: true } }),
  },
  {
    title: 'Resume rollout',
    effect: 'Its pods become what its template says.',
    of: ['deployments.apps'],
    isOffered: isSet('paused'),
    patch: () => ({ spec: { paused: null } }),
  },
  {
    title: 'Suspend',
    effect: 'No pods are started for it until it is resumed. Those of a Job are deleted.',
    of: ['jobs.batch', 'cronjobs.batch'],
    isOffered: isNotSet('suspend'),
    patch: () => ({ spec: { suspend: true } }),
  },
  {
    title: 'Resume',
    effect: 'Its pods are started again.',
    of: ['jobs.batch', 'cronjobs.batch'],
    isOffered: isSet('suspend'),
    patch: () => ({ spec: { suspend: false } }),
  },
  {
    title: 'Cordon',
    effect: 'No pods are scheduled to it any more. Those that run there stay.',
    of: ['nodes'],
    isOffered: isNotSet('unschedulable'),
    patch: () => cordoned,
  },
  {
    title: 'Uncordon',
    effect: 'Pods are scheduled to it again.',
    of: ['nodes'],
    isOffered: isSet('unschedulable'),
    patch: () => ({ spec: { unschedulable: null } }),
  },
];

/** The actions of a kind, for any number of its objects. */
export const patchActionsOf = (kind: Kind): readonly PatchAction[] =>
  patchActions.filter(({ of }) => of.includes(nameOf(kind)));

/** Does it to the object with this path. Throws ApiError. */
export const runPatch = (path: string, { patch }: PatchAction): Promise<unknown> =>
  sendPatch(path, 'application/merge-patch+json', patch());

const sendPatch = (path: string, type: string, body: object): Promise<unknown> =>
  request(`${path}?fieldManager=${fieldManager}`, {
    method: 'PATCH',
    headers: { 'Content-Type': type, Accept: 'application/json' },
    body: JSON.stringify(body),
  });

/** No pods are scheduled to the node with this path any more. Throws ApiError. */
export const cordon = (path: string): Promise<unknown> => sendPatch(path, 'application/merge-patch+json', cordoned);

export const canScale = ({ subresources }: Kind): boolean => subresources.includes('scale');

interface Scale {
  readonly spec?: { readonly replicas?: number };
}

/** The number of replicas that an object shall have. Throws ApiError. */
export const readReplicas = async (path: string): Promise<number> =>
  (await getJson<Scale>(`${path}/scale`)).spec?.replicas ?? 0;

export const scale = (path: string, replicas: number): Promise<unknown> =>
  sendPatch(`${path}/scale`, 'application/merge-patch+json', { spec: { replicas } });

export const canRunNow = (kind: Kind): boolean => nameOf(kind) === 'cronjobs.batch';

/** Creates a Job of a CronJob, as `kubectl create job --from` does. Returns its name. Throws ApiError. */
export async function runNow(cronJob: StoredObject): Promise<string> {
  const { name, namespace = '', uid } = cronJob.metadata;
  const template = fields(cronJob.spec?.['jobTemplate']);
  const metadata = {
    ...fields(template['metadata']),
    name: `${name.slice(0, 40)}-manual-${Date.now().toString(36)}`,
    annotations: { 'cronjob.kubernetes.io/instantiate': 'manual' },
    ownerReferences: [{ apiVersion: 'batch/v1', kind: 'CronJob', name, uid, controller: true }],
  };
  const job = { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: template['spec'] };
  await postJson(`/apis/batch/v1/namespaces/${encodeURIComponent(namespace)}/jobs?fieldManager=${fieldManager}`, job);
  return metadata.name;
}

/** A revision to which a rollout can go back. */
export interface Revision {
  readonly number: number;
  readonly created: string;
  /** What has changed it, by the annotation; else its images. */
  readonly about: string;
  readonly goBack: (path: string) => Promise<unknown>;
}

export const hasRevisions = (kind: Kind): boolean => withTemplate.some((name) => name === nameOf(kind));

interface ObjectList {
  readonly items?: readonly StoredObject[];
}

/** The revisions of a rollout before the current one, newest first: ReplicaSets of a Deployment, ControllerRevisions of others. Throws ApiError. */
export async function revisionsOf(kind: Kind, object: StoredObject): Promise<readonly Revision[]> {
  const resource = kind.resource === 'deployments' ? 'replicasets' : 'controllerrevisions';
  const { namespace = '', uid } = object.metadata;
  const path = pathOf({ ...kind, resource }, namespace);
  const { items = [] } = await getJson<ObjectList>(path);
  const owned = items.filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid) === true);
  return owned
    .map(resource === 'replicasets' ? ofReplicaSet : ofControllerRevision)
    .sort((a, b) => b.number - a.number)
    .slice(1);
}

const revisionAnnotation = 'deployment.kubernetes.io/revision';
const changeCause = 'kubernetes.io/change-cause';

function ofReplicaSet({ metadata, spec }: StoredObject): Revision {
  const template = fields(spec?.['template']);
  const templateMetadata = fields(template['metadata']);
  const { 'pod-template-hash': _hash, ...labels } = fields(templateMetadata['labels']);
  const value = { ...template, metadata: { ...templateMetadata, labels } };
  return {
    number: Number(metadata.annotations?.[revisionAnnotation] ?? 0),
    created: metadata.creationTimestamp ?? '',
    about: metadata.annotations?.[changeCause] ?? imagesOf(template),
    goBack: (path) =>
      sendPatch(path, 'application/json-patch+json', [{ op: 'replace', path: '/spec/template', value }]),
  };
}

/** Its data is a strategic merge patch. */
function ofControllerRevision(revision: StoredObject): Revision {
  const data = fields(revision['data']);
  const { revision: number } = revision;
  return {
    number: typeof number === 'number' ? number : 0,
    created: revision.metadata.creationTimestamp ?? '',
    about: revision.metadata.annotations?.[changeCause] ?? imagesOf(fields(fields(data['spec'])['template'])),
    goBack: (path) => sendPatch(path, 'application/strategic-merge-patch+json', data),
  };
}

const imagesOf = (template: Fields): string =>
  list(fields(template['spec'])['containers'])
    .map(({ image }) => text(image))
    .join(', ');
