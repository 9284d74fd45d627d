import { createHash } from 'node:crypto';
import type { Container, ContainerStatus, Pod } from '@apichain/api/core/v1';
import { integer } from '@apichain/meta';
import type { ContainerIntention } from './annotations.ts';
import type { Situation } from './situation.ts';

type ContainerRole = 'init' | 'sidecar' | 'regular' | 'ephemeral';

/** A container of a pod with what the status says of it. */
export interface ContainerView {
  readonly name: string;
  readonly role: ContainerRole;
  readonly spec: Container;
  /** A container that the status does not have is waiting. */
  readonly status: ContainerStatus;
  readonly intention: ContainerIntention;
}

/** The reasons of a container that waits for its first start. */
const waitingReasons = { creating: 'ContainerCreating', initializing: 'PodInitializing' } as const;

/** The containers of a pod, init containers first, in the order of the spec. */
export function containersOf({ pod, intentions }: Pick<Situation, 'pod' | 'intentions'>): ContainerView[] {
  const { spec, status } = pod;
  const hasInit = (spec?.initContainers ?? []).length > 0;
  const view = (role: ContainerRole, container: Container, statuses: readonly ContainerStatus[] | null | undefined) => {
    const { name = '' } = container;
    return {
      name,
      role,
      spec: container,
      status:
        resized(
          container,
          statuses?.find((known) => known.name === name),
        ) ?? waitingStatus(container, hasInit),
      intention: intentions.ofContainer(name),
    };
  };
  return [
    ...(spec?.initContainers ?? []).map((container) =>
      view(container.restartPolicy === 'Always' ? 'sidecar' : 'init', container, status?.initContainerStatuses),
    ),
    ...(spec?.containers ?? []).map((container) => view('regular', container, status?.containerStatuses)),
    ...(spec?.ephemeralContainers ?? []).map((container) =>
      view('ephemeral', container, status?.ephemeralContainerStatuses),
    ),
  ];
}

/** The resources of a running container follow its spec: a resize is done at once. */
const resized = (container: Container, status: ContainerStatus | undefined): ContainerStatus | undefined =>
  status?.state?.running === undefined ? status : { ...status, ...allocatedResources(container) };

/** The resources of a container as its status reports them. */
export const allocatedResources = ({
  resources = {},
}: Container): Pick<ContainerStatus, 'allocatedResources' | 'resources'> => ({
  ...(resources.requests === undefined ? {} : { allocatedResources: resources.requests }),
  resources,
});

/** The status of a container that has never run. */
function waitingStatus(container: Container, hasInitContainers: boolean): ContainerStatus {
  const { name = '', image = '' } = container;
  const reason = hasInitContainers ? waitingReasons.initializing : waitingReasons.creating;
  return {
    name,
    state: { waiting: { reason } },
    lastState: {},
    ready: false,
    restartCount: 0,
    image,
    imageID: '',
    started: false,
    ...volumeMounts(container),
  };
}

/** The mounts of a container as its status reports them. */
function volumeMounts({ volumeMounts = [] }: Container): Pick<ContainerStatus, 'volumeMounts'> {
  if (volumeMounts === null || volumeMounts.length === 0) return {};
  return {
    volumeMounts: volumeMounts.map(({ name = '', mountPath = '', readOnly }) => ({
      name,
      mountPath,
      ...(readOnly === true ? { readOnly, recursiveReadOnly: 'Disabled' } : {}),
    })),
  };
}

/** Whether the container has run, or runs. */
export const hasStarted = ({ status: { state, lastState } }: ContainerView): boolean =>
  state?.running !== undefined || state?.terminated !== undefined || lastState?.terminated !== undefined;

/** Whether a container that exits with this code is started again. After ContainerShouldRestart of pkg/api/v1/pod. */
export function restartsAfter({ restartPolicy, restartPolicyRules }: Container, pod: Pod, exitCode: number): boolean {
  if ((restartPolicy ?? '') !== '') {
    const rule = restartPolicyRules?.find(({ exitCodes }) => {
      const listed = exitCodes?.values?.includes(exitCode) === true;
      return exitCodes?.operator === 'In' ? listed : exitCodes?.operator === 'NotIn' && !listed;
    });
    if (rule?.action === 'Restart' || rule?.action === 'RestartAllContainers') return true;
  }
  switch ((restartPolicy ?? '') === '' ? pod.spec?.restartPolicy : restartPolicy) {
    case 'Never':
      return false;
    case 'OnFailure':
      return exitCode !== 0;
    default:
      return true;
  }
}

/** The exit code with which a container is over, or was the last time. */
export function exitCodeOf({ status: { state, lastState } }: ContainerView): number | undefined {
  const terminated = state?.terminated ?? (state?.running === undefined ? lastState?.terminated : undefined);
  return terminated === undefined ? undefined : integer(terminated.exitCode);
}

/** Whether the container has exited and is not started again. */
export function isOver(container: ContainerView, pod: Pod): boolean {
  const exitCode = exitCodeOf(container);
  return exitCode !== undefined && !restartsAfter(container.spec, pod, exitCode);
}

const hex = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What the identifiers of simulated containers begin with. */
export const containerIdPrefix = 'simulated://';

/** The identifier of a run of a container: the same for the same run, another one after a restart. */
export const containerId = (podUid: string, container: string, restartCount: number): string =>
  `${containerIdPrefix}${hex(`${podUid}/${container}/${restartCount}`)}`;

/** The identifier of an image: its repository and a digest, `docker.io/library/nginx@sha256:...`. An image that is named by digest keeps it. */
export function imageId(image: string): string {
  const [name = '', digest] = image.split('@');
  const slash = name.lastIndexOf('/');
  const colon = name.indexOf(':', slash + 1);
  const repository = colon === -1 ? name : name.slice(0, colon);
  return `${withRegistry(repository)}@${digest ?? `sha256:${hex(name)}`}`;
}

function withRegistry(repository: string): string {
  const [first = '', ...rest] = repository.split('/');
  if (rest.length === 0) return `docker.io/library/${first}`;
  return /[.:]/.test(first) || first === 'localhost' ? repository : `docker.io/${repository}`;
}
