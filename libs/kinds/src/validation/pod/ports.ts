import { field, isInRange, isValidPortName, isValidPortNum } from '@apichain/meta';
import { integer, type Plain, record, records, text } from '../../fields.ts';
import { invalidEach, type Out, requiredChoice } from '../common/rules.ts';

const protocols = ['SCTP', 'TCP', 'UDP'];

/** The ports of one container. */
export function portErrors(out: Out, path: string, ports: unknown): void {
  const names = new Set<string>();
  for (const [i, port] of records(ports).entries()) {
    const at = `${path}[${i}]`;
    const name = text(port.name);
    if (name !== '') {
      const messages = isValidPortName(name);
      if (messages.length > 0) invalidEach(out, `${at}.name`, name, messages);
      else if (names.has(name)) out.push(field.duplicate(`${at}.name`, name));
      else names.add(name);
    }
    const number = integer(port.containerPort);
    if (number === 0) out.push(field.required(`${at}.containerPort`));
    else invalidEach(out, `${at}.containerPort`, number, isValidPortNum(number));
    const hostPort = integer(port.hostPort);
    if (hostPort !== 0) invalidEach(out, `${at}.hostPort`, hostPort, isInRange(hostPort, 1, 65535));
    requiredChoice(out, `${at}.protocol`, port.protocol, protocols);
  }
}

/** Ports of the host are taken once. `containers` share them; `path` is that of their list. */
export function hostPortConflicts(out: Out, path: string, containers: readonly Plain[]): void {
  const taken = new Set<string>();
  for (const [i, container] of containers.entries()) {
    for (const [j, port] of records(container.ports).entries()) {
      const number = integer(port.hostPort);
      if (number === 0) continue;
      const identity = `${text(port.protocol)}/${text(port.hostIP)}/${number}`;
      if (taken.has(identity)) out.push(field.duplicate(`${path}[${i}].ports[${j}].hostPort`, identity));
      else taken.add(identity);
    }
  }
}

/** On the host's network a container's port is the host's. `always` = an absent host port is wrong too. */
export function hostNetworkPorts(out: Out, path: string, spec: Plain, always: boolean): void {
  if (spec.hostNetwork !== true) return;
  for (const [i, container] of records(record(spec).containers).entries()) {
    for (const [j, port] of records(container.ports).entries()) {
      const hostPort = integer(port.hostPort);
      if (hostPort === integer(port.containerPort) || (!always && hostPort === 0)) continue;
      const at = `${path}[${i}].ports[${j}].hostPort`;
      out.push(field.invalid(at, hostPort, 'must match `containerPort` when `hostNetwork` is true'));
    }
  }
}
