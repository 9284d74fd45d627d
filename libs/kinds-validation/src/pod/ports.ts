import { field, isInRange, isValidPortName, isValidPortNum } from '@apichain/meta';
import { integer, type Plain, record, records, text } from '@apichain/kinds';
import { checkEach, invalidEach, type Out, requiredChoice } from '../common/rules.ts';

const protocols = ['SCTP', 'TCP', 'UDP'];

/** The ports of one container. */
export function portErrors(out: Out, path: string, ports: unknown): void {
  const names = new Set<string>();
  checkEach(out, records(ports), (out, port, i) => {
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
  });
}

/** Ports of the host are taken once. `containers` share them; `path` is that of their list. */
export function hostPortConflicts(out: Out, path: string, containers: readonly Plain[]): void {
  const taken = new Set<string>();
  checkEach(out, containers, (out, container, i) => {
    checkEach(out, records(container.ports), (out, port, j) => {
      const number = integer(port.hostPort);
      if (number === 0) return;
      const identity = `${text(port.protocol)}/${text(port.hostIP)}/${number}`;
      if (taken.has(identity)) out.push(field.duplicate(`${path}[${i}].ports[${j}].hostPort`, identity));
      else taken.add(identity);
    });
  });
}

/** On the host's network a container's port is the host's. `always` = an absent host port is wrong too. */
export function hostNetworkPorts(out: Out, path: string, spec: Plain, always: boolean): void {
  if (spec.hostNetwork !== true) return;
  checkEach(out, records(record(spec).containers), (out, container, i) => {
    checkEach(out, records(container.ports), (out, port, j) => {
      const hostPort = integer(port.hostPort);
      if (hostPort === integer(port.containerPort) || (!always && hostPort === 0)) return;
      const at = `${path}[${i}].ports[${j}].hostPort`;
      out.push(field.invalid(at, hostPort, 'must match `containerPort` when `hostNetwork` is true'));
    });
  });
}
