import type { Pod } from '@apichain/api/core/v1';

/** A port of a node that a container takes. */
export interface HostPort {
  readonly ip: string;
  /** `TCP/8080` */
  readonly port: string;
}

const anyAddress = '0.0.0.0';

/** The host ports of a pod: of its containers and of the init containers that run for as long as the pod. */
export function hostPortsOf({ spec }: Pod): readonly HostPort[] {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const ports: HostPort[] = [];
  for (const container of [...sidecars, ...(spec?.containers ?? [])])
    for (const { hostPort = 0, hostIP = '', protocol = 'TCP' } of container.ports ?? [])
      if (hostPort > 0) ports.push({ ip: hostIP === '' ? anyAddress : hostIP, port: `${protocol}/${hostPort}` });
  return ports;
}

/** Whether two ports cannot be open at the same time. Every address includes each address. */
const conflict = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port && (a.ip === b.ip || a.ip === anyAddress || b.ip === anyAddress);

/** Whether one of the wanted ports is in use. */
export const portsConflict = (wanted: readonly HostPort[], used: readonly HostPort[]): boolean =>
  wanted.some((port) => used.some((other) => conflict(port, other)));
