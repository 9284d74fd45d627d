import { goQuote } from '@apichain/go-text';
import { containersAt, isFractionalBytes } from '@apichain/kinds';
import { isSet } from '@apichain/meta';
import type { Container, ContainerPort, PodSpec, ResourceList } from '@apichain/api/core/v1';

/** Warnings about sizes that are not a whole number of bytes, in the resource list at `path`. */
export function fractionalWarning(
  out: string[],
  resources: ResourceList | undefined,
  path: string,
  name: string,
): void {
  const value = resources?.[name] ?? '';
  if (value === '' || !isFractionalBytes(value)) return;
  out.push(`${path}[${name}]: fractional byte value ${goQuote(value)} is invalid, must be an integer`);
}

/** A repeated variable name hides the first value, unless a later value contains a reference to it and other text. */
function envWarnings(out: string[], container: Container, path: string): void {
  const seen = new Set<string>();
  for (const [i, variable] of (container.env ?? []).entries()) {
    const name = variable.name ?? '';
    if (!seen.has(name)) {
      seen.add(name);
      continue;
    }
    const value = variable.value ?? '';
    const reference = `$(${name})`;
    if (!isSet(variable.valueFrom) && value !== reference && value.includes(reference)) continue;
    out.push(`${path}.env[${i}]: hides previous definition of ${goQuote(name)}, which may be dropped when using apply`);
  }
}

interface PortAt {
  readonly path: string;
  /** Index among all ports. */
  readonly position: number;
  readonly hostIP: string;
  readonly hostPort: number;
}

/** A bound on the reported pairs of ports: more warnings than a response can hold. */
const mostRelations = 1_000;

/** How two ports with the same number and protocol conflict. */
function relation(port: PortAt, other: PortAt): string {
  if (port.hostIP === other.hostIP && port.hostPort === other.hostPort) return 'duplicate';
  return port.hostPort === 0 || other.hostPort === 0 ? 'overlapping' : 'dangerously ambiguous';
}

/** A port as Go prints the struct. */
const shownPort = (port: ContainerPort): string =>
  `{Name:${port.name ?? ''} HostPort:${port.hostPort ?? 0} ContainerPort:${port.containerPort ?? 0} ` +
  `Protocol:${port.protocol ?? ''} HostIP:${port.hostIP ?? ''}}`;

/** The ports of one number and protocol, indexed by the fields that make two of them conflict. */
class AlikePorts {
  readonly #ports: PortAt[] = [];
  readonly #byHostPort = new Map<number, PortAt[]>();
  readonly #byAddress = new Map<string, PortAt[]>();

  add(port: PortAt): void {
    this.#ports.push(port);
    append(this.#byHostPort, port.hostPort, port);
    append(this.#byAddress, `${port.hostPort} ${port.hostIP}`, port);
  }

  /** The earlier ports that conflict with a port, in their order. */
  related({ hostIP, hostPort }: PortAt): readonly PortAt[] {
    if (hostPort === 0) return this.#ports;
    const same = (address: string) => this.#byAddress.get(`${hostPort} ${address}`) ?? [];
    const ofHostPort = hostIP === '' ? (this.#byHostPort.get(hostPort) ?? []) : [...same(''), ...same(hostIP)];
    return [...(this.#byHostPort.get(0) ?? []), ...ofHostPort].sort((a, b) => a.position - b.position);
  }
}

function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

function portWarnings(out: string[], ports: readonly { port: ContainerPort; path: string }[]): void {
  const known = new Map<string, AlikePorts>();
  let told = 0;
  for (const [position, { port, path }] of ports.entries()) {
    const it: PortAt = { path, position, hostIP: port.hostIP ?? '', hostPort: port.hostPort ?? 0 };
    if (it.hostIP !== '' && it.hostPort === 0) out.push(`${path}: hostIP set without hostPort: ${shownPort(port)}`);
    const key = `${port.containerPort ?? 0}/${port.protocol ?? ''}`;
    const others = known.get(key) ?? new AlikePorts();
    known.set(key, others);
    for (const other of told < mostRelations ? others.related(it) : []) {
      out.push(`${path}: ${relation(it, other)} port definition with ${other.path}`);
      if (++told >= mostRelations) break;
    }
    others.add(it);
  }
}

function portNameWarnings(out: string[], ports: readonly { port: ContainerPort; path: string }[]): void {
  const known = new Map<string, string>();
  for (const { port, path } of ports) {
    const name = port.name ?? '';
    if (name === '') continue;
    const other = known.get(name);
    if (other === undefined) known.set(name, path);
    else {
      out.push(
        `${path}: duplicate port name ${goQuote(name)} with ${other}, services and probes that select ports by name will use ${other}`,
      );
    }
  }
}

/** Warnings about the containers of the pod spec at `path`; those of `perContainer` come first for each container. */
export function containerWarnings(
  out: string[],
  spec: PodSpec,
  path: string,
  perContainer: (container: Container) => void,
): void {
  const containers = containersAt(spec, path);
  for (const { container, path: where } of containers) {
    perContainer(container);
    const { resources } = container;
    if (isSet(resources)) {
      for (const name of ['memory', 'ephemeral-storage']) {
        for (const kind of ['limits', 'requests'] as const) {
          fractionalWarning(out, resources[kind], `${where}.resources.${kind}`, name);
        }
      }
    }
    if ((container.env ?? []).length > 1) envWarnings(out, container, where);
  }
  const ports = containers.flatMap(({ container, path: where }) =>
    (container.ports ?? []).map((port, i) => ({ port, path: `${where}.ports[${i}]` })),
  );
  if (ports.length === 0) return;
  portWarnings(out, ports);
  portNameWarnings(out, ports);
}
