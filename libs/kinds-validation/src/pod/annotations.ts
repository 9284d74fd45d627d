import type { AppArmorProfile, Container, PodSpec, SeccompProfile } from '@apichain/api/core/v1';
import { field, isStatusError, type ObjectMeta, parseJson, lookupTable } from '@apichain/meta';
import { goQuote } from '@apichain/go-text';
import { containersAt, isSet } from '@apichain/kinds';
import { localDescendingPath } from '../common/formats.ts';
import { checkEach, type Out } from '../common/rules.ts';
import { checkContainers } from './context.ts';
import { tolerationListErrors, tolerationsOf } from './scheduling.ts';

export const mirrorPod = 'kubernetes.io/config.mirror';
const tolerations = 'scheduler.alpha.kubernetes.io/tolerations';
const deletionCost = 'controller.kubernetes.io/pod-deletion-cost';
const seccompPod = 'seccomp.security.alpha.kubernetes.io/pod';
const seccompContainer = 'container.seccomp.security.alpha.kubernetes.io/';
const appArmorContainer = 'container.apparmor.security.beta.kubernetes.io/';

type Annotations = Readonly<Record<string, string>>;

/** Why a text is not valid JSON; undefined when it is. */
export function jsonError(value: string): string | undefined {
  try {
    parseJson(value);
    return undefined;
  } catch (error) {
    if (isStatusError(error) || error instanceof Error) return error.message;
    throw error;
  }
}

function tolerationAnnotation(out: Out, path: string, annotations: Annotations): void {
  const value = annotations[tolerations];
  if (value === undefined || value === '') return;
  const reason = jsonError(value);
  if (reason !== undefined) out.push(field.invalid(path, tolerations, reason));
  else tolerationListErrors(out, `${path}.${tolerations}`, tolerationsOf(parseJson(value)));
}

// Leading zeros are allowed after a minus sign only.
const isInt32 = (value: string): boolean =>
  /^(0|-[0-9]+|[1-9][0-9]*)$/.test(value) && Number(value) >= -2147483648 && Number(value) <= 2147483647;

function deletionCostAnnotation(out: Out, path: string, annotations: Annotations, old: Annotations): void {
  const value = annotations[deletionCost];
  const before = old[deletionCost];
  if (value === undefined || isInt32(value) || (before !== undefined && !isInt32(before))) return;
  out.push(field.invalid(`${path}[${deletionCost}]`, value, 'must be a 32bit integer'));
}

function seccompProfileText(out: Out, path: string, value: string): void {
  if (['runtime/default', 'docker/default', 'unconfined'].includes(value)) return;
  if (value.startsWith('localhost/')) localDescendingPath(out, path, value.slice('localhost/'.length));
  else out.push(field.invalid(path, value, 'must be a valid seccomp profile'));
}

function seccompAnnotations(out: Out, path: string, annotations: Annotations): void {
  const ofPod = annotations[seccompPod];
  if (ofPod !== undefined) seccompProfileText(out, `${path}.${seccompPod}`, ofPod);
  checkEach(out, Object.keys(annotations).sort(), (out, name) => {
    if (name.startsWith(seccompContainer)) seccompProfileText(out, `${path}.${name}`, annotations[name] ?? '');
  });
}

function appArmorAnnotations(out: Out, path: string, annotations: Annotations, spec: PodSpec): void {
  let names: ReadonlySet<string> | undefined;
  const namesOfAll = () => (names ??= new Set(containersAt(spec, '').map(({ container }) => container.name ?? '')));
  checkEach(out, Object.keys(annotations).sort(), (out, key) => {
    if (!key.startsWith(appArmorContainer)) return;
    const at = `${path}[${key}]`;
    const container = key.slice(appArmorContainer.length);
    const value = annotations[key] ?? '';
    if (!namesOfAll().has(container)) out.push(field.invalid(at, container, 'container not found'));
    if (['', 'runtime/default', 'unconfined'].includes(value) || value.startsWith('localhost/')) return;
    out.push(field.invalid(at, value, `invalid AppArmor profile name: ${goQuote(value)}`));
  });
}

/** Checks the annotations of a pod or template that Kubernetes interprets. `path` is that of the annotations. */
export function podAnnotationErrors(
  out: Out,
  path: string,
  metadata: ObjectMeta | undefined,
  spec: PodSpec,
  old?: ObjectMeta,
): void {
  const annotations = metadata?.annotations ?? {};
  const names = Object.keys(annotations);
  if (names.length === 0) return;
  if (annotations[mirrorPod] !== undefined && (spec.nodeName ?? '') === '') {
    const detail = 'must set spec.nodeName if mirror pod annotation is set';
    out.push(field.invalid(`${path}[${mirrorPod}]`, annotations[mirrorPod], detail));
  }
  tolerationAnnotation(out, path, annotations);
  deletionCostAnnotation(out, path, annotations, old?.annotations ?? {});
  seccompAnnotations(out, path, annotations);
  appArmorAnnotations(out, path, annotations, spec);
}

const profileTypes: Readonly<Record<string, readonly string[]>> = lookupTable({
  Unconfined: ['unconfined'],
  RuntimeDefault: ['runtime/default', 'docker/default'],
});

/** The deprecated annotation and the field must match. */
function profileMatch(
  out: Out,
  path: string,
  annotation: string | undefined,
  profile: SeccompProfile | AppArmorProfile | undefined,
  kind: string,
): void {
  if (annotation === undefined || annotation === '' || !isSet(profile)) return;
  const type = profile.type ?? '';
  const known = profileTypes[type];
  if (known !== undefined && !known.includes(annotation)) {
    out.push(field.forbidden(`${path}.type`, `${kind} type in annotation and field must match`));
  } else if (type === 'Localhost') {
    if (!annotation.startsWith('localhost/')) {
      out.push(field.forbidden(`${path}.type`, `${kind} type in annotation and field must match`));
    } else if (annotation.slice('localhost/'.length) !== (profile.localhostProfile ?? '')) {
      out.push(field.forbidden(`${path}.localhostProfile`, `${kind} profile in annotation and field must match`));
    }
  }
}

/** Checks profiles that both annotations and fields may set. `path` is that of the spec. */
export function profileAnnotationErrors(out: Out, path: string, metadata: ObjectMeta | undefined, spec: PodSpec): void {
  const annotations = metadata?.annotations ?? {};
  if (Object.keys(annotations).length === 0) return;
  const seccomp = spec.securityContext?.seccompProfile;
  profileMatch(out, `${path}.securityContext.seccompProfile`, annotations[seccompPod], seccomp, 'seccomp');
  checkContainers(out, spec, path, (out, container: Container, where) => {
    const annotation = annotations[seccompContainer + (container.name ?? '')];
    const profile = container.securityContext?.seccompProfile;
    profileMatch(out, `${where}.securityContext.seccompProfile`, annotation, profile, 'seccomp');
  });
  if (spec.os?.name === 'windows') return;
  const ofPod = spec.securityContext?.appArmorProfile;
  checkContainers(out, spec, path, (out, container: Container, where) => {
    const annotation = annotations[appArmorContainer + (container.name ?? '')];
    const profile = container.securityContext?.appArmorProfile ?? ofPod;
    profileMatch(out, `${where}.securityContext.appArmorProfile`, annotation, profile, 'apparmor');
  });
}

/** Checks annotations that are immutable while the pod exists; then checks the pod's annotations as for a new pod. */
export function podAnnotationUpdateErrors(out: Out, metadata: ObjectMeta, old: ObjectMeta, spec: PodSpec): void {
  const path = 'metadata.annotations';
  const now: Annotations = metadata.annotations ?? {};
  const before: Annotations = old.annotations ?? {};
  const kept = (name: string) => name === mirrorPod || name.startsWith(appArmorContainer);
  const what = (name: string) => (name === mirrorPod ? 'mirror pod annotation' : 'AppArmor annotations');
  checkEach(out, Object.keys(before).sort(), (out, name) => {
    if (kept(name) && now[name] !== before[name]) {
      out.push(field.forbidden(`${path}[${name}]`, `may not remove or update ${what(name)}`));
    }
  });
  checkEach(out, Object.keys(now).sort(), (out, name) => {
    if (kept(name) && before[name] === undefined) {
      out.push(field.forbidden(`${path}[${name}]`, `may not add ${what(name)}`));
    }
  });
  podAnnotationErrors(out, path, metadata, spec, old);
}

/** Volumes with projected tokens need a service account. */
export function tokenAccountErrors(out: Out, path: string, spec: PodSpec): void {
  if ((spec.serviceAccountName ?? '') !== '') return;
  checkEach(out, spec.volumes ?? [], (out, volume, i) => {
    checkEach(out, volume.projected?.sources ?? [], (out, source, j) => {
      if (!isSet(source.serviceAccountToken)) return;
      out.push(
        field.forbidden(
          `${path}.volumes[${i}].projected.sources[${j}].serviceAccountToken`,
          'must not be specified when serviceAccountName is not set',
        ),
      );
    });
  });
}
