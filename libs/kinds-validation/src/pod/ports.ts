import type { Container, ContainerPort, PodSpec } from '@apichain/api/core/v1';
import { field, isInRange, isValidPortName, isValidPortNum } from '@apichain/meta';
import { checkEach, invalidEach, type Out, requiredChoice } from '../common/rules.ts';

const protocols = ['SCTP', 'TCP', 'UDP'];

/** Checks the ports of one container. */
export function portErrors(out: Out, path: string, ports: readonly ContainerPort[] | undefined): void {
  const names = new Set<string>();
  checkEach(out, ports ?? [], (out, port, i) => {
    const at = `${path}[${i}]`;
    const name = port.name ?? '';
    if (name !== '') {
      const messages = isValidPortName(name);
      if (messages.length > 0) invalidEach(out, `${at}.name`, name, messages);
      else if (names.has(name)) out.push(field.duplicate(`${at}.name`, name));
      else names.add(name);
    }
    const number = port.containerPort ?? 0;
    if (number === 0) out.push(field.required(`${at}.containerPort`));
    else invalidEach(out, `${at}.containerPort`, number, isValidPortNum(number));
    const hostPort = port.hostPort ?? 0;
    if (hostPort !== 0) invalidEach(out, `${at}.hostPort`, hostPort, isInRange(hostPort, 1, 65535));
    requiredChoice(out, `${at}.protocol`, port.protocol, protocols);
  });
}

/** Each host port can be used only once. `containers` share the host; `path` is that of their list. */
export function hostPortConflicts(out: Out, path: string, containers: readonly Container[]): void {
  const taken = new Set<string>();
  checkEach(out, containers, (out, container, i) => {
    checkEach(out, container.ports ?? [], (out, port, j) => {
      const number = port.hostPort ?? 0;
      if (number === 0) return;
      const identity = `${port.protocol ?? ''}/${port.hostIP ?? ''}/${number}`;
      if (taken.has(identity)) out.push(field.duplicate(`${path}[${i}].ports[${j}].hostPort`, identity));
      else taken.add(identity);
    });
  });
}

/** On the host network, the host port must equal the container port. `always` = an absent host port is an error too. */
export function hostNetworkPorts(out: Out, path: string, spec: PodSpec, always: boolean): void {
  if (spec.hostNetwork !== true) return;
  checkEach(out, spec.containers ?? [], (out, container, i) => {
    checkEach(out, container.ports ?? [], (out, port, j) => {
      const hostPort = port.hostPort ?? 0;
      if (hostPort === (port.containerPort ?? 0) || (!always && hostPort === 0)) return;
      const at = `${path}[${i}].ports[${j}].hostPort`;
      out.push(field.invalid(at, hostPort, 'must match `containerPort` when `hostNetwork` is true'));
    });
  });
}
