import { goQuote } from '@apichain/meta';
import { containersAt } from '../validation/pod/context.ts';
import { at, integer, isSet, list, type Plain, records, text } from '../fields.ts';
import { isFractionalBytes } from '../quantities.ts';

/** Sizes that are no whole number of bytes, in the resource list at `path`. */
export function fractionalWarning(out: string[], resources: unknown, path: string, name: string): void {
  const value = text(at(resources, name));
  if (value === '' || !isFractionalBytes(value)) return;
  out.push(`${path}[${name}]: fractional byte value ${goQuote(value)} is invalid, must be an integer`);
}

/** A name set twice hides the first value, unless a later value refers to it and is more than the reference. */
function envWarnings(out: string[], container: Plain, path: string): void {
  const seen = new Set<string>();
  for (const [i, variable] of records(container.env).entries()) {
    const name = text(variable.name);
    if (!seen.has(name)) {
      seen.add(name);
      continue;
    }
    const value = text(variable.value);
    const reference = `$(${name})`;
    if (!isSet(variable.valueFrom) && value !== reference && value.includes(reference)) continue;
    out.push(`${path}.env[${i}]: hides previous definition of ${goQuote(name)}, which may be dropped when using apply`);
  }
}

interface PortAt {
  readonly path: string;
  readonly hostIP: string;
  readonly hostPort: number;
}

/** What two ports of the same number and protocol are to each other; undefined when they can be told apart. */
function relation(port: PortAt, other: PortAt): string | undefined {
  if (port.hostIP === other.hostIP && port.hostPort === other.hostPort) return 'duplicate';
  if (port.hostPort === 0 || other.hostPort === 0) return 'overlapping';
  const oneAnywhere = (port.hostIP === '') !== (other.hostIP === '');
  return port.hostPort === other.hostPort && oneAnywhere ? 'dangerously ambiguous' : undefined;
}

/** A port as Go prints the struct. */
const shownPort = (port: Plain): string =>
  `{Name:${text(port.name)} HostPort:${integer(port.hostPort)} ContainerPort:${integer(port.containerPort)} ` +
  `Protocol:${text(port.protocol)} HostIP:${text(port.hostIP)}}`;

function portWarnings(out: string[], ports: readonly { port: Plain; path: string }[]): void {
  const known = new Map<string, PortAt[]>();
  for (const { port, path } of ports) {
    const it: PortAt = { path, hostIP: text(port.hostIP), hostPort: integer(port.hostPort) };
    if (it.hostIP !== '' && it.hostPort === 0) out.push(`${path}: hostIP set without hostPort: ${shownPort(port)}`);
    const key = `${integer(port.containerPort)}/${text(port.protocol)}`;
    const others = known.get(key) ?? [];
    for (const other of others) {
      const what = relation(it, other);
      if (what !== undefined) out.push(`${path}: ${what} port definition with ${other.path}`);
    }
    known.set(key, [...others, it]);
  }
}

function portNameWarnings(out: string[], ports: readonly { port: Plain; path: string }[]): void {
  const known = new Map<string, string>();
  for (const { port, path } of ports) {
    const name = text(port.name);
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

/** What to say about the containers of the pod spec at `path`; `perContainer` comes first for each. */
export function containerWarnings(
  out: string[],
  spec: Plain,
  path: string,
  perContainer: (container: Plain) => void,
): void {
  const containers = containersAt(spec, path);
  for (const { container, path: where } of containers) {
    perContainer(container);
    const { resources } = container;
    if (isSet(resources)) {
      for (const name of ['memory', 'ephemeral-storage']) {
        for (const kind of ['limits', 'requests']) {
          fractionalWarning(out, at(resources, kind), `${where}.resources.${kind}`, name);
        }
      }
    }
    if (list(container.env).length > 1) envWarnings(out, container, where);
  }
  const ports = containers.flatMap(({ container, path: where }) =>
    records(container.ports).map((port, i) => ({ port, path: `${where}.ports[${i}]` })),
  );
  if (ports.length === 0) return;
  portWarnings(out, ports);
  portNameWarnings(out, ports);
}
