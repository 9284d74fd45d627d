import { goQuote } from '@apichain/go-text';
import { isSet } from '@apichain/meta';
import type { Container, PodSpec, SeccompProfile, LifecycleHandler } from '@apichain/api/core/v1';
import { allContainersOf } from '../../pod-fields.ts';
import {
  containersText,
  containersWhere,
  plural,
  quoted,
  securityContext,
  settersText,
  type AnySecurityContext,
  unlessUserNamespace,
  type Check,
  type CheckedPod,
  type CheckPod,
} from './check.ts';

/** Collects forbidden values of the pod and its containers; `bad` records the values it finds. */
function collect(spec: PodSpec, bad: (context: AnySecurityContext) => boolean) {
  const pod = bad(securityContext(spec));
  const containers = containersWhere(spec, (container) => bad(securityContext(container)));
  return { any: pod || containers.length > 0, setters: settersText(pod, containers), pod, containers };
}

const allowedAppArmor = new Set(['RuntimeDefault', 'Localhost']);
const appArmorAnnotation = 'container.apparmor.security.beta.kubernetes.io/';
const allowedAppArmorAnnotation = (value: string) =>
  value === '' || value === 'runtime/default' || value.startsWith('localhost/');

const appArmorProfile: CheckPod = ({ metadata, spec }) => {
  const types = new Set<string>();
  const { pod, containers } = collect(spec, ({ appArmorProfile: profile }) => {
    if (!isSet(profile) || allowedAppArmor.has(profile.type ?? '')) return false;
    types.add(profile.type ?? '');
    return true;
  });
  const annotations = Object.entries(metadata.annotations ?? {})
    .filter(([key, value]) => key.startsWith(appArmorAnnotation) && !allowedAppArmorAnnotation(value))
    .map(([key, value]) => `${key}=${goQuote(value)}`)
    .toSorted();
  const setters = [
    settersText(pod, containers),
    ...(annotations.length > 0 ? [plural('annotation', 'annotations', annotations.length)] : []),
  ].filter((setter) => setter !== '');
  if (setters.length === 0) return undefined;
  const values = [...[...types].toSorted(), ...annotations];
  return {
    reason: plural('forbidden AppArmor profile', 'forbidden AppArmor profiles', values.length),
    detail: `${setters.join(' and ')} must not set AppArmor profile type to ${quoted(values)}`,
  };
};

const defaultCapabilities = new Set(
  'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT'.split(
    ' ',
  ),
);

/** The containers that add a capability which is not allowed, and those capabilities. */
export function addedCapabilities(spec: PodSpec, allowed: ReadonlySet<string>) {
  const forbidden = new Set<string>();
  const containers = containersWhere(spec, (container) => {
    const bad = (securityContext(container).capabilities?.add ?? []).filter((name) => !allowed.has(name));
    for (const name of bad) forbidden.add(name);
    return bad.length > 0;
  });
  if (containers.length === 0) return undefined;
  return `${containersText(containers)} must not include ${quoted([...forbidden].toSorted())} in securityContext.capabilities.add`;
}

const capabilities: CheckPod = ({ spec }) => {
  const detail = addedCapabilities(spec, defaultCapabilities);
  return detail === undefined ? undefined : { reason: 'non-default capabilities', detail };
};

const hostNamespaces: CheckPod = ({ spec }) => {
  const shared = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((name) => spec[name] === true);
  if (shared.length === 0) return undefined;
  return { reason: 'host namespaces', detail: shared.map((name) => `${name}=true`).join(', ') };
};

const hostPathVolumes: CheckPod = ({ spec }) => {
  const names = (spec.volumes ?? []).filter(({ hostPath }) => isSet(hostPath)).map(({ name }) => name ?? '');
  if (names.length === 0) return undefined;
  return { reason: 'hostPath volumes', detail: `${plural('volume', 'volumes', names.length)} ${quoted(names)}` };
};

const hostPorts: CheckPod = ({ spec }) => {
  const ports = new Set<string>();
  const containers = containersWhere(spec, (container) => {
    const used = (container.ports ?? []).map(({ hostPort }) => hostPort ?? 0).filter((port) => port !== 0);
    for (const port of used) ports.add(String(port));
    return used.length > 0;
  });
  if (containers.length === 0) return undefined;
  const uses = `${plural('uses', 'use', containers.length)} ${plural('hostPort', 'hostPorts', ports.size)}`;
  return {
    reason: 'hostPort',
    detail: `${containersText(containers)} ${uses} ${[...ports].toSorted().join(', ')}`,
  };
};

/** Hosts that the probes and lifecycle handlers of a container name. */
function namedHosts({ livenessProbe, readinessProbe, startupProbe, lifecycle }: Container): string[] {
  const handlers: readonly (LifecycleHandler | undefined)[] = [
    livenessProbe,
    readinessProbe,
    startupProbe,
    lifecycle?.postStart,
    lifecycle?.preStop,
  ];
  return handlers
    .flatMap((handler) => [handler?.httpGet?.host ?? '', handler?.tcpSocket?.host ?? ''])
    .filter((host) => host !== '');
}

const hostProbesAndHostLifecycle: CheckPod = ({ spec }) => {
  const hosts = new Set<string>();
  const containers = containersWhere(spec, (container) => {
    const named = namedHosts(container);
    for (const host of named) hosts.add(host);
    return named.length > 0;
  }).toSorted();
  if (containers.length === 0) return undefined;
  const what = plural('probe or lifecycle host', 'probe or lifecycle hosts', hosts.size);
  return {
    reason: 'probe or lifecycle host',
    detail: `${containersText(containers)} ${plural('uses', 'use', containers.length)} ${what} ${quoted([...hosts].toSorted())}`,
  };
};

const privileged: CheckPod = ({ spec }) => {
  const containers = containersWhere(spec, (container) => securityContext(container).privileged === true);
  if (containers.length === 0) return undefined;
  return { reason: 'privileged', detail: `${containersText(containers)} must not set securityContext.privileged=true` };
};

export const procMount: CheckPod = ({ spec }) => {
  const types = new Set<string>();
  const containers = containersWhere(spec, (container) => {
    const mount = securityContext(container).procMount;
    if (!isSet(mount) || mount === 'Default') return false;
    types.add(mount ?? '');
    return true;
  });
  if (containers.length === 0) return undefined;
  return {
    reason: 'procMount',
    detail: `${containersText(containers)} must not set securityContext.procMount to ${quoted([...types].toSorted())}`,
  };
};

const seLinuxTypes = ['', 'container_t', 'container_init_t', 'container_kvm_t'];
const seLinuxOptions = (allowed: readonly string[]): CheckPod => {
  const allowedTypes = new Set(allowed);
  return ({ spec }) => {
    const types = new Set<string>();
    let user = false;
    let role = false;
    const { any, setters } = collect(spec, ({ seLinuxOptions: options }) => {
      if (!isSet(options)) return false;
      const badType = !allowedTypes.has(options.type ?? '');
      if (badType) types.add(options.type ?? '');
      const setsUser = (options.user ?? '') !== '';
      const setsRole = (options.role ?? '') !== '';
      user ||= setsUser;
      role ||= setsRole;
      return badType || setsUser || setsRole;
    });
    if (!any) return undefined;
    const data = [
      ...(types.size > 0 ? [`${plural('type', 'types', types.size)} ${quoted([...types].toSorted())}`] : []),
      ...(user ? ['user may not be set'] : []),
      ...(role ? ['role may not be set'] : []),
    ];
    const detail = `${setters} set forbidden securityContext.seLinuxOptions: ${data.join('; ')}`;
    return { reason: 'seLinuxOptions', detail };
  };
};

const allowedSeccomp = new Set(['RuntimeDefault', 'Localhost']);
export const validSeccomp = (profile: SeccompProfile): boolean => allowedSeccomp.has(profile.type ?? '');

const seccompAnnotation = 'container.seccomp.security.alpha.kubernetes.io/';
const validSeccompAnnotation = (value: string) =>
  value === 'runtime/default' || value === 'docker/default' || value.startsWith('localhost/');

function seccompAnnotations({ metadata, spec }: CheckedPod) {
  const keys = [
    'seccomp.security.alpha.kubernetes.io/pod',
    ...allContainersOf(spec).map(({ name }) => `${seccompAnnotation}${name ?? ''}`),
  ];
  const forbidden = new Set<string>();
  for (const key of keys) {
    const value = metadata.annotations?.[key];
    if (value !== undefined && !validSeccompAnnotation(value)) forbidden.add(`${key}=${goQuote(value)}`);
  }
  if (forbidden.size === 0) return undefined;
  const what = plural('annotation', 'annotations', forbidden.size);
  return { reason: 'seccompProfile', detail: `forbidden ${what} ${[...forbidden].toSorted().join(', ')}` };
}

const seccompProfile: CheckPod = ({ spec }) => {
  const types = new Set<string>();
  const { any, setters } = collect(spec, ({ seccompProfile: profile }) => {
    if (!isSet(profile) || validSeccomp(profile)) return false;
    types.add(profile.type ?? '');
    return true;
  });
  if (!any) return undefined;
  const detail = `${setters} must not set securityContext.seccompProfile.type to ${quoted([...types].toSorted())}`;
  return { reason: 'seccompProfile', detail };
};

const firstSysctls = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
];
const keepalive = ['time', 'intvl', 'probes'].map((what) => `net.ipv4.tcp_keepalive_${what}`);
const sysctls127 = [...firstSysctls, 'net.ipv4.ip_local_reserved_ports'];
const sysctls129 = [...sysctls127, ...keepalive, 'net.ipv4.tcp_fin_timeout'];
const sysctls132 = [...sysctls129, 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'];

const sysctls =
  (allowed: readonly string[]): CheckPod =>
  ({ spec }) => {
    const forbidden = (securityContext(spec).sysctls ?? [])
      .map(({ name }) => name ?? '')
      .filter((name) => !allowed.includes(name));
    return forbidden.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: forbidden.join(', ') };
  };

const windowsHostProcess: CheckPod = ({ spec }) => {
  const { any, setters } = collect(spec, ({ windowsOptions }) => windowsOptions?.hostProcess === true);
  if (!any) return undefined;
  return { reason: 'hostProcess', detail: `${setters} must not set securityContext.windowsOptions.hostProcess=true` };
};

const always = (check: CheckPod) => [{ since: 0, check }];

/** The baseline standard. */
export const baselineChecks: readonly Check[] = [
  { id: 'appArmorProfile', level: 'baseline', versions: always(appArmorProfile) },
  { id: 'capabilities_baseline', level: 'baseline', versions: always(capabilities) },
  { id: 'hostNamespaces', level: 'baseline', versions: always(hostNamespaces) },
  { id: 'hostPathVolumes', level: 'baseline', versions: always(hostPathVolumes) },
  { id: 'hostPorts', level: 'baseline', versions: always(hostPorts) },
  {
    id: 'hostProbesAndHostLifecycle',
    level: 'baseline',
    versions: [{ since: 34, check: hostProbesAndHostLifecycle }],
  },
  { id: 'privileged', level: 'baseline', versions: always(privileged) },
  {
    id: 'procMount',
    level: 'baseline',
    versions: [...always(procMount), { since: 35, check: unlessUserNamespace(procMount) }],
  },
  {
    id: 'seLinuxOptions',
    level: 'baseline',
    versions: [
      ...always(seLinuxOptions(seLinuxTypes)),
      { since: 31, check: seLinuxOptions([...seLinuxTypes, 'container_engine_t']) },
    ],
  },
  {
    id: 'seccompProfile_baseline',
    level: 'baseline',
    versions: [...always(seccompAnnotations), { since: 19, check: seccompProfile }],
  },
  {
    id: 'sysctls',
    level: 'baseline',
    versions: [
      ...always(sysctls(firstSysctls)),
      { since: 27, check: sysctls(sysctls127) },
      { since: 29, check: sysctls(sysctls129) },
      { since: 32, check: sysctls(sysctls132) },
    ],
  },
  { id: 'windowsHostProcess', level: 'baseline', versions: always(windowsHostProcess) },
];
