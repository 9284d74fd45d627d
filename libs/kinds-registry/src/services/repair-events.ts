import type { KubeObject } from '@apichain/meta';

/** What a repair of ports or addresses found wrong with an object, for an Event about it. */
export interface RepairEvent {
  /** The Service or IPAddress. */
  readonly object: KubeObject;
  readonly controller: 'portallocator-repair-controller' | 'ipallocator-repair-controller';
  /** `PortNotAllocated`, ... */
  readonly reason: string;
  readonly action: 'PortAllocation' | 'ClusterIPAllocation' | 'ClusterIPValidation' | 'IPAddressAllocation';
  readonly note: string;
}
