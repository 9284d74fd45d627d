import { at, integer, isSet, list, type Plain, record, records, text, texts, textMap } from '../fields.ts';
import { isFractionalBytes } from '../quantities.ts';
import { nodeLabelWarning, nodeSelectorTermWarnings } from './node-label-warnings.ts';
import { ipWarnings } from './ip-warnings.ts';

const deprecatedVolumes: Readonly<Record<string, string>> = {
  photonPersistentDisk: 'deprecated in v1.11, non-functional in v1.16+',
  gitRepo: 'deprecated in v1.11, and disabled by default in v1.33+',
  scaleIO: 'deprecated in v1.16, non-functional in v1.22+',
  flocker: 'deprecated in v1.22, non-functional in v1.25+',
  storageos: 'deprecated in v1.22, non-functional in v1.25+',
  quobyte: 'deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'deprecated in v1.25, non-functional in v1.26+',
  cephfs: 'deprecated in v1.28, non-functional in v1.31+',
  rbd: 'deprecated in v1.28, non-functional in v1.31+',
};
const volumePathNames: Readonly<Record<string, string>> = { storageos: 'storageOS' };

/** What a plugin says at `path`, for pod volumes and persistent volumes alike. */
export function volumePluginWarnings(source: Plain, path: string): string[] {
  return Object.entries(deprecatedVolumes)
    .filter(([name]) => isSet(source[name]))
    .map(([name, message]) => `${path}.${volumePathNames[name] ?? name}: ${message}`);
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

function nodeWarnings(spec: Plain, path: string): string[] {
  const selectors = Object.keys(record(spec.nodeSelector))
    .toSorted()
    .flatMap((key) => {
      const message = nodeLabelWarning(key);
      return message === undefined ? [] : [`${path}.nodeSelector[${key}]: ${message}`];
    });
  const affinity = at(spec, 'affinity', 'nodeAffinity');
  const base = `${path}.affinity.nodeAffinity`;
  const required = nodeSelectorTermWarnings(
    at(affinity, 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms'),
    `${base}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`,
  );
  const preferred = records(at(affinity, 'preferredDuringSchedulingIgnoredDuringExecution')).flatMap((term, i) =>
    nodeSelectorTermWarnings(
      [term.preference],
      `${base}.preferredDuringSchedulingIgnoredDuringExecution[${i}].preference`,
    ).map((w) => w.replace('.preference[0]', '.preference')),
  );
  const spread = records(spec.topologySpreadConstraints).flatMap((constraint, i) => {
    const at = `${path}.topologySpreadConstraints[${i}]`;
    const key = text(constraint.topologyKey);
    const message = nodeLabelWarning(key);
    return [
      ...(message === undefined ? [] : [`${at}.topologyKey: ${key} is ${message}`]),
      ...(isSet(constraint.labelSelector)
        ? []
        : [`${at}.labelSelector: a null labelSelector results in matching no pod`]),
    ];
  });
  return [...selectors, ...required, ...preferred, ...spread];
}

function podAffinityWarnings(spec: Plain, path: string): string[] {
  return ['podAffinity', 'podAntiAffinity'].flatMap((name) => {
    const affinity = at(spec, 'affinity', name);
    const base = `${path}.affinity.${name}`;
    const missing = (term: unknown, where: string) =>
      isSet(at(term, 'labelSelector'))
        ? []
        : [`${where}.labelSelector: a null labelSelector results in matching no pod`];
    return [
      ...records(at(affinity, 'requiredDuringSchedulingIgnoredDuringExecution')).flatMap((term, i) =>
        missing(term, `${base}.requiredDuringSchedulingIgnoredDuringExecution[${i}]`),
      ),
      ...records(at(affinity, 'preferredDuringSchedulingIgnoredDuringExecution')).flatMap((term, i) =>
        missing(term.podAffinityTerm, `${base}.preferredDuringSchedulingIgnoredDuringExecution[${i}].podAffinityTerm`),
      ),
    ];
  });
}

function annotationWarnings(template: Plain, path: string, isPod: boolean): string[] {
  const annotations = textMap(at(template, 'metadata', 'annotations'));
  const where = (name: string) => `${join(path, 'metadata.annotations')}[${name}]`;
  const warnings: string[] = [];
  const spec = record(template.spec);
  if (Object.hasOwn(annotations, 'scheduler.alpha.kubernetes.io/critical-pod')) {
    const name = 'scheduler.alpha.kubernetes.io/critical-pod';
    warnings.push(`${where(name)}: non-functional in v1.16+; use the "priorityClassName" field instead`);
  }
  for (const name of ['security.alpha.kubernetes.io/sysctls', 'security.alpha.kubernetes.io/unsafe-sysctls']) {
    if (!Object.hasOwn(annotations, name)) continue;
    warnings.push(`${where(name)}: non-functional in v1.11+; use the "sysctls" field instead`);
  }
  const seccompPod = 'seccomp.security.alpha.kubernetes.io/pod';
  if (Object.hasOwn(annotations, seccompPod) && !isSet(at(spec, 'securityContext', 'seccompProfile'))) {
    warnings.push(`${where(seccompPod)}: non-functional in v1.27+; use the "seccompProfile" field instead`);
  }
  for (const container of [...records(spec.initContainers), ...records(spec.containers)]) {
    const seccomp = `container.seccomp.security.alpha.kubernetes.io/${text(container.name)}`;
    if (Object.hasOwn(annotations, seccomp) && !isSet(at(container, 'securityContext', 'seccompProfile'))) {
      warnings.push(`${where(seccomp)}: non-functional in v1.27+; use the "seccompProfile" field instead`);
    }
    const apparmor = `container.apparmor.security.beta.kubernetes.io/${text(container.name)}`;
    const hasField = isSet(at(container, 'securityContext', 'appArmorProfile'));
    if (Object.hasOwn(annotations, apparmor) && (isPod || !hasField)) {
      warnings.push(`${where(apparmor)}: deprecated since v1.30; use the "appArmorProfile" field instead`);
    }
  }
  return warnings;
}

function volumeWarnings(spec: Plain, path: string): string[] {
  return records(spec.volumes).flatMap((volume, i) => {
    const emptyProjection =
      isSet(volume.projected) && list(at(volume, 'projected', 'sources')).length === 0
        ? [`volume ${JSON.stringify(volume.name)} (Projected) has no sources provided`]
        : [];
    return [...volumePluginWarnings(volume, `${path}.volumes[${i}]`), ...emptyProjection];
  });
}

function resourceWarnings(resources: unknown, path: string): string[] {
  return ['limits', 'requests'].flatMap((kind) =>
    ['ephemeral-storage', 'memory'].flatMap((name) => {
      const value = text(at(resources, kind, name));
      if (value === '' || !isFractionalBytes(value)) return [];
      const where = `${path}.${kind}[${name}]`;
      return [`${where}: fractional byte value ${JSON.stringify(value)} is invalid, must be an integer`];
    }),
  );
}

/** A name set twice hides the first value, unless a later value refers to it. */
function envWarnings(container: Plain, path: string): string[] {
  const variables = records(container.env);
  const seen = new Set<string>();
  return variables.flatMap((variable, i) => {
    const name = text(variable.name);
    const repeated = seen.has(name);
    seen.add(name);
    const referenced = text(variable.value).includes(`$(${name})`);
    if (!repeated || referenced) return [];
    return [
      `${path}.env[${i}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
    ];
  });
}

function portWarnings(container: Plain, path: string): string[] {
  const seen = new Map<string, number>();
  return records(container.ports).flatMap((port, i) => {
    const identity = [port.containerPort, port.hostPort ?? 0, port.hostIP ?? '', port.protocol ?? 'TCP'].join('/');
    const first = seen.get(identity);
    if (first === undefined) {
      seen.set(identity, i);
      return [];
    }
    return [`${path}.ports[${i}]: duplicate port definition with ${path}.ports[${first}]`];
  });
}

function containerWarnings(spec: Plain, path: string): string[] {
  return ['initContainers', 'containers'].flatMap((kind) =>
    records(spec[kind]).flatMap((container, i) => {
      const where = `${path}.${kind}[${i}]`;
      return [
        ...resourceWarnings(container.resources, `${where}.resources`),
        ...envWarnings(container, where),
        ...portWarnings(container, where),
      ];
    }),
  );
}

function addressWarnings(spec: Plain, path: string): string[] {
  const nameservers = texts(at(spec, 'dnsConfig', 'nameservers')).flatMap((ip, i) =>
    ipWarnings(`${path}.dnsConfig.nameservers[${i}]`, ip),
  );
  const seen = new Set<string>();
  const aliases = records(spec.hostAliases).flatMap((alias, i) => {
    const ip = text(alias.ip);
    const duplicate = seen.has(ip) ? [`${path}.hostAliases[${i}].ip: duplicate ip ${JSON.stringify(ip)}`] : [];
    seen.add(ip);
    return [...duplicate, ...ipWarnings(`${path}.hostAliases[${i}].ip`, ip)];
  });
  return [...nameservers, ...aliases];
}

function pullSecretWarnings(spec: Plain, path: string): string[] {
  const seen = new Set<string>();
  return records(spec.imagePullSecrets).flatMap((secret, i) => {
    const name = text(secret.name);
    const where = `${path}.imagePullSecrets[${i}].name`;
    if (name === '') return [`${where}: invalid empty name ""`];
    const repeated = seen.has(name);
    seen.add(name);
    return repeated ? [`${where}: duplicate name ${JSON.stringify(name)}`] : [];
  });
}

/**
 * What a client should know about a pod or pod template that is accepted all the same. `path` is where the template stands (`''` for a
 * pod, otherwise `spec.template`). After k8s.io/kubernetes/pkg/api/pod/warnings.go.
 */
export function podTemplateWarnings(template: Plain, path: string, isPod = false): string[] {
  const spec = record(template.spec);
  const specPath = join(path, 'spec');
  const grace = integer(spec.terminationGracePeriodSeconds);
  const negativeGrace =
    grace < 0
      ? [
          `${specPath}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : [];
  return [
    ...nodeWarnings(spec, specPath),
    ...podAffinityWarnings(spec, specPath),
    ...annotationWarnings(template, path, isPod),
    ...addressWarnings(spec, specPath),
    ...volumeWarnings(spec, specPath),
    ...pullSecretWarnings(spec, specPath),
    ...resourceWarnings({ limits: undefined, requests: spec.overhead }, specPath).map((w) =>
      w.replace('.requests', '.overhead'),
    ),
    ...containerWarnings(spec, specPath),
    ...negativeGrace,
  ];
}
